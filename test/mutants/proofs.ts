import type { FileMutants } from './mutant';

const tampering = 'test/event-store/tampering.test.ts';

export const proofMutants: readonly FileMutants[] = [
  {
    file: 'libs/event-store/src/proofs/proofs.ts',
    tests: [tampering],
    mutants: [
      {
        noticed: 'the time of an event can be changed',
        original: 'streamId, version, type, recordedAt]',
        replacement: 'streamId, version, type, recordedAt.slice(0, 10)]',
      },
      {
        noticed: 'the link of one offer can be made to open another',
        original: 'canonicalJson([kind, hash, streamId, expiry, note])',
        replacement: 'canonicalJson([kind, hash, expiry, note])',
      },
    ],
  },
  {
    file: 'libs/event-store/src/proofs/proven-events.ts',
    tests: [tampering],
    mutants: [
      {
        noticed: 'an event that was added by hand passes for one of the service',
        original: 'holds: proofs && false }',
        replacement: 'holds: undefined }',
      },
    ],
  },
  {
    file: 'libs/event-store/src/verification/verify-checkpoints.ts',
    tests: [tampering],
    mutants: [
      {
        noticed: 'an event can lose its proof without being reported',
        original: 'if (digestOf(checkpoint.lines) !== checkpoint.digest)',
        replacement: 'if (digestOf(checkpoint.lines) === undefined)',
      },
      {
        noticed: 'a whole stream can be taken out',
        original: 'if (isDone) return;',
        replacement: 'return;',
      },
      {
        noticed: 'a checkpoint can be taken out',
        original: 'if (number > next) watch.finding(',
        replacement: 'if (number < 0) watch.finding(',
      },
    ],
  },
  {
    file: 'libs/event-store/src/proofs/checkpoint-start.ts',
    tests: [tampering],
    mutants: [
      {
        noticed: 'no checkpoint is taken any more once the position is moved ahead',
        original: 'after: isAhead ? covered : kept,',
        replacement: 'after: kept,',
      },
    ],
  },
  {
    file: 'libs/event-store/src/verification/uncovered-events.ts',
    tests: [tampering],
    mutants: [
      {
        noticed: 'an event can be put among those of before',
        original: "if (this.pending.length === 0 || tx === '0') return;",
        replacement: 'return;',
      },
    ],
  },
  {
    file: 'libs/event-store/src/proofs/checkpoint-taker.ts',
    tests: [tampering],
    mutants: [
      {
        noticed: 'an event that was committed late is in no checkpoint',
        original: ' and tx < pg_snapshot_xmin(pg_current_snapshot())',
      },
    ],
  },
];
