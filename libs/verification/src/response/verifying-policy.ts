import { Settings } from '@app/config';
import type { PresentationPolicy } from '@app/credentials';
import { IssuerDirectory, ServiceIdentity } from '@app/identity';
import { perTenant } from '@app/primitives/context';
import { Injectable } from '@nestjs/common';
import { PresentedStatuses } from './presented-statuses';
import { parseTrustList, trustPolicy } from './trusted-issuers';
import { verifiedAlgorithms } from '../question/verified-algorithms';

/** How presentations are judged: which algorithms, whose keys, whom to trust, and where to ask. */
@Injectable()
export class VerifyingPolicy {
  readonly policy: PresentationPolicy;

  constructor(settings: Settings, identity: ServiceIdentity, issuers: IssuerDirectory, statuses: PresentedStatuses) {
    const trust = (): Pick<PresentationPolicy, 'isTrusted'> => ({
      isTrusted: trustPolicy(
        parseTrustList(settings.verification.trustedIssuers),
        (issuer) => identity.isOwn(issuer),
        settings.profile === 'development',
      ),
    });
    const trusted = perTenant(trust(), trust);
    this.policy = {
      dids: issuers.dids,
      issuerKeys: issuers,
      algorithms: verifiedAlgorithms,
      statuses: statuses.checker,
      inheritance: issuers.inheritance,
      isTrusted: (...asked) => trusted.isTrusted(...asked),
    };
  }
}
