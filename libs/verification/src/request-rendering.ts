import { ServiceIdentity, WALLET_URLS } from '@app/identity';
import type { JsonObject } from '@app/json';
import {
  type AuthorizationRequestTerms as WireRequest,
  derivePresentationDefinition,
  isSignedRequest,
  renderRequestLink,
  renderRequestObject,
  type RequestVariant,
  type ResponseEncryptionKey,
  type WalletUrls,
} from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import type { RequestTerms, VariantTerms } from './authorization-request';
import { RequestSecrets } from './request-secrets';

/** What we verify, preferred first, under every name. */
export const verifiedAlgorithms = ['ES256', 'EdDSA', 'ES384', 'Ed25519'] as const;

/** Puts a stored request into the words of one variant, as a link for the QR code or as a signed object. */
@Injectable()
export class RequestRendering {
  constructor(
    private readonly identity: ServiceIdentity,
    private readonly secrets: RequestSecrets,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  link(request: RequestTerms, terms: VariantTerms, times: { readonly issuedAt: Date }): string {
    const requestUri = this.urls.presentationRequest(terms.variant, this.secrets.handles.textOf(request));
    return renderRequestLink(this.wireRequest(request, terms, times), { requestUri, post: true });
  }

  /** The signed request object (RFC 9101); none for a request that must not be signed, whose link holds all of it. */
  signedObject(
    request: RequestTerms,
    terms: VariantTerms,
    times: { readonly issuedAt: Date; readonly walletNonce?: string },
  ): string | undefined {
    const wireRequest = this.wireRequest(request, terms, times);
    if (!isSignedRequest(wireRequest)) return undefined;
    const { header, payload } = renderRequestObject(wireRequest);
    // The payload is JSON by construction.
    return this.identity.asDid('ES256').sign({ ...header }, payload as JsonObject);
  }

  wireRequest(
    request: RequestTerms,
    { variant, nonce }: VariantTerms,
    { issuedAt, walletNonce }: { readonly issuedAt: Date; readonly walletNonce?: string },
  ): WireRequest {
    const common = {
      did: this.identity.asDid('ES256').id,
      responseUri: this.urls.presentationResponse(variant, this.secrets.handles.textOf(request)),
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
          ...encryption(request),
        };
      case 'draft-20':
        return {
          ...common,
          variant,
          responseType: combined(request),
          definition: this.definition(request, variant),
          ...encryption(request),
        };
      case 'draft-20-redirect':
        return { ...common, variant, definition: this.definition(request, variant) };
    }
  }

  private definition(request: RequestTerms, variant: 'draft-20' | 'draft-20-redirect') {
    const derived = deriveDefinition(request, variant, this.secrets.wireStateOf(request, variant));
    if ('unavailable' in derived) throw new Error(`a request of the unavailable variant ${variant}`);
    return derived.definition;
  }
}

/** The presentation definition of an older variant; its id is the `state` of the variant. */
export function deriveDefinition(
  request: Pick<RequestTerms, 'query'>,
  variant: 'draft-20' | 'draft-20-redirect',
  id: string,
) {
  return derivePresentationDefinition(queryOf(request), id, { variant, algorithms: verifiedAlgorithms });
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

export const allVariants: readonly RequestVariant[] = ['final', 'draft-20', 'draft-20-redirect', 'siopv2'];
