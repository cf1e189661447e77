import { Client } from 'pg';
import { type Effect, effects, type Stored } from './history';

const types: Readonly<Record<Effect, string>> = {
  offer: 'OfferCreated',
  credential: 'CredentialPrepared',
  redemption: 'OfferRedeemed',
  issue: 'CredentialIssued',
  withdrawal: 'OfferWithdrawn',
};

/** Counts the events of each effect: of credentials that were prepared for each offer, of others for each stream. */
export async function readStored(database: string): Promise<Stored> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    const counts = await Promise.all(effects.map(async (effect) => [effect, await countsOf(client, effect)] as const));
    return Object.fromEntries(counts) as Record<Effect, Map<string, number>>;
  } finally {
    await client.end();
  }
}

async function countsOf(client: Client, effect: Effect): Promise<Map<string, number>> {
  const object = effect === 'credential' ? 's.parent' : `substr(e.stream_id, strpos(e.stream_id, '-') + 1)`;
  const { rows } = await client.query<{ object: string; times: number }>(
    `select ${object} as object, count(*)::int as times from events e join streams s using (stream_id)
     where e.type = $1 group by 1`,
    [types[effect]],
  );
  return new Map(rows.map(({ object, times }) => [object, times]));
}
