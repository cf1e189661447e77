import type { FileMutants } from './mutant';

export const authorizationMutants: readonly FileMutants[] = [
  {
    file: 'libs/authorization/src/grants/grant-types.ts',
    tests: ['test/refusals/wallet-endpoints.test.ts'],
    mutants: [
      {
        noticed: 'an access token never expires',
        original: 'if (!grant || grant.now >= expiresAt) {',
        replacement: 'if (!grant) {',
      },
    ],
  },
  {
    file: 'libs/authorization/src/wallet-tokens.ts',
    tests: ['test/refusals/credential-request.test.ts'],
    mutants: [
      {
        noticed: 'the nonce of one wallet serves another',
        original: "const boundTo = grant?.hash.toString('hex');",
        replacement: 'const boundTo = undefined;',
      },
    ],
  },
  {
    file: 'libs/authorization/src/authorization-decisions.ts',
    tests: ['libs/authorization/src/authorization.spec.ts'],
    mutants: [
      {
        noticed: 'a code that was used twice leaves its token good',
        original: "events: revokeAuthorization(state, 'code-reused'), refusal: 'code-used'",
        replacement: "events: [], refusal: 'code-used'",
      },
      {
        noticed: 'a stolen code is redeemed without its verifier',
        original: "if (attempt.verifierHash !== state.codeChallenge) return 'wrong-verifier';",
      },
      {
        noticed: 'the code of one wallet is redeemed by another wallet of the same client',
        original: "if (attempt.instanceThumbprint !== state.instanceThumbprint) return 'other-wallet';",
      },
      {
        noticed: 'a code lives for ever',
        original: "if (isPast(state.expiresAt, attempt.now)) return 'code-expired';",
      },
      {
        noticed: 'a client gets a code for a person whom nobody has identified',
        original: "if (state.status !== 'identified') return { events: [], refusal: 'not-identified' };",
      },
    ],
  },
];
