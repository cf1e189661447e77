import { constantClaimsOrReason, type Denial, type DenialReason, denialReasonOf } from '@app/grants';
import { FindPromisedConfiguration } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { FindStandings } from './api';

/** What offers promise, as it stands when a wallet accepts them. */
@Injectable()
export class PromisedCredentials {
  constructor(private readonly queries: QueryBus) {}

  /** Which configurations are not issued now, read from the store, so that an offer is not used up in vain. */
  async denialsOf(configurationIds: readonly string[], isPublic: boolean): Promise<Denial[]> {
    const denials = await Promise.all(
      configurationIds.map(async (configurationId): Promise<Denial[]> => {
        const reason = await this.denialReason(configurationId, isPublic);
        return reason ? [{ configurationId, reason }] : [];
      }),
    );
    return denials.flat();
  }

  /** Whether anything happened to one of these credentials since it was prepared. */
  async isAnyUsed(credentialIds: readonly string[]): Promise<boolean> {
    const standings = await this.queries.execute(new FindStandings(credentialIds));
    return standings.some((standing) => standing !== 'prepared');
  }

  private async denialReason(configurationId: string, isPublic: boolean): Promise<DenialReason | undefined> {
    const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
    const reason = denialReasonOf(found);
    if (reason || !isPublic || found.status !== 'issuable') return reason;
    const claims = await constantClaimsOrReason(found.configuration);
    return typeof claims === 'string' ? claims : undefined;
  }
}
