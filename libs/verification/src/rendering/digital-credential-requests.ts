import { OwnCertificates } from '@app/identity';
import { Settings } from '@app/config';
import type { JsonObject } from '@app/primitives/json';
import {
  type DigitalCredentialProtocol,
  type DigitalCredentialRequest,
  digitalCredentialProtocols,
  type DigitalCredentialTerms,
  renderDigitalRequestObject,
  renderSignedDigitalRequest,
  renderUnsignedDigitalRequest,
} from '@app/openid4vc';
import type { Awaitable } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { OwnRegistration } from '../question/own-registration';
import { RequestSecrets } from '../request/request-secrets';
import type { MadeRequest } from './request-links';
import type { RequestTerms } from '../request/request-terms';
import { sentTransactionData } from '../question/transaction-data';
import { verifiedAlgorithms } from '../question/verified-algorithms';

/** What a page needs to ask over the Digital Credentials API. */
export interface DigitalCredentialAsk {
  /** For `navigator.credentials.get({ digital })`. */
  readonly digitalCredential: { readonly requests: readonly DigitalCredentialRequest[] };
  /** Where the page posts what it gets. */
  readonly responseUrl: string;
}

/** A request as pages hand it to the wallet of their browser (OpenID4VP 1.0 appendix A). */
@Injectable()
export class DigitalCredentialRequests {
  constructor(
    private readonly certificates: OwnCertificates,
    private readonly secrets: RequestSecrets,
    private readonly registration: OwnRegistration,
    private readonly settings: Settings,
  ) {}

  /** `undefined` when the request is not made for pages. */
  of(made: MadeRequest): Awaitable<DigitalCredentialAsk | undefined> {
    const terms = made.request.variants.find(({ variant }) => variant === 'dc-api');
    const { query } = made.request;
    return terms && query && this.asked(made, terms.nonce, query);
  }

  private async asked(
    { request, createdAt }: MadeRequest,
    nonce: string,
    query: NonNullable<RequestTerms['query']>,
  ): Promise<DigitalCredentialAsk> {
    const { encryptionKey } = request;
    const digital: DigitalCredentialTerms = {
      variant: 'dc-api',
      responseType: 'vp_token',
      nonce,
      algorithms: verifiedAlgorithms,
      query,
      ...sentTransactionData(request),
      ...(encryptionKey && { encryption: encryptionKey }),
    };
    const signed = await this.signed(digital, request, createdAt);
    return {
      digitalCredential: { requests: [...(signed ? [signed] : []), renderUnsignedDigitalRequest(digital)] },
      responseUrl: `${this.settings.applicationUrl}/r/${this.secrets.handles.textOf(request)}/digital_credential`,
    };
  }

  /** By which protocols the request is made, so that it can be answered. */
  protocolsOf({ certificate }: RequestTerms): readonly DigitalCredentialProtocol[] {
    return certificate === undefined ? ['openid4vp-v1-unsigned'] : digitalCredentialProtocols;
  }

  /** In the name of the certificate that the request was made with; `undefined` without one, and when its key was revoked. */
  private async signed(
    digital: DigitalCredentialTerms,
    request: RequestTerms,
    createdAt: Date,
  ): Promise<DigitalCredentialRequest | undefined> {
    const { certificate, expectedOrigins = [], expiresAt } = request;
    const signer = certificate === undefined ? undefined : await this.certificates.find('requests', certificate);
    if (!signer) return undefined;
    const { header, payload } = renderDigitalRequestObject(digital, {
      clientId: `x509_hash:${signer.fingerprint}`,
      expectedOrigins,
      issuedAt: Math.floor(createdAt.getTime() / 1000),
      expiresAt: Math.floor(Date.parse(expiresAt) / 1000),
      ...this.registration.sentWith(request),
    });
    // The payload is JSON by construction.
    return renderSignedDigitalRequest(await signer.sign({ ...header }, payload as JsonObject));
  }
}
