import type { OfferForAuthorization } from '@app/offers';
import { FindCredentialConfiguration, type IdentifiedPerson, MapClaims, type MappedClaims } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { RefusalCause } from '../authorization';
import type { ShownCredential } from './authorize-page';

/** What the portal has submitted is not mapped from anything. */
const later: MappedClaims = { outcome: 'later' };

/** What goes into the credentials that a person is asked about, from what is known of them. */
@Injectable()
export class PersonData {
  constructor(private readonly queries: QueryBus) {}

  /** The credentials with their claims, or why they cannot be issued to this person. */
  async of(
    configurationIds: readonly string[],
    person: IdentifiedPerson,
    offer: OfferForAuthorization | undefined,
  ): Promise<readonly ShownCredential[] | RefusalCause> {
    const asked: ShownCredential[] = [];
    for (const configurationId of configurationIds) {
      const found = await this.queries.execute(new FindCredentialConfiguration(configurationId));
      // One that is not issued at present: the others are.
      if (!found) continue;
      const mapped =
        offer?.data === 'offer' ? later : await this.queries.execute(new MapClaims(configurationId, person));
      if (mapped.outcome === 'refused') {
        const { missing, invalid } = mapped;
        const reason = missing.length > 0 ? 'claims-missing' : 'claims-invalid';
        return { reason, claims: missing.length > 0 ? missing : invalid };
      }
      const claims = mapped.outcome === 'mapped' ? { claims: mapped.claims } : {};
      asked.push({ configurationId, display: found.display, ...claims });
    }
    return asked;
  }
}
