import type { FileMutants } from './mutant';

export const offerMutants: readonly FileMutants[] = [
  {
    file: 'libs/offers/src/offer/offer.ts',
    tests: ['libs/offers/src/offer/offer.spec.ts'],
    mutants: [
      {
        noticed: 'an offer is valid for a millisecond too long',
        original: 'return now.getTime() >= Date.parse(offer.expiresAt);',
        replacement: 'return now.getTime() > Date.parse(offer.expiresAt);',
      },
      {
        noticed: 'an offer whose credential a person holds is withdrawn, and the portal believes it',
        original: "throw new Problem('conflict', `The offer ${offer.offerId} has already been redeemed.`);",
        replacement: "return [{ type: 'OfferWithdrawn' }];",
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/offer-attachment.ts',
    tests: ['libs/offers/src/offer/offer-attachment.spec.ts'],
    mutants: [
      {
        noticed: 'an offer takes two credentials of one configuration, of which a wallet can never have the second',
        original: 'if (place?.credentialId !== undefined && !isAwaited) {',
        replacement: 'if (place?.credentialId === configurationId) {',
      },
      {
        noticed: 'a portal changes what a person gets who accepted a poster',
        original: "offer.status === 'redeemed' && !isWithoutData(offer)",
        replacement: "offer.status === 'redeemed'",
        tests: ['test/flows/offers-by-authorization.test.ts'],
      },
      {
        noticed: 'data is submitted under an id that the waiting wallet never asks for',
        original: 'if (isAwaited && chosenId !== undefined && chosenId !== credentialId) {',
        replacement: 'if (isAwaited && chosenId === configurationId) {',
      },
    ],
  },
  {
    file: 'libs/offers/src/grants/authorization.handlers.ts',
    tests: ['test/flows/offers-by-authorization.test.ts'],
    mutants: [
      {
        noticed: 'the first person who accepts the offer of a poster uses it up',
        original: "if (!state.isPublic) return { events, result: { outcome: 'redeemed' } };",
        replacement: "if (state.status === 'open') return { events, result: { outcome: 'redeemed' } };",
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/public-claims.ts',
    tests: ['test/flows/offers-by-authorization.test.ts'],
    mutants: [
      {
        noticed: 'a code of a public offer redeems again and again',
        original: '{ consume: [...consume, ...used] }',
        replacement: '{ consume }',
        tests: ['test/flows/public-offer.test.ts'],
      },
      {
        noticed: 'a wallet that accepted a public offer has a token that is good for nothing',
        original: 'offer.state?.isPublic ? this.offers.load(authorizationId) : offer',
        replacement: 'offer',
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/offered-templates.ts',
    tests: ['test/flows/offers-by-authorization.test.ts'],
    mutants: [
      {
        noticed: 'a public offer of which nobody gets the data',
        original: 'if (!asked?.needsNoData)',
        replacement: 'if (!asked)',
      },
      {
        noticed: 'a public offer asks nobody who they are',
        original: "if (asked.identification !== 'portal') return asked;",
        replacement: 'return asked;',
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/offer-redemption.ts',
    tests: ['libs/offers/src/offer/offer.spec.ts'],
    mutants: [
      {
        noticed: 'an offer that expired, was used, locked or withdrawn is redeemed',
        original: "!isTakeable(offer, attempt.now) || !hasGrant(offer, 'pre-authorized_code')",
        replacement: "!hasGrant(offer, 'pre-authorized_code')",
      },
      {
        noticed: 'a pre-authorized code redeems an offer that is for a person who has logged in',
        original: "!isTakeable(offer, attempt.now) || !hasGrant(offer, 'pre-authorized_code')",
        replacement: '!isTakeable(offer, attempt.now)',
      },
      {
        noticed: 'a person who has agreed gets credentials that were not offered',
        original: 'if (!offersAll(offer, granted))',
        replacement: 'if (offer.credentials.length === 0)',
      },
      {
        noticed: 'an authorization redeems an offer that has no authorization code grant',
        original:
          "!isTakeable(offer, now) || !hasGrant(offer, 'authorization_code')) return { events: [], refusal: 'not-open' };\n  if (!offersAll",
        replacement: "!isTakeable(offer, now)) return { events: [], refusal: 'not-open' };\n  if (!offersAll",
      },
      {
        noticed: 'a transaction code can be guessed six times',
        original: 'offer.wrongTransactionCodes + 1 >= mostWrongTransactionCodes',
        replacement: 'offer.wrongTransactionCodes + 1 > mostWrongTransactionCodes',
      },
      {
        noticed: 'an offer is redeemed without its transaction code',
        original:
          "if (attempt.transactionCode === 'absent') return { events: [], refusal: 'transaction-code-missing' };",
      },
      {
        noticed: 'an offer is redeemed with a wrong transaction code',
        original: "if (attempt.transactionCode === 'differs')",
        replacement: "if (attempt.transactionCode === 'none')",
      },
      {
        noticed: 'a wallet gets a credential that the offer does not hold',
        original: 'return configurationIds.every((id) => offered.has(id));',
        replacement: 'return configurationIds.length > 0;',
      },
      {
        noticed: 'a portal never sees that a wallet fetched an offer that was redeemed at once',
        original: 'offer.isPublic ? [] : fetchOffer(offer, attempt.fetchedAt)',
        replacement: '[]',
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/repeated-answer.ts',
    tests: ['libs/offers/src/offer/repeated-answer.spec.ts'],
    mutants: [
      {
        noticed: 'one code has several winners',
        original: '!offer.isAnswerLost && ',
        replacement: 'false && ',
      },
      {
        noticed: 'another wallet gets the token of the one that redeemed',
        original: ' || offer.requestHash !== requestHash',
      },
      {
        noticed: 'a token is sent again without the transaction code',
        original: "if (transactionCode !== (offer.transactionCode ? 'matches' : 'absent')) return notOpen;",
      },
      {
        noticed: 'a token is sent again without limit',
        original: 'now.getTime() - Date.parse(redeemedAt) >= repeatableFor || ',
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/offer-reopening.ts',
    tests: ['libs/offers/src/offer/offer-reopening.spec.ts'],
    mutants: [
      {
        noticed: 'an offer whose credential a wallet holds gets a second link',
        original: 'if (standings.some(isIssued))',
        replacement: 'if (standings.length < 0)',
      },
      {
        noticed: 'an offer that was withdrawn is open again',
        original: "return 'was withdrawn: create another offer.';",
        replacement: 'return undefined;',
      },
      {
        noticed: 'an offer that was guarded by a transaction code is not any more',
        original: '{ transactionCode = keptCode(offer), ...terms }',
        replacement: '{ transactionCode, ...terms }',
      },
    ],
  },
  {
    file: 'libs/keys/src/proofs/public-handles.ts',
    tests: ['test/flows/reopened-offer.test.ts'],
    mutants: [
      {
        noticed: 'a link, code or token from before an offer was reopened still works',
        original: '(this.hashOf(found.state).equals(hash) ? decide(found) : none)',
        replacement: 'decide(found)',
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/offer-secrets.ts',
    tests: ['libs/offers/src/offer/offer-secrets.spec.ts'],
    mutants: [
      {
        noticed: 'a code that leaked weeks ago is still valid',
        original: 'const codeLifetime = 10 * 60 * 1000;',
        replacement: 'const codeLifetime = 100 * 24 * 60 * 60 * 1000;',
      },
      {
        noticed: 'a code is valid after its offer has expired',
        original: 'Math.min(now.getTime() + codeLifetime, Date.parse(offer.expiresAt))',
        replacement: 'now.getTime() + codeLifetime',
      },
      {
        noticed: 'every transaction code is right',
        original: 'return transactionCode?.digest === this.digest(given, transactionCode?.salt ?? handleSalt);',
        replacement: 'return transactionCode !== undefined;',
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/offer-options.ts',
    tests: ['libs/offers/src/offer/offer-options.spec.ts'],
    mutants: [
      {
        noticed: 'a wallet needs a transaction code that was not announced',
        original: 'if (offer.isFetched && setsTerms) {',
        replacement: 'if (false) {',
      },
    ],
  },
  {
    file: 'libs/offers/src/wallet/redemption.handlers.ts',
    tests: ['test/refusals/codes-and-sealed-claims.test.ts'],
    mutants: [
      {
        noticed: 'a token that was used is sent again',
        original: "if (await this.promised.isAnyUsed(held)) return { events: [], result: refused('not-open') };",
        tests: ['test/flows/lost-token.test.ts'],
      },
      {
        noticed: 'a code older than ten minutes is redeemed',
        original: "if (now >= code.expiresAt) return { events: [], result: refused('not-open') };",
      },
      {
        noticed: 'the right transaction code is answered with 503 while others guess',
        original: 'const attempts = 8;',
        replacement: 'const attempts = 4;',
      },
      {
        noticed: 'an offer is used up by a wallet that gets nothing',
        original: 'if (denials.length === configurationIds.length) {',
        replacement: 'if (denials.length < 0) {',
        tests: ['test/refusals/denied-credentials.test.ts'],
      },
      {
        noticed: 'a code with a changed character is an internal error',
        original: "if (!code) return refused('unknown-code');",
        tests: ['test/refusals/offer-and-token.test.ts'],
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/offer-secrets.ts',
    tests: ['libs/offers/src/offer/offer-secrets.spec.ts'],
    mutants: [
      {
        noticed: 'a repeated token request with another key gets a token of the first one',
        original: 'JSON.stringify(keyThumbprint === undefined ? asked : [...asked, keyThumbprint])',
        replacement: 'JSON.stringify(asked)',
      },
    ],
  },
];
