import { EventStore } from '@app/event-store';
import { WalletErrorFilter, PublicEndpoint } from '@app/http';
import { Controller, Header, HttpCode, Post, UseFilters } from '@nestjs/common';
import { AttestationChallenges } from './attestation-challenges';

/** Challenges for wallets that authenticate by attestation (Attestation-Based Client Authentication draft 07 §8.1). */
@Controller('openid4vci/challenge')
@PublicEndpoint('wallets')
@UseFilters(WalletErrorFilter)
export class ChallengeEndpoint {
  constructor(
    private readonly store: EventStore,
    private readonly challenges: AttestationChallenges,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  challenge(): unknown {
    return { attestation_challenge: this.challenges.issue(this.store.clock()) };
  }
}
