import type { FileMutants } from './mutant';

export const databaseServerMutants: readonly FileMutants[] = [
  {
    file: 'libs/event-store/src/database/server-standing.ts',
    tests: ['libs/event-store/src/database/server-standing.spec.ts'],
    mutants: [
      {
        noticed:
          'the service goes back to a primary that was left behind by a promotion, and what it stores there is lost',
        original: '(timeline ?? 0) < (this.latest.get(cluster) ?? 0)',
        replacement: 'false',
      },
      {
        noticed: 'seeing the former primary once more makes it usable again',
        original: 'Math.max(timeline ?? 0, this.latest.get(cluster) ?? 0)',
        replacement: 'timeline ?? 0',
      },
      {
        noticed: 'a standby is used, and every write fails',
        original: "if (standby) return 'a standby';",
        replacement: '',
      },
    ],
  },
  {
    file: 'libs/event-store/src/database/servers.ts',
    tests: ['test/operation/failover.test.ts'],
    mutants: [
      {
        noticed: 'a start takes the former primary because it is written first',
        original: '(b.standing?.timeline ?? 0) - (a.standing?.timeline ?? 0) || rank(a) - rank(b)',
        replacement: 'rank(a) - rank(b)',
      },
    ],
  },
  {
    file: 'libs/http/src/idempotency/idempotency-keys.ts',
    tests: ['test/flows/idempotency.test.ts'],
    mutants: [
      {
        noticed: 'a portal is told that nothing was stored, although that is unknown',
        original: 'if (failure instanceof StoreUnavailableError) throw error;',
        replacement: '',
      },
    ],
  },
];
