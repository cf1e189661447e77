import { OwnCertificates, ServiceIdentity, WALLET_URLS } from '@app/identity';
import type { SignJws } from '@app/primitives/jose';
import {
  clientIdOf,
  type ClientIdPrefix,
  type FinalVariant,
  isByCertificate,
  isFinal,
  type PrefixedClient,
  type LinkVariant,
  type WalletUrls,
} from '@app/openid4vc';
import type { Awaitable } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import { RequestSecrets } from '../request/request-secrets';
import type { RequestTerms } from '../request/request-terms';

/** In whose name each variant of a request asks, and how its request object is signed. */
@Injectable()
export class RequestClients {
  constructor(
    private readonly identity: ServiceIdentity,
    private readonly certificates: OwnCertificates,
    private readonly secrets: RequestSecrets,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /** In whose name drafts and SIOPv2 ask. */
  get did(): string {
    return this.identity.asDid('ES256', 'requests').id;
  }

  responseUri(request: RequestTerms, variant: LinkVariant): string {
    return this.urls.presentationResponse(variant, this.secrets.addressedAs(request));
  }

  clientOf(request: RequestTerms, variant: FinalVariant): PrefixedClient {
    const prefix = prefixOf(request, variant);
    return { prefix, name: this.nameOf(request, variant, prefix) };
  }

  /** The client identifier of one variant, which is the audience of what is presented. */
  clientId(request: RequestTerms, variant: LinkVariant): string {
    return clientIdOf(
      isFinal(variant) ? { variant, client: this.clientOf(request, variant) } : { variant, did: this.did },
    );
  }

  /** Signs a request object of a variant; `undefined` when the key of the certificate that names it was revoked. */
  signerOf(request: RequestTerms, variant: LinkVariant): Awaitable<SignJws | undefined> {
    const prefix = isFinal(variant) ? prefixOf(request, variant) : 'decentralized_identifier';
    // Also after a rotation: the request stays the one that its link names.
    if (isByCertificate(prefix))
      return this.certificates.find('requests', certificateOf(request)).then((found) => found?.sign);
    return this.identity.asDid('ES256', 'requests').sign;
  }

  private nameOf(request: RequestTerms, variant: FinalVariant, prefix: ClientIdPrefix): string {
    switch (prefix) {
      case 'decentralized_identifier':
        return this.did;
      case 'redirect_uri':
        return this.responseUri(request, variant);
      case 'x509_hash':
        return certificateOf(request);
      case 'x509_san_dns':
        return hostOf(this.responseUri(request, variant));
    }
  }
}

/** HAIP 1.0 §5: signed requests are those of `x509_hash`. */
function prefixOf(request: RequestTerms, variant: FinalVariant): ClientIdPrefix {
  return variant === 'haip' ? 'x509_hash' : request.clientIdPrefix;
}

function certificateOf({ certificate }: RequestTerms): string {
  if (certificate === undefined) throw new Error('a request that is named by a certificate without one');
  return certificate;
}

export function hostOf(responseUri: string): string {
  return new URL(responseUri).hostname;
}
