import type { FileMutants } from './mutant';

/** What the second database is trusted with. */
export const erasureKeyMutants: readonly FileMutants[] = [
  {
    file: 'libs/event-store/src/erasure-keys/erasure-keys.ts',
    tests: ['test/erasure-keys/following.test.ts'],
    mutants: [
      {
        noticed: 'a second attempt to store a person replaces the key under which the first one was sealed',
        original: 'do update set made_at = excluded.made_at',
        replacement: 'do update set erasure_key = excluded.erasure_key',
      },
    ],
  },
  {
    file: 'libs/event-store/src/erasure-keys/sweep.ts',
    tests: ['test/erasure-keys/following.test.ts'],
    mutants: [
      {
        noticed: 'the key of a person who is being stored is swept away',
        original: "made_at < now() - interval '${after}'",
        replacement: 'true',
      },
      {
        noticed: 'the keys of all persons are swept away after thirty days',
        original:
          '      where (select true from data_keys k where k.stream_id = r.stream_id collate "C" limit 1) is null',
      },
    ],
  },
  {
    file: 'libs/event-store/src/erasure-keys/replay.ts',
    tests: ['test/erasure-keys/restored-backups.test.ts'],
    mutants: [
      {
        noticed: 'a replay erases everyone whose data key is as old as the backup',
        original: '(times.get(hash) ?? 0) >= madeAt',
        replacement: 'true',
      },
    ],
  },
];
