import { ServiceIdentity, WALLET_URLS } from '@app/identity';
import type { JsonObject } from '@app/json';
import {
  type WireRequest,
  clientIdOf,
  isSignedRequest,
  type LinkVariant,
  renderRequestLink,
  renderRequestObject,
  type ResponseEncryptionKey,
  type WalletUrls,
} from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import type { RequestTerms, VariantTerms } from './request-terms';
import { PresentationDefinitions } from './presentation-definitions';
import { RequestSecrets } from './request-secrets';
import { sentTransactionData } from './transaction-data';
import { verifiedAlgorithms } from './verified-algorithms';

/** Renders a stored request in one variant, as a link for the QR code or as a signed object. */
@Injectable()
export class RequestRendering {
  constructor(
    private readonly identity: ServiceIdentity,
    private readonly secrets: RequestSecrets,
    private readonly definitions: PresentationDefinitions,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  link(request: RequestTerms, terms: VariantTerms<LinkVariant>, times: { readonly issuedAt: Date }): string {
    const requestUri = this.urls.presentationRequest(terms.variant, this.secrets.addressedAs(request));
    return renderRequestLink(this.wireRequest(request, terms, times), { requestUri, post: true });
  }

  /** The signed request object (RFC 9101); none for a request that must not be signed, whose link holds all of it. */
  signedObject(
    request: RequestTerms,
    terms: VariantTerms<LinkVariant>,
    times: { readonly issuedAt: Date; readonly walletNonce?: string },
  ): string | undefined {
    const wireRequest = this.wireRequest(request, terms, times);
    if (!isSignedRequest(wireRequest)) return undefined;
    const { header, payload } = renderRequestObject(wireRequest);
    // The payload is JSON by construction.
    return this.identity.asDid('ES256').sign({ ...header }, payload as JsonObject);
  }

  /** The client identifier of one variant, which is the audience of what is presented. */
  clientId(request: RequestTerms, variant: LinkVariant): string {
    const { did, responseUri } = this.client(request, variant);
    if (variant !== 'final') return clientIdOf({ variant, did });
    return clientIdOf({ variant, did, responseUri, clientIdPrefix: request.clientIdPrefix });
  }

  wireRequest(
    request: RequestTerms,
    { variant, nonce }: VariantTerms<LinkVariant>,
    { issuedAt, walletNonce }: { readonly issuedAt: Date; readonly walletNonce?: string },
  ): WireRequest {
    const common = {
      ...this.client(request, variant),
      nonce,
      state: this.secrets.wireStateOf(request, variant),
      issuedAt: Math.floor(issuedAt.getTime() / 1000),
      expiresAt: Math.floor(Date.parse(request.expiresAt) / 1000),
      algorithms: verifiedAlgorithms,
      ...(walletNonce !== undefined && { walletNonce }),
    };
    switch (variant) {
      case 'siopv2':
        return { ...common, variant };
      case 'final':
        return {
          ...common,
          variant,
          clientIdPrefix: request.clientIdPrefix,
          responseType: combined(request),
          query: queryOf(request),
          ...sentTransactionData(request),
          ...encryption(request),
        };
      case 'draft-20':
        return {
          ...common,
          variant,
          responseType: combined(request),
          definition: this.definitions.of(request, variant).definition,
          ...encryption(request),
        };
      case 'draft-20-redirect':
        return { ...common, variant, definition: this.definitions.of(request, variant).definition };
    }
  }

  private client(request: RequestTerms, variant: LinkVariant): { readonly did: string; readonly responseUri: string } {
    const responseUri = this.urls.presentationResponse(variant, this.secrets.addressedAs(request));
    return { did: this.identity.asDid('ES256').id, responseUri };
  }
}

function combined({ responseType }: RequestTerms): 'vp_token' | 'vp_token id_token' {
  return responseType === 'vp_token id_token' ? responseType : 'vp_token';
}

function queryOf({ query }: Pick<RequestTerms, 'query'>) {
  if (!query) throw new Error('a request without a query has no variant that asks for credentials');
  return query;
}

function encryption({ encryptionKey }: RequestTerms): { encryption?: ResponseEncryptionKey } {
  return encryptionKey ? { encryption: encryptionKey } : {};
}
