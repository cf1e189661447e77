import type { EventStore, SingleUse } from '@app/event-store';
import { createHash } from 'node:crypto';
import { HttpReply } from '../context/http-reply';
import { IdempotencyKeys, type KeyedHashes } from './idempotency-keys';
import type { AnswerSeals } from './idempotent-answer';

const sealer = {
  seal: (key: Buffer, text: string) => `${key.toString('hex')}|${text}`.replaceAll('.', ' '),
  open: (key: Buffer, sealed: string) => {
    const [sealedBy, text = ''] = sealed.split('|');
    if (sealedBy !== key.toString('hex')) throw new Error('it was sealed with another key');
    return Buffer.from(text);
  },
} as unknown as AnswerSeals;

describe('an idempotency key that is used again', () => {
  it('gets its answer, also when the active root key changes while it is looked up', async () => {
    const rows = new Map<string, string | undefined>();
    let root = 'first';
    let changed = (): void => undefined;
    const authenticator = {
      mac: (...parts: string[]) =>
        createHash('sha256')
          .update([root, ...parts].join())
          .digest(),
      others: () => [],
    } as unknown as KeyedHashes;
    const store = {
      clock: () => new Date(),
      transact: <T>(work: () => Promise<T>) => work(),
      consume: ({ hash, note }: SingleUse) => Promise.resolve(rows.set(hash.toString('hex'), note)),
      noteOf: (_: string, hash: Buffer) => {
        changed();
        return Promise.resolve(rows.get(hash.toString('hex')));
      },
    } as unknown as EventStore;
    const keys = new IdempotencyKeys(store, authenticator, sealer);
    const request = { client: 'portal', key: 'key-1', fingerprints: ['print'] };
    const once = () => keys.once(request, () => Promise.resolve(new HttpReply(201, { made: true })));
    expect((await once()).status).toBe(201);
    changed = () => (root = 'second');
    expect((await once()).headers).toMatchObject({ 'Idempotent-Replayed': 'true' });
  });
});
