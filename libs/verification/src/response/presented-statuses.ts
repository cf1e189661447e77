import { Settings } from '@app/config';
import { StatusChecker } from '@app/credentials';
import { IssuerDirectory, ServiceIdentity } from '@app/identity';
import { type EventCounter, Metrics } from '@app/observability';
import { StatusOfOwnEntry } from '@app/status';
import { Injectable, Logger } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { verifiedAlgorithms } from '../question/verified-algorithms';

/** Statuses of presented credentials, which leave no events of their own. */
export const statusCounter: EventCounter = {
  category: 'presented_status',
  name: 'presented_statuses_total',
  help: 'Presented credentials with a status, by what it was; undetermined: no sound statement of the issuer',
  series: [{ outcome: 'valid' }, { outcome: 'suspended' }, { outcome: 'revoked' }, { outcome: 'undetermined' }],
  seriesOf: () => undefined,
};

/** Checks the statuses of presented credentials, and counts them. */
@Injectable()
export class PresentedStatuses {
  readonly checker: StatusChecker;
  private readonly logger = new Logger(PresentedStatuses.name);

  constructor(
    settings: Settings,
    identity: ServiceIdentity,
    issuers: IssuerDirectory,
    queries: QueryBus,
    metrics: Metrics,
  ) {
    this.checker = new StatusChecker({
      fetchDocument: issuers.fetchStatusList,
      issuerKeys: issuers,
      algorithms: verifiedAlgorithms,
      get undetermined() {
        return settings.verification.undeterminedStatus;
      },
      own: {
        isOwn: (uri, issuer, signer) =>
          identity.isOwnStatusList(uri) && (signer ? identity.isDocumentKey(signer) : identity.isOwn(issuer)),
        statusAt: (uri, index) => queries.execute(new StatusOfOwnEntry(uri, index)),
      },
      observe: (outcome, reason) => {
        metrics.count(statusCounter, { outcome });
        if (outcome === 'undetermined') this.logger.warn({ event: 'status.undetermined', reason });
      },
    });
    issuers.onTrustChange(() => {
      this.checker.forgetLists();
    });
  }
}
