import type { Repository } from '@app/event-store';
import { FindStandings, type CredentialStanding } from '@app/offers';
import { Inject } from '@nestjs/common';
import { IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type Credential, type CredentialEvent, CREDENTIALS } from '../credential/credential';

@QueryHandler(FindStandings)
export class FindStandingsHandler implements IQueryHandler<FindStandings> {
  constructor(@Inject(CREDENTIALS) private readonly credentials: Repository<Credential, CredentialEvent>) {}

  execute({ credentialIds }: FindStandings): Promise<CredentialStanding[]> {
    return Promise.all(credentialIds.map((id) => this.standingOf(id)));
  }

  private async standingOf(credentialId: string): Promise<CredentialStanding> {
    const { state, dataKey } = await this.credentials.load(credentialId);
    if (!state || (!dataKey && !('issuedAt' in state))) return 'erased';
    // A wallet that has deleted it, or never kept it, is told of nothing else.
    if (state.status === 'Issued' || state.status === 'Accepted') {
      if (state.validity === 'Revoked') return 'revoked';
      if (state.validity === 'Suspended') return 'suspended';
    }
    switch (state.status) {
      case 'Issued':
        return 'issued';
      case 'Accepted':
        return 'accepted';
      case 'Refused':
        return 'refused';
      case 'Deleted':
        return 'deleted';
      case 'Requested':
        return 'requested';
      case 'Denied':
        return 'denied';
      case 'Prepared':
        return 'prepared';
    }
  }
}
