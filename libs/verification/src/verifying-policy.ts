import { Settings } from '@app/config';
import { type PresentationPolicy, StatusChecker } from '@app/credentials';
import { IssuerDirectory, ServiceIdentity } from '@app/identity';
import { Injectable } from '@nestjs/common';
import { parseTrustList, trustPolicy } from './trust';

/** What we verify, preferred first, under every name. */
export const verifiedAlgorithms = ['ES256', 'EdDSA', 'ES384', 'Ed25519'] as const;

/** How presentations are judged: which algorithms, whose keys, whom to trust, and where to ask. */
@Injectable()
export class VerifyingPolicy {
  readonly policy: PresentationPolicy;

  constructor(settings: Settings, identity: ServiceIdentity, issuers: IssuerDirectory) {
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
      }),
      isTrusted: trustPolicy(
        parseTrustList(settings.verification.trustedIssuers),
        (issuer) => identity.isOwn(issuer),
        settings.profile === 'development',
      ),
    };
  }
}
