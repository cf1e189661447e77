import { Settings } from '@app/config';
import {
  type DigitalCredentialProtocol,
  type DigitalCredentialRequest,
  type DigitalCredentialTerms,
  renderUnsignedDigitalRequest,
} from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import { RequestSecrets } from './request-secrets';
import type { RequestTerms } from './request-terms';
import { sentTransactionData } from './transaction-data';
import { verifiedAlgorithms } from './verified-algorithms';

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
    private readonly secrets: RequestSecrets,
    private readonly settings: Settings,
  ) {}

  /** `undefined` when the request is not made for pages. */
  of(request: RequestTerms): DigitalCredentialAsk | undefined {
    const terms = request.variants.find(({ variant }) => variant === 'dc-api');
    const { query, encryptionKey } = request;
    if (!terms || !query) return undefined;
    const digital: DigitalCredentialTerms = {
      variant: 'dc-api',
      responseType: 'vp_token',
      nonce: terms.nonce,
      algorithms: verifiedAlgorithms,
      query,
      ...sentTransactionData(request),
      ...(encryptionKey && { encryption: encryptionKey }),
    };
    return {
      digitalCredential: { requests: [renderUnsignedDigitalRequest(digital)] },
      responseUrl: `${this.settings.applicationUrl}/r/${this.secrets.handles.textOf(request)}/digital_credential`,
    };
  }

  protocolsOf(_request: RequestTerms): readonly DigitalCredentialProtocol[] {
    return ['openid4vp-v1-unsigned'];
  }
}
