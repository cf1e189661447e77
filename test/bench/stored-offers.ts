import { Client } from 'pg';
import { settle } from './stored-credentials';

/**
 * Fills a database that has a redeemed offer or more with copies of the newest one: its events, states, single-use
 * values and data key under fresh random ids, so that indexes grow as they would in life.
 * @param copies offers to add
 */
export async function copyOffers(database: string, copies: number): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ offer: string; credential: string }>(newestIssued);
  const [sample] = rows;
  if (!sample) throw new Error('There is no issued credential to copy.');
  const ids = [sample.offer, sample.credential];
  await client.query(
    `create temp table copies as
      select gen_random_uuid()::text as offer, gen_random_uuid()::text as credential,
        now() - random() * interval '30 days' as at
      from generate_series(1, $1)`,
    [copies],
  );
  await client.query('begin');
  await client.query(copyEvents, ids);
  await client.query(copyStates, ids);
  await client.query(copyValues, ids);
  await client.query(copyNonces);
  await client.query(copyDataKeys, ids);
  await client.query('commit');
  await client.end();
  await settle(database);
}

const newestIssued = `select state->>'offerId' as offer, state->>'credentialId' as credential
  from streams where category = 'credential' and state->>'status' = 'Issued' order by created_at desc limit 1`;

/** $1 and $2: ids of the sample's offer and credential. */
const renamed = (column: string): string => `replace(replace(${column}, $1, c.offer), $2, c.credential)`;
const ofSample = `stream_id in ('offer-' || $1, 'credential-' || $2)`;

const copyEvents = `insert into events (stream_id, version, type, data, metadata, recorded_at)
  select ${renamed('stream_id')}, version, type, ${renamed('data::text')}::jsonb, metadata, c.at
  from copies c, events where ${ofSample}`;

const copyStates = `insert into streams (stream_id, category, parent, version, state, created_at, updated_at)
  select ${renamed('stream_id')}, category, ${renamed('parent')}, version, ${renamed('state::text')}::jsonb, c.at, c.at
  from copies c, streams where ${ofSample}`;

const copyValues = `insert into consumed (kind, value_hash, stream_id, expires_at)
  select kind, sha256(convert_to(kind || c.offer, 'utf8')), ${renamed('stream_id')}, expires_at
  from copies c, consumed where ${ofSample}`;

const copyNonces = `insert into consumed (kind, value_hash, expires_at)
  select 'c_nonce', sha256(convert_to('c_nonce' || offer, 'utf8')), now() + interval '5 minutes' from copies`;

const copyDataKeys = `insert into data_keys (stream_id, sealed_key)
  select ${renamed('stream_id')}, sealed_key from copies c, data_keys where ${ofSample}`;
