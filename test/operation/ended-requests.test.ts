import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '../event-store/accounts';
import { answered, get, postJson } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { membershipVct } from '../support/presenters/credentials';
import { idCard, tokensFor } from '../support/presenters/holdings';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { serviceOfFile } from '../support/service/service-of-file';
import { newHolder } from '../support/wallets/key-proofs';
import { receive } from '../support/wallets/wallet';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const service = serviceOfFile();
const storage = AsyncLocalStorage.prototype;
const run = Object.getOwnPropertyDescriptor(storage, 'run') as { value: (...given: unknown[]) => unknown };
/** The contexts of the requests that the service has had, as long as something refers to them. */
const contexts: { readonly of: string; readonly context: WeakRef<object> }[] = [];
let step = '';

beforeAll(() => {
  const value = function (this: unknown, context: unknown, ...given: unknown[]): unknown {
    if (typeof context === 'object' && context !== null && 'request' in context)
      contexts.push({ of: step, context: new WeakRef(context) });
    return run.value.call(this, context, ...given);
  };
  Object.defineProperty(storage, 'run', { ...run, value });
});
afterAll(() => {
  Object.defineProperty(storage, 'run', run);
});

async function withoutConnections(): Promise<void> {
  const driver = service.app.get<SqlDriver>(SQL_DRIVER);
  const text = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  const counted = (): number => {
    const { idle = 0, busy = 0 } = driver.connections?.() ?? {};
    return idle + busy;
  };
  await driver.query({ name: '', text, values: [] });
  await eventually(() => counted() <= 1);
}

async function everyFlow(): Promise<void> {
  const { url } = service;
  const of = <T>(name: string, work: () => Promise<T>): Promise<T> => ((step = name), work());
  for (const path of ['/openapi.json', '/.well-known/openid-credential-issuer', '/jwks.json', '/readyz'])
    await of(path, () => get(`${url}${path}`));
  // Several at once, so that connections to the database are opened for them: those of the start were closed.
  await withoutConnections();
  await of('reading', () => Promise.all(Array.from({ length: 8 }, () => get(`${url}/v0/offers`))));
  const schema = { type: 'object', properties: { given_name: { pattern: '^[A-Z][a-z]+$' } } };
  const changes = { vct: membershipVct, revocable: true, schema };
  const template = await of('template', () => publishedTemplate(url, changes));
  const offer = await of('offer', () => prepareOffer(url, [template]));
  const holder = newHolder('ES256', 'did:jwk');
  const [credential = ''] = await of('issuing', () => receive(offer.link, 'F', { holders: [holder] }));
  const asked = await of('asking', () => ask(url, { dcql_query: { credentials: [idCard] } }));
  const received = await of('request object', () => receiveRequest(asked));
  const tokens = tokensFor({ holder, sdJwt: credential, jwtVc: credential }, received, [idCard.id]);
  await of('response', () => respond(received, { tokens }));
  expect(await of('result', () => resultOf(asked))).toMatchObject({ status: 'verified' });
  const credentialUrl = `${url}/v0/credentials/${offer.credentialIds[0] ?? ''}`;
  answered(204, await of('revocation', () => postJson(`${credentialUrl}/revoke`, {})));
}

describe('a request that has ended', () => {
  it('is kept by nothing that it was the first to use: no cache, connection, thread or timer', async () => {
    await everyFlow();
    step = '';
    const driver = service.app.get<SqlDriver>(SQL_DRIVER);
    const statements = [{}, { lane: 'reads' }, { lane: 'appends' }] as const;
    let kept = contexts;
    // Connections of clients close and deadlines are over after a while; those to the database are kept busy.
    for (let round = 0; round < 60 && kept.length > 0; round++) {
      const busy = statements.flatMap((lane) => Array.from({ length: 8 }, () => lane));
      await Promise.all(busy.map((lane) => driver.query({ ...lane, name: 'busy', text: 'select 1', values: [] })));
      await new Promise((resolve) => setTimeout(resolve, 200));
      collectGarbage();
      kept = contexts.filter(({ context }) => context.deref() !== undefined);
    }
    expect(contexts.length).toBeGreaterThan(20);
    expect(kept.map(({ of }) => of)).toEqual([]);
  });
});
