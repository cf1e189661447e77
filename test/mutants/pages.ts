import type { FileMutants } from './mutant';

export const pageMutants: readonly FileMutants[] = [
  {
    file: 'libs/pages/src/html.ts',
    tests: ['libs/pages/src/html.spec.ts'],
    mutants: [
      {
        noticed: 'the name of a template ends an attribute of the page and begins another one',
        original: `[&<>"']`,
        replacement: '[&<>]',
      },
    ],
  },
  {
    file: 'libs/pages/src/colours.ts',
    tests: ['libs/pages/src/colours.spec.ts'],
    mutants: [
      {
        noticed: 'text in the colours of a template cannot be read',
        original: 'given !== undefined && contrast(given, background) >= leastContrast',
        replacement: 'given !== undefined',
      },
    ],
  },
  {
    file: 'libs/pages/src/languages.ts',
    tests: ['test/flows/offer-page.test.ts'],
    mutants: [
      {
        noticed: 'Arabic runs from left to right',
        original: "language === 'ar' ? 'rtl' : 'ltr'",
        replacement: "'ltr'",
      },
    ],
  },
  {
    file: 'libs/offers/src/offer/offer-redemption.ts',
    tests: ['test/flows/offer-page.test.ts'],
    mutants: [
      {
        noticed: 'a person hears of one more try than there is',
        original: 'mostWrongTransactionCodes - wrongTransactionCodes - 1)',
        replacement: 'mostWrongTransactionCodes - wrongTransactionCodes)',
      },
    ],
  },
  {
    file: 'libs/pages/src/state-streams.ts',
    tests: ['libs/pages/src/state-streams.spec.ts'],
    mutants: [
      {
        noticed: 'one client takes every connection for live pages',
        original: 'own >= most.ofClient || ',
      },
      {
        noticed: 'pages that were closed count for good, until no page is live',
        original: '          this.leave(client);\n',
      },
    ],
  },
  {
    file: 'libs/pages/src/pages.ts',
    tests: ['test/flows/offer-page.test.ts'],
    mutants: [
      {
        noticed: 'handles can be guessed without a limit',
        original: "found === undefined ? this.limiter.count('unknown-page', visit.client).then(() => found) : found",
        replacement: 'found',
      },
    ],
  },
  {
    file: 'libs/offers/src/page/offer-page-state.ts',
    tests: ['libs/offers/src/page/offer-page-state.spec.ts'],
    mutants: [
      {
        noticed: 'a person is told that the credential is in the wallet before the wallet says so',
        original: "return has('issued') ? 'issued' : 'accepted';",
        replacement: "return 'accepted';",
      },
      {
        noticed: 'the page of a revoked credential says that all is well',
        original: "if (has('revoked')) return 'revoked';",
      },
    ],
  },
];
