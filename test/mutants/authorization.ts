import type { FileMutants } from './mutant';

export const authorizationMutants: readonly FileMutants[] = [
  {
    file: 'libs/authorization/src/grants/refresh-token.grant.ts',
    tests: ['test/refusals/refresh-tokens.test.ts'],
    mutants: [
      {
        noticed: 'a refreshed token names credentials that are no longer issued',
        original: '[...granted.values()].flat().includes(id)',
        replacement: 'granted.size >= 0 && id',
      },
    ],
  },
  {
    file: 'libs/identity/src/attestation-statuses.ts',
    tests: ['libs/identity/src/attestation-statuses.spec.ts'],
    mutants: [
      {
        noticed: 'whoever attests keys says that revoked wallets are good',
        original: 'this.anchors.find(purpose)',
        replacement: "[...this.anchors.find(purpose), ...this.anchors.find('key-attester')]",
      },
      {
        noticed: 'another entity of a list of trusted entities says that revoked wallets are good',
        original: 'entity === undefined ||',
        replacement: "entity !== '' ||",
      },
      {
        noticed: 'a wallet is taken whose provider keeps its status no longer',
        original: 'exp === undefined || exp + CLOCK_SKEW_SECONDS',
        replacement: 'exp !== null || exp + CLOCK_SKEW_SECONDS',
      },
      {
        noticed: 'a wallet without a status is taken where one is required',
        original: "rule === 'required' && status",
        replacement: "rule === 'off' && status",
      },
      {
        noticed: 'a revoked client_status counts for nothing beside a status',
        original: '[status, kept]',
        replacement: '[status ?? kept]',
      },
    ],
  },
  {
    file: 'libs/authorization/src/identification/provider-words.ts',
    tests: ['libs/authorization/src/identification/provider-words.spec.ts'],
    mutants: [
      {
        noticed: 'a secret that a login provider repeats is in the log',
        original: ".reduce((words, secret) => words.replaceAll(secret, '…'), text)",
        replacement: '.reduce((words) => words, text)',
      },
      {
        noticed: 'a login provider writes lines of our log',
        original: ".replaceAll(/[\\p{C}\\p{Z}]+/gu, ' ')",
      },
    ],
  },
  {
    file: 'libs/authorization/src/identification/openid-provider.ts',
    tests: ['test/flows/login-at-provider.test.ts'],
    mutants: [
      {
        noticed: 'whoever brings back an error makes the readiness say that nobody can log in',
        original: ' && detail.status !== undefined',
      },
      {
        noticed: 'a token that whoever finds it can use is taken where bound ones are demanded',
        original: "if (dpop && tokens.token_type !== 'dpop') {",
        replacement: 'if (dpop && tokens.access_token === undefined) {',
        tests: ['test/flows/login-at-strict-provider.test.ts'],
      },
      {
        noticed: 'an ID token in clear is taken where an encrypted one is demanded',
        original: "if (idTokenEncrypted) assertEncrypted(tokens.id_token ?? '', 'ID token');",
        tests: ['test/flows/login-at-strict-provider.test.ts'],
      },
    ],
  },
  {
    file: 'libs/outbound/src/kept-document.ts',
    tests: ['libs/authorization/src/identification/provider-keys.spec.ts'],
    mutants: [
      {
        noticed: 'who signs by a key made just after ours were fetched is refused for a while',
        original: 'if (fetched !== undefined) this.askedAt = -Infinity;',
      },
      {
        noticed: 'made up key ids make us hammer the server of the keys',
        original: 'this.held ? this.times.coolDown : this.times.pause',
        replacement: '0',
      },
    ],
  },
  {
    file: 'libs/authorization/src/authorize/authorize.endpoint.ts',
    tests: ['test/flows/login-at-provider.test.ts'],
    mutants: [
      {
        noticed: 'whoever logs in as somebody else is still shown what is known of the first person',
        original: 'this.sessions.renewed(page.authorization)',
        replacement: 'page.session',
      },
    ],
  },
  {
    file: 'libs/authorization/src/authorize/authorization-steps.ts',
    tests: ['test/flows/login-at-provider.test.ts'],
    mutants: [
      {
        noticed: 'the claims of a person stay on the screen of whoever comes next',
        original: '      leaves: { afterSeconds, to: address },\n',
      },
      {
        noticed: 'a wrong person is sent from the page to the login provider and back without end',
        original: 'if (page.mismatch) return this.explain(page, page.mismatch, next.method);',
      },
      {
        noticed: 'the history of an authorization has nothing of the wrong person who came to its page',
        original: 'this.refused.note(page.authorization.authorizationId, refusal);',
      },
    ],
  },
  {
    file: 'libs/authorization/src/authorization-decisions.ts',
    tests: ['libs/authorization/src/authorization.spec.ts'],
    mutants: [
      {
        noticed: 'another browser is given the code of the person who agreed',
        original: "state.status === 'code-issued' && state.session === session && ",
        replacement: "state.status === 'code-issued' && ",
      },
      {
        noticed: 'another browser is told how a person decided',
        original: "state.status === 'refused' && state.answer?.session === answer.session",
        replacement: "state.status === 'refused' && state.answer",
      },
    ],
  },
  {
    file: 'libs/authorization/src/identification/known-claims.ts',
    tests: ['libs/authorization/src/identification/known-claims.spec.ts'],
    mutants: [
      {
        noticed: 'a login without the expected claim is taken for one of another person',
        original: "if (known === undefined || known === null) return 'unproven';",
      },
    ],
  },
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
        original: "events: revokeAuthorization(state, 'code-reused', attempt.now), refusal: 'code-used'",
        replacement: "events: [], refusal: 'code-used'",
      },
      {
        noticed: 'a stolen code is redeemed without its verifier',
        original: "if (attempt.verifierHash !== state.codeChallenge) return 'wrong-verifier';",
      },
      {
        noticed: 'the code of one wallet is redeemed by another wallet of the same client',
        original: "if (attempt.instanceKey !== state.instanceKey) return 'other-wallet';",
      },
      {
        noticed: 'a code lives for ever',
        original: "if (isPast(state.expiresAt, attempt.now)) return 'code-expired';",
      },
      {
        noticed: 'a client gets a code for a person whom nobody has identified',
        original:
          "if (state.status !== 'identified' || state.session !== session) return { events: [], refusal: 'not-identified' };",
      },
    ],
  },
  {
    file: 'libs/authorization/src/authorization-decisions.ts',
    tests: ['libs/authorization/src/authorization-tokens.spec.ts'],
    mutants: [
      {
        noticed: 'a refresh token gives more than the person agreed to',
        original: 'if (configurationIds?.some((id) => !state.configurationIds.includes(id))) {',
        replacement: 'if (configurationIds?.length === 0) {',
      },
      {
        noticed: 'what is known of the person outlives a revoked authorization',
        original: "return [{ type: 'AuthorizationRevoked', cause }, ...erasePerson(state, 'retention', now)];",
        replacement: "return [{ type: 'AuthorizationRevoked', cause }];",
      },
      {
        noticed: 'a public wallet refreshes with the key of another',
        original: 'return dpopKey !== tokenKey;',
        replacement: 'return false;',
      },
    ],
  },
  {
    file: 'libs/verification/src/page/requests-in-pages.ts',
    tests: ['test/flows/identified-by-presentation.test.ts'],
    mutants: [
      {
        noticed: 'a link that was passed on identifies the person who answers for the one who began',
        original: 'if (isReleased(request)) return',
        replacement: "if (isReleased(request) || request.status === 'withheld') return",
      },
    ],
  },
  {
    file: 'libs/verification/src/page/request-page.handlers.ts',
    tests: ['test/flows/identified-by-presentation.test.ts'],
    mutants: [
      {
        noticed: 'what a page asks in its own browser has a page for any other',
        original: ' || request.isAskedInPage',
      },
    ],
  },
  {
    file: 'libs/verification/src/management/verification.handlers.ts',
    tests: ['test/flows/identified-by-presentation.test.ts'],
    mutants: [
      {
        noticed: 'portals read by what somebody showed who they are',
        original: 'isReleased(request) && !request.isAskedInPage',
        replacement: 'isReleased(request)',
      },
    ],
  },
  {
    file: 'libs/authorization/src/dpop/dpop-proofs.ts',
    tests: ['libs/authorization/src/dpop/dpop-proofs.spec.ts'],
    mutants: [
      {
        noticed: 'a DPoP nonce lives longer than it should',
        original: '[0, 1].some((ago)',
        replacement: '[0, 1, 2].some((ago)',
      },
      {
        noticed: 'the nonce for DPoP proofs never changes',
        original: 'this.kept.nonce?.bucket !== bucket',
        replacement: '!this.kept.nonce',
      },
    ],
  },
  {
    file: 'libs/access/src/dpop/dpop-proof.ts',
    tests: ['libs/access/src/dpop/dpop-proof.spec.ts'],
    mutants: [
      {
        noticed: 'a DPoP proof of any time in the future is accepted',
        original: "  if (age < -CLOCK_SKEW_SECONDS) throw invalid('its iat is in the future');\n",
      },
      {
        noticed: 'a DPoP proof by one token is accepted with another',
        original: 'if (ath !== wanted)',
        replacement: 'if (ath === undefined)',
      },
    ],
  },
  {
    file: 'libs/authorization/src/grants/authorization-code.grant.ts',
    tests: ['test/refusals/authorization-code.test.ts'],
    mutants: [
      {
        noticed: 'a code_verifier can be guessed because it is short',
        original: '{43,128}$/u.test(text)',
        replacement: '{1,128}$/u.test(text)',
      },
    ],
  },
];
