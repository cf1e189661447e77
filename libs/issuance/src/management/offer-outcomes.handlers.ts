import type { Repository } from '@app/event-store';
import { type TimelineEntry, timelineOf } from '@app/http';
import { FindOutcomes } from '@app/offers';
import { Inject } from '@nestjs/common';
import { IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';
import { credentialEvents } from '../credential/credential-events';

@QueryHandler(FindOutcomes)
export class FindOutcomesHandler implements IQueryHandler<FindOutcomes> {
  constructor(@Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>) {}

  async execute({ credentialIds }: FindOutcomes): Promise<readonly TimelineEntry[]> {
    const outcomes = await Promise.all(credentialIds.map((id) => this.outcomesOf(id)));
    return outcomes.flat();
  }

  private async outcomesOf(credentialId: string): Promise<TimelineEntry[]> {
    const history = await this.credentials.events(credentialId);
    const outcomes = history.filter(({ event }) => isOutcome(event));
    return timelineOf(outcomes, credentialEvents).map(({ at, step, outcome, detail }) => {
      const text = typeof detail === 'string' ? detail : '';
      return { at, step: `credential ${step}`, outcome, detail: `${credentialId}: ${text}` };
    });
  }
}

/** What else happens to a credential is in its own timeline, and in that of the offer as far as that brought it about. */
function isOutcome({ type }: CredentialEvent): boolean {
  return (
    type === 'CredentialIssued' ||
    type === 'CredentialReissued' ||
    type === 'CredentialAccepted' ||
    type === 'CredentialRefused' ||
    type === 'CredentialDeleted'
  );
}
