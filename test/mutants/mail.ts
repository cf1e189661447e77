import type { FileMutants } from './mutant';

export const mailMutants: readonly FileMutants[] = [
  {
    file: 'libs/mail/src/relay.ts',
    tests: ['test/mail/relay.test.ts'],
    mutants: [
      {
        noticed: 'whoever is on the way to the relay reads the links of all offers',
        original: "requireTLS: security === 'starttls',",
        replacement: 'requireTLS: false,',
      },
    ],
  },
  {
    file: 'libs/mail/src/mailers.ts',
    tests: ['test/mail/mail.test.ts'],
    mutants: [
      {
        noticed: 'a run of thousands goes out at once, and the relay blocks the sender',
        original: 'Math.min(free, batch)',
        replacement: 'batch',
      },
    ],
  },
];
