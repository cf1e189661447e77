import type { Repository } from '@app/event-store';
import { FindStandings, type Standing } from '@app/offers';
import { Inject } from '@nestjs/common';
import { IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from './credential';

@QueryHandler(FindStandings)
export class FindStandingsHandler implements IQueryHandler<FindStandings> {
  constructor(@Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>) {}

  async execute({ credentialIds }: FindStandings): Promise<Standing[]> {
    const standings: Standing[] = [];
    for (const id of credentialIds) {
      const { state, dataKey } = await this.credentials.load(id);
      if (state && state.status !== 'Prepared') standings.push('issued');
      else standings.push(dataKey ? 'prepared' : 'erased');
    }
    return standings;
  }
}
