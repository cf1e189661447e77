import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { currentRequest } from '@app/http';
import { currentTenant } from '@app/primitives/context';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../support/http/event-stream';
import { OpenApiDocument } from '../support/openapi/document';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { audienceOf, type ServedRoute, servedRoutes } from '../support/service/routes';
import { type RunningService, startService } from '../support/service/service';
import { heldList, heldType } from './held';
import { type Held, invented, withoutSent } from './strangers';
import { type Sent, type Way, walletAnchor, ways } from './ways';

// Every address that wallets and people reach, called at one tenant with what another one gave: it answers what it answers a stranger,
// with as many statements, so in the same time. The management API: operations.test.ts. The console: console/tenants.test.ts.
const [a, b] = ['town-a', 'town-b'] as const;
let anchors: string;
let service: RunningService;
const at = (tenant: string): string => `${service.url}/t/${tenant}`;

beforeAll(async () => {
  anchors = mkdtempSync(join(tmpdir(), 'anchors-'));
  writeFileSync(join(anchors, 'wallets.pem'), walletAnchor);
  writeFileSync(join(anchors, 'wallets.yaml'), 'purposes: [wallet-provider]\n');
  service = await startService({
    SERVICE__TRUST__ANCHORS: anchors,
    // What leads nowhere is counted, which takes a statement: for each request at an address of its own.
    SERVICE__RATE_LIMITS__ENABLED: 'true',
    SERVICE__HTTP__TRUSTED_PROXIES: '127.0.0.1',
  });
  for (const tenantId of [a, b])
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
});
afterAll(async () => {
  await service.stop();
  rmSync(anchors, { recursive: true });
});

/** What is there to be read, and asks for nothing that anybody was given. */
const documents: readonly string[] = [
  ...['oauth-authorization-server', 'openid-configuration', 'openid-credential-issuer'].flatMap((name) => [
    `GET /.well-known/${name}/openid4vci`,
    `GET /openid4vci/.well-known/${name}`,
  ]),
  ...['/.well-known/jwt-vc-issuer/openid4vci', '/.well-known/did.json', '/did.json', '/jwks.json', '/status_lists'].map(
    (path) => `GET ${path}`,
  ),
  ...['POST /openid4vci/nonce', 'POST /openid4vci/challenge', 'GET /authorize/login/jwks.json'],
  ...['style.css', 'live.js', 'browser.js', 'leave.js', 'logo', 'colours/:file'].map((file) => `GET /pages/${file}`),
  ...['root', 'iaca'].map((name) => `GET /certificates/development-${name}.pem`),
  ...['GET /problems/:slug', 'GET /livez', 'GET /readyz'],
];
/** Of people who sign in, and what they load. */
const ofConsole = /^\w+ \/(?:console|docs|openapi\.json)(?:\/|$)/;

interface Seen {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** Configurations are listed once a second, for whoever asks then. */
const upkeep = 'list-oldest-where';
/** Failures of a moment are counted together, apart from the requests that wait for it. */
const counting = 'rate-limit-count';
let requests = 0;

/** What a caller sees, without what it sent and what is made by chance, and the statements in the name of the tenant meanwhile. */
async function ask(
  tenant: string,
  route: string,
  { path = {}, query = {}, headers = {}, body }: Sent,
  given: Held,
): Promise<{ readonly seen: Seen; readonly statements: readonly string[] }> {
  const [method = '', address = ''] = route.split(' ');
  const filled = address.replace(/:(\w+)/g, (_, name: string) => path[name] ?? 'any');
  const number = ++requests;
  const statements: string[] = [];
  const driver = service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
  const asIs = driver.query.bind(driver);
  const spied = jest.spyOn(driver, 'query').mockImplementation((statement) => {
    const isOfRequest = currentRequest() !== undefined || statement.name === counting;
    if (isOfRequest && currentTenant()?.id === tenant && statement.name !== upkeep) statements.push(statement.name);
    return asIs<never>(statement);
  });
  const reply = await (route.endsWith('/events') ? untilState : send)(
    `${at(tenant)}${filled}?${new URLSearchParams(query).toString()}`,
    {
      method,
      headers: {
        'x-request-id': 'walk',
        traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`,
        'x-forwarded-for': `10.0.${number >> 8}.${number & 255}`,
        ...headers,
      },
      body: body ?? null,
    },
  );
  spied.mockRestore();
  const without = (text: string): string => withoutSent(text, given).replace(/[\w-]{40,}/g, '(random)');
  const seen = {
    status: reply.status,
    headers: [...reply.headers]
      .filter(([name]) => name !== 'date')
      .map(([name, value]) => [name, without(value)] as const),
    text: without(reply.text),
  };
  return { seen, statements: statements.sort() };
}

/** The answer up to the first state of a page. */
async function untilState(url: string, { headers }: { readonly headers: Record<string, string> }): Promise<Seen> {
  const stream = await listen(url, headers);
  let text = '';
  while (text === '') text = (await stream.next())?.data ?? 'ended';
  stream.cut();
  return { status: stream.status, headers: Object.entries(stream.headers) as [string, string][], text };
}

const unlisted = (): ServedRoute[] => {
  const operations = new OpenApiDocument(JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Json).operations;
  const listed = operations.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
  return servedRoutes(service.app).filter(({ name }) => !listed.includes(name));
};

it('every address for wallets and people is walked', () => {
  const names = unlisted().map(({ name }) => name);
  expect(names.filter((name) => !ofConsole.test(name)).sort()).toEqual([...Object.keys(ways), ...documents].sort());
  const ofOffice = unlisted().filter((route) => audienceOf(route) === 'management');
  expect(ofOffice.filter(({ name }) => !ofConsole.test(name))).toEqual([]);
});

it('what everybody may read shows nothing of another tenant', async () => {
  const given = { ...(await heldType(at(a))), ...(await heldList(at(a))) };
  const paths = documents.flatMap((name) => (name.startsWith('GET ') ? [name.slice(4).replace(/:\w+/, 'any')] : []));
  const [ofA = '', ofB = ''] = await Promise.all(
    [a, b].map(async (tenant) =>
      (await Promise.all(paths.map((path) => get(at(tenant) + path)))).map(({ text }) => text).join(),
    ),
  );
  for (const value of [...Object.values(given), at(a)]) {
    expect(ofA).toContain(value);
    expect(ofB).not.toContain(value);
  }
});

const walked = Object.entries(ways).flatMap(([route, several]) =>
  several.map((way): [string, string, Way] => [route, way.what, way]),
);
const asked = new Set<string>();

describe('with what another tenant gave', () => {
  it.each(walked)('%s answers to %s as to one that nobody has', async (route, _what, { hold, sent, ...way }) => {
    const given = await hold(at(a));
    const strange = invented(given);
    const own = way.isBeside ? await hold(at(b)) : given;
    const stranger = await ask(b, route, await sent(strange, own, at(b)), strange);
    const answer = await ask(b, route, await sent(given, own, at(b)), given);
    expect(answer).toEqual(stranger);
    for (const name of answer.statements) asked.add(name);
    // It is of use where it is from, and has not been used up.
    const there = await ask(a, route, await sent(strange, given, at(a)), strange);
    const used = await ask(a, route, await sent(given, given, at(a)), given);
    if (way.isSilent) expect(used.seen).toEqual(there.seen);
    else expect(used.seen).not.toEqual(there.seen);
  });

  it('the database is asked', () => {
    expect([...asked]).toEqual(expect.arrayContaining(['load-by-handle', 'events-of-stream', 'append-presumed']));
  });
});
