import { Settings } from '@app/config';
import { type PresentationPolicy, StatusChecker } from '@app/credentials';
import { IssuerDirectory, ServiceIdentity, WALLET_URLS } from '@app/identity';
import type { WalletUrls } from '@app/openid4vc';
import { StatusOfOwnEntry } from '@app/status';
import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { parseTrustList, trustPolicy } from './trust';

/** What we verify, preferred first, under every name. */
export const verifiedAlgorithms = ['ES256', 'EdDSA', 'ES384', 'Ed25519'] as const;

/** How presentations are judged: which algorithms, whose keys, whom to trust, and where to ask. */
@Injectable()
export class VerifyingPolicy {
  readonly policy: PresentationPolicy;

  constructor(
    settings: Settings,
    identity: ServiceIdentity,
    issuers: IssuerDirectory,
    queries: QueryBus,
    @Inject(WALLET_URLS) urls: WalletUrls,
  ) {
    const { dids, fetchStatusList } = issuers;
    this.policy = {
      dids,
      issuerKeys: issuers,
      algorithms: verifiedAlgorithms,
      statuses: new StatusChecker({
        fetchDocument: fetchStatusList,
        issuerKeys: issuers,
        algorithms: verifiedAlgorithms,
        undetermined: settings.verification.undeterminedStatus,
        own: {
          isOwn: (uri, issuer) => identity.isOwn(issuer) && uri.startsWith(`${urls.statusLists}/`),
          statusAt: (uri, index) => queries.execute(new StatusOfOwnEntry(uri, index)),
        },
      }),
      isTrusted: trustPolicy(
        parseTrustList(settings.verification.trustedIssuers),
        (issuer) => identity.isOwn(issuer),
        settings.profile === 'development',
      ),
    };
  }
}
