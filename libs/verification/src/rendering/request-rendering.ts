import { WALLET_URLS } from '@app/identity';
import type { JsonObject } from '@app/primitives/json';
import {
  type WireRequest,
  isSignedRequest,
  type LinkVariant,
  renderRequestLink,
  renderRequestObject,
  type ResponseEncryptionKey,
  type WalletUrls,
} from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import type { RequestTerms, VariantTerms } from '../request/request-terms';
import { OwnRegistration } from '../question/own-registration';
import { PresentationDefinitions } from '../question/presentation-definitions';
import { RequestClients } from './request-clients';
import { RequestSecrets } from '../request/request-secrets';
import { sentTransactionData } from '../question/transaction-data';
import { verifiedAlgorithms } from '../question/verified-algorithms';

/** Renders a stored request in one variant, as a link for the QR code or as a signed object. */
@Injectable()
export class RequestRendering {
  constructor(
    private readonly clients: RequestClients,
    private readonly secrets: RequestSecrets,
    private readonly definitions: PresentationDefinitions,
    private readonly registration: OwnRegistration,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  link(request: RequestTerms, terms: VariantTerms<LinkVariant>, times: { readonly issuedAt: Date }): string {
    const requestUri = this.urls.presentationRequest(terms.variant, this.secrets.addressedAs(request));
    return renderRequestLink(this.wireRequest(request, terms, times), { requestUri, post: true });
  }

  /**
   * The signed request object (RFC 9101); none for a request that must not be signed, whose link holds all of
   * it, and for one whose certificate was revoked by us.
   */
  signedObject(
    request: RequestTerms,
    terms: VariantTerms<LinkVariant>,
    times: { readonly issuedAt: Date; readonly walletNonce?: string },
  ): Awaitable<string | undefined> {
    const wireRequest = this.wireRequest(request, terms, times);
    if (!isSignedRequest(wireRequest)) return undefined;
    const { header, payload } = renderRequestObject(wireRequest);
    // The payload is JSON by construction.
    return whenThere(this.clients.signerOf(request, terms.variant), (sign) =>
      sign?.({ ...header }, payload as JsonObject),
    );
  }

  wireRequest(
    request: RequestTerms,
    { variant, nonce }: VariantTerms<LinkVariant>,
    { issuedAt, walletNonce }: { readonly issuedAt: Date; readonly walletNonce?: string },
  ): WireRequest {
    const common = {
      responseUri: this.clients.responseUri(request, variant),
      nonce,
      state: this.secrets.wireStateOf(request, variant),
      issuedAt: Math.floor(issuedAt.getTime() / 1000),
      expiresAt: Math.floor(Date.parse(request.expiresAt) / 1000),
      algorithms: verifiedAlgorithms,
      ...(walletNonce !== undefined && { walletNonce }),
    };
    const { did } = this.clients;
    switch (variant) {
      case 'siopv2':
        return { ...common, variant, did };
      case 'final':
      case 'haip':
        return {
          ...common,
          variant,
          client: this.clients.clientOf(request, variant),
          responseType: combined(request),
          query: queryOf(request),
          ...sentTransactionData(request),
          ...encryption(request),
          ...this.registration.sentWith(request),
        };
      case 'draft-20':
        return {
          ...common,
          variant,
          did,
          responseType: combined(request),
          definition: this.definitions.of(request, variant).definition,
          ...encryption(request),
        };
      case 'draft-20-redirect':
        return { ...common, variant, did, definition: this.definitions.of(request, variant).definition };
    }
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
