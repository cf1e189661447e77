import { FindPromisedConfiguration } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { constantClaimsOrReason, denialReasonOf } from './denial-reason';
import type { Denial, DenialReason } from './denial';
import { FindStandings } from '../api';
import { isWithoutData, type Offer } from './offer';

/** What offers promise, as it stands when a wallet accepts them. */
@Injectable()
export class PromisedCredentials {
  constructor(private readonly queries: QueryBus) {}

  /** Which configurations are not issued now, read from the store, so that an offer is not used up in vain. */
  async denialsOf(configurationIds: readonly string[], offer: Offer): Promise<Denial[]> {
    const isConstant = offer.isPublic === true && !isWithoutData(offer);
    const denials = await Promise.all(
      configurationIds.map(async (configurationId): Promise<Denial[]> => {
        const reason = await this.denialReason(configurationId, isConstant);
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

  private async denialReason(configurationId: string, isConstant: boolean): Promise<DenialReason | undefined> {
    const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
    const reason = denialReasonOf(found);
    if (reason || !isConstant || found.status !== 'issuable') return reason;
    const claims = await constantClaimsOrReason(found.configuration);
    return typeof claims === 'string' ? claims : undefined;
  }
}
