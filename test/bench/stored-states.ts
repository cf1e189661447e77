import { Client } from 'pg';
import { settle } from './stored-credentials';

/** So many offers are in each state that few are in; they were created before all others. */
export const fewInState = 20;

/**
 * Adds states of offers: half of them redeemed and half expired, but for a few of each other state. Only what lists read;
 * they have neither events nor handles.
 */
export async function fillOffers(database: string, offers: number): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query(
    `insert into streams (stream_id, category, version, state, created_at, updated_at)
      select 'offer-' || id, 'offer', 2, jsonb_build_object('offerId', id, 'handleSalt', 'VbW2pKpPzq0nFZ0H3u6Gkw',
          'credentials', jsonb_build_array(jsonb_build_object('configurationId', 'card', 'credentialId', id)),
          'wrongTransactionCodes', 0, 'isFetched', true, 'status', status,
          'expiresAt', to_char((now() + case when is_few then interval '30 days' else n * interval '-1 second' end)
            at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        || case when status = 'redeemed' then '{"redeemedAt": "2026-01-01T10:00:00.000Z"}' else '{}' end::jsonb
        || case when is_public then '{"isPublic": true}' else '{}' end::jsonb,
        now() - n * interval '1 second' - interval '1 day', now()
      from (select n, gen_random_uuid()::text as id, $1 - n < 4 * $2 as is_few, ($1 - n) / $2 = 1 as is_public, case ($1 - n) / $2
          when 0 then 'open' when 1 then 'open' when 2 then 'offline' when 3 then 'locked'
          else case n % 2 when 0 then 'redeemed' else 'open' end end as status
        from generate_series(1, $1::integer) n) as offers`,
    [offers, fewInState],
  );
  await client.end();
  await settle(database);
}
