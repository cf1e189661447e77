import { EventStore, openDriver } from '@app/event-store';
import { credentialAggregate } from '@app/issuance';
import { openCheckingKeys } from '@app/keys';
import { offerAggregate } from '@app/offers';
import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Installation } from './service-process';

const perUnit = 20;
const unitsAtOnce = 16;

type Events<A> = A extends { evolve: (state: never, event: infer E) => unknown } ? E[] : never;

/** An issued credential with its offer, as a flow leaves them. */
interface Sample {
  readonly offerId: string;
  readonly credentialId: string;
  readonly offer: Events<typeof offerAggregate>;
  readonly credential: Events<typeof credentialAggregate>;
  /** Kinds of the values that both have used. */
  readonly used: readonly { readonly kind: string; readonly category: string }[];
  readonly dataKey: Buffer;
}

/**
 * Adds copies of the newest issued credential, its offer, its data key and the values it used, under ids of their own,
 * through the store's own units of work and statements, with proofs.
 * @param events to add, about
 */
export async function fillStore({ settings }: Installation, events: number): Promise<void> {
  const connectionString = settings['SERVICE__EVENT_STORE__CONNECTION_STRING'] ?? '';
  const driver = await openDriver({ type: 'postgres', connectionString });
  const { proofs } = await openCheckingKeys(driver, settings['SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD'] ?? '');
  const store = new EventStore(driver, undefined, proofs);
  const [offers, credentials] = [store.repository(offerAggregate), store.repository(credentialAggregate)];
  const sample = await newestIssued(connectionString);
  const ofSample = JSON.stringify({ offer: sample.offer, credential: sample.credential });
  const until = new Date(Date.now() + 24 * 60 * 60 * 1000);

  const copy = async (): Promise<void> => {
    const [offerId, credentialId] = [randomUUID(), randomUUID()];
    const renamed = ofSample.replaceAll(sample.offerId, offerId).replaceAll(sample.credentialId, credentialId);
    const { offer, credential } = JSON.parse(renamed) as Pick<Sample, 'offer' | 'credential'>;
    const usedBy = (category: string) =>
      sample.used
        .filter((used) => used.category === category)
        .map(({ kind }) => ({ kind, hash: randomBytes(32), expiresAt: until }));
    await offers.save(offerId, 0, offer, { consume: usedBy('offer') });
    await credentials.save(credentialId, 0, credential, { consume: usedBy('credential'), dataKey: sample.dataKey });
    await store.consume(...usedBy(''));
  };
  let left = Math.ceil(events / (sample.offer.length + sample.credential.length) / perUnit);
  const write = async (): Promise<void> => {
    while (left-- > 0) {
      await store.transact(async () => {
        for (let copies = 0; copies < perUnit; copies++) await copy();
      });
    }
  };
  await Promise.all(Array.from({ length: unitsAtOnce }, write));
  await store.close();
}

async function newestIssued(database: string): Promise<Sample> {
  return withClient(database, async (client) => {
    const { rows: found } = await client.query<{ offerId: string; credentialId: string }>(
      `select state->>'offerId' as "offerId", state->>'credentialId' as "credentialId" from streams
        where category = 'credential' and state->>'status' = 'Issued' order by created_at desc limit 1`,
    );
    const [ids] = found;
    if (!ids) throw new Error('There is no issued credential to copy.');
    const streams = [`offer-${ids.offerId}`, `credential-${ids.credentialId}`];
    const { rows: events } = await client.query<{ stream_id: string; event: never }>(
      `select stream_id, data || jsonb_build_object('type', type) as event from events
        where stream_id = any($1) order by stream_id, version`,
      [streams],
    );
    const { rows: used } = await client.query<{ kind: string; category: string }>(
      `select kind, split_part(stream_id, '-', 1) as category from consumed where stream_id = any($1)
        union all (select kind, '' from consumed where stream_id is null and note is null limit 1)`,
      [streams],
    );
    const { rows: keys } = await client.query<{ sealed_key: Buffer }>(
      'select sealed_key from data_keys where stream_id = any($1)',
      [streams],
    );
    const of = (stream: string | undefined) =>
      events.filter(({ stream_id }) => stream_id === stream).map(({ event }) => event);
    return {
      ...ids,
      offer: of(streams[0]),
      credential: of(streams[1]),
      used,
      dataKey: keys[0]?.sealed_key ?? Buffer.alloc(0),
    };
  });
}

/** Bytes of the whole database, after what autovacuum and the checkpointer would do in their own time. */
export async function settledSize(database: string): Promise<number> {
  return withClient(database, async (client) => {
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
    const { rows } = await client.query<{ size: string }>('select pg_database_size(current_database()) as size');
    return Number(rows[0]?.size);
  });
}

export async function countEvents(database: string): Promise<number> {
  return withClient(database, async (client) => {
    const { rows } = await client.query<{ count: string }>('select count(*) from events');
    return Number(rows[0]?.count);
  });
}

async function withClient<T>(database: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
