import { Settings } from '@app/config';
import {
  DID_DOCUMENT_TYPES,
  DidResolver,
  type FetchForVerifier,
  IssuerKeys,
  type PresentationPolicy,
  StatusChecker,
  thumbprint,
} from '@app/credentials';
import { WALLET_URLS } from '@app/http';
import { ServiceIdentity } from '@app/identity';
import { KeyRing } from '@app/keys';
import { renderDidDocument, renderJwtVcIssuerMetadata, type WalletUrls } from '@app/openid4vc';
import { OutboundClient } from '@app/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { verifiedAlgorithms } from './request-rendering';
import { parseTrustList, trustPolicy } from './trust';

/** How presentations are judged: which algorithms, whose keys, whom to trust, and where to ask. */
@Injectable()
export class VerifyingPolicy {
  readonly policy: PresentationPolicy;

  constructor(
    settings: Settings,
    identity: ServiceIdentity,
    outbound: OutboundClient,
    private readonly keys: KeyRing,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {
    const fetchDocument: FetchForVerifier = (url, accept) => this.own(url) ?? outbound.get(url, { accept });
    const { protocol, host } = new URL(settings.applicationUrl);
    // Behind https our own did:web is an https document too, or it would not be recognised as our own.
    const plainHttpHosts = [...settings.outbound.allowPrivateHosts, ...(protocol === 'http:' ? [host] : [])];
    const dids = new DidResolver({
      fetchDocument: async (url) => ({ status: 200, ...(await fetchDocument(url, DID_DOCUMENT_TYPES)) }),
      plainHttpHosts,
    });
    const published = new IssuerKeys({
      fetchDocument,
      dids,
      plainHttpHosts,
      isRevoked: (jwk) => keys.isRevoked(thumbprint(jwk)),
    });
    const issuerKeys: PresentationPolicy['issuerKeys'] = {
      find: async (header, issuer, now) => {
        if (issuer === urls.issuer || issuer === urls.did) await this.learn(header['kid']);
        return published.find(header, issuer, now);
      },
    };
    this.policy = {
      dids,
      issuerKeys,
      algorithms: verifiedAlgorithms,
      statuses: new StatusChecker({ fetchDocument, issuerKeys, algorithms: verifiedAlgorithms }),
      isTrusted: trustPolicy(
        parseTrustList(settings.verification.trustedIssuers),
        (issuer) => identity.isOwn(issuer),
        settings.profile === 'development',
      ),
    };
  }

  /** Another replica may sign with a new key before this one has read it. @param kid thumbprint, or DID URL ending with it */
  private async learn(kid: unknown): Promise<void> {
    if (typeof kid === 'string') await this.keys.publicKey(kid.slice(kid.indexOf('#') + 1));
  }

  /** Our own key documents, without a way round through the network, which may not even lead here. */
  private own(url: string): ReturnType<FetchForVerifier> | undefined {
    const document =
      url === this.urls.jwtVcIssuer
        ? renderJwtVcIssuerMetadata(this.urls, this.keys.publicKeys())
        : url === this.urls.didDocument
          ? renderDidDocument(this.urls.did, this.keys.publicKeys())
          : undefined;
    if (!document) return undefined;
    const body = Buffer.from(JSON.stringify(document));
    return Promise.resolve({ body, contentType: 'application/json', cacheable: false });
  }
}
