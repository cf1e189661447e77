import { Client } from 'pg';
import { json } from './flow';
import type { HttpClient } from './http-client';

const perCall = 1_000;
/** Credentials of the rare template: ten, spread over the first thousand. */
const isRare = (number: number): boolean => number < 1_000 && number % 100 === 99;

/** What the credentials of a large store are of. */
export interface Templates {
  readonly common: string;
  readonly rare: string;
}

export async function publishTemplates(client: HttpClient): Promise<Templates> {
  const publish = async (title: string): Promise<string> => {
    const schema = { type: 'object', properties: { given_name: { type: 'string' }, level: { type: 'integer' } } };
    const body = { title, format: 'dc+sd-jwt', status: 'Published', schema };
    const created = await client.send({ method: 'POST', path: '/v0/templates', ...json(body) });
    return (JSON.parse(created) as { templateId: string }).templateId;
  };
  return { common: await publish('Common card'), rare: await publish('Rare card') };
}

/** Submits credentials in batches, each in an offer of its own called `offer-<number>`. Throws unless all are accepted. */
export async function handIn(client: HttpClient, templates: Templates, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += perCall) {
    const count = Math.min(perCall, to - first);
    const credentials = Array.from({ length: count }, (_, index) => ({
      offerId: `offer-${first + index}`,
      templateId: isRare(first + index) ? templates.rare : templates.common,
      credential: { credentialSubject: { given_name: 'Ada', level: first + index } },
    }));
    const answer = await client.send({ method: 'POST', path: '/v0/credentials/batch', ...json({ credentials }) });
    const { items } = JSON.parse(answer) as { items: { status: number }[] };
    const taken = items.filter(({ status }) => status === 201).length;
    if (taken < count) throw new Error(`Only ${taken} of ${count} credentials were taken.`);
  }
}

/** What autovacuum and the checkpointer would do in their own time must not fall into the measurement. */
export async function settle(database: string): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  await client.end();
}
