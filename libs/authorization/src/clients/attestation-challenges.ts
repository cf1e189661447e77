import { SealedTokens } from '@app/keys';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';

const purpose = 'attestation-challenge';
const length = 32;
/** Milliseconds. */
const lifetime = 300_000;

/** Challenges for the proofs of wallet attestations (Attestation-Based Client Authentication draft 07 §8). */
@Injectable()
export class AttestationChallenges {
  constructor(private readonly tokens: SealedTokens) {}

  issue(now: Date): string {
    return this.tokens.issue(purpose, randomBytes(length), new Date(now.getTime() + lifetime));
  }

  /** Whether it was issued here and has not expired. */
  isCurrent(challenge: string, now: Date): boolean {
    return typeof this.tokens.read(purpose, challenge, length, now) !== 'string';
  }
}
