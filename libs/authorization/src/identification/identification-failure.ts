import type { RefusedStep } from '@app/openid4vc';
import type { ErrorForClient, RefusalCause } from '../authorization';

/** It was not found out who the person is: the request ends. */
export class IdentificationFailure extends Error {
  /**
   * @param refusal as the portal sees it
   * @param error as the wallet is told
   */
  constructor(
    readonly refusal: RefusalCause,
    readonly error: ErrorForClient = 'access_denied',
    options?: ErrorOptions,
  ) {
    super(`The person was not identified: ${refusal.reason}.`, options);
  }
}

/** Why a person who was identified may not have what was asked for: it is for another one, or it cannot be told for whom. */
const mismatches = ['unexpected', 'unproven'] as const;
export type Mismatch = (typeof mismatches)[number];

export function mismatchIn(text: string | null): Mismatch | undefined {
  return mismatches.find((one) => one === text);
}

/** As events and timelines name it. */
export const mismatchReasons: Readonly<Record<Mismatch, string>> = {
  unexpected: 'unexpected-person',
  unproven: 'expected-claim-missing',
};

/** The request goes on: somebody else can be identified in its page. */
export class UnexpectedPerson extends Error {
  constructor(
    readonly mismatch: Mismatch,
    readonly refusal: RefusedStep,
  ) {
    super(`Another person is expected: ${mismatchReasons[mismatch]}.`);
  }
}
