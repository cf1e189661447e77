import { allThere } from '@app/primitives/awaitable';
import { FindPromisedConfiguration, type PromisedConfiguration } from '@app/templates';
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
    const all = await allThere(
      configurationIds.map((configurationId) => this.queries.execute(new FindPromisedConfiguration(configurationId))),
    );
    const denials: Denial[] = [];
    for (const [index, configurationId] of configurationIds.entries()) {
      const found = all[index];
      const reason = found && (isConstant ? await openReason(found) : denialReasonOf(found));
      if (reason) denials.push({ configurationId, reason });
    }
    return denials;
  }

  /** Whether anything happened to one of these credentials since it was prepared. */
  async isAnyUsed(credentialIds: readonly string[]): Promise<boolean> {
    const standings = await this.queries.execute(new FindStandings(credentialIds));
    return standings.some((standing) => standing !== 'prepared');
  }
}

/** As `denialReasonOf`, of a credential whose claims are the same for all. */
async function openReason(found: PromisedConfiguration): Promise<DenialReason | undefined> {
  const reason = denialReasonOf(found);
  if (reason || found.status !== 'issuable') return reason;
  const claims = await constantClaimsOrReason(found.configuration);
  return typeof claims === 'string' ? claims : undefined;
}
