import { OutboundClient, OutboundError } from '@app/outbound';
import { Logger } from '@nestjs/common';
import { ask, receiveRequest, type Received, respond, resultOf } from '../support/presenters/presenter';
import {
  foreignJwtVc,
  foreignSdJwt,
  membershipVct,
  presentJwtVc,
  presentSdJwt,
  selfIssued,
} from '../support/presenters/credentials';
import { degree, idCard } from '../support/presenters/holdings';
import { type IssuerSite, type Page, startIssuerSite } from '../support/presenters/issuer';
import { expectCheckFailed } from '../support/presenters/refusals';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, type Json } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const canary = 'Zwergspitzmaus';
const issuer = newHolder('ES256', 'did:jwk');
const trusted = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');
const unlisted = newHolder('ES256', 'did:jwk');

let service: RunningService;
/** The service may reach this one although its address is private. */
let site: IssuerSite;
/** The service must not reach this one. */
let trap: IssuerSite;
const logged: unknown[] = [];
/** The reasons why the guarded client did not fetch. */
const blocked: string[] = [];
beforeAll(async () => {
  [site, trap] = await Promise.all([startIssuerSite(), startIssuerSite()]);
  service = await startService({
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: site.host,
    SERVICE__VERIFICATION__TRUSTED_ISSUERS: `${String(trusted.did)} ${membershipVct}`,
    SERVICE__VERIFICATION__UNDETERMINED_STATUS: 'reject',
  });
  const client = service.app.get(OutboundClient, { strict: false });
  const fetchDocument = client.get.bind(client);
  jest.spyOn(client, 'get').mockImplementation(async (...request) => {
    try {
      return await fetchDocument(...request);
    } catch (error) {
      if (error instanceof OutboundError) blocked.push(error.reason);
      throw error;
    }
  });
  const write = (...words: unknown[]): void => void logged.push(...words);
  const logger = { log: write, error: write, warn: write, debug: write, verbose: write, fatal: write };
  Logger.overrideLogger(logger);
});
afterAll(async () => {
  await service.stop();
  await Promise.all([site.stop(), trap.stop()]);
});

const claims = { given_name: canary };
const anyType = { ...degree, id: 'id_card' };

interface Presented {
  readonly payload?: Json;
  readonly header?: Json;
  readonly signer?: typeof issuer;
}

/** Presents a credential of the issuer that the payload names. */
function present(received: Received, changes: Presented = {}): { tokens: { id_card: string } } {
  return { tokens: { id_card: presentSdJwt(foreignSdJwt(issuer, holder, { claims, ...changes }), holder, received) } };
}

async function expectRefused(check: string, changes: Presented, reason = /./): Promise<void> {
  const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
  const received = await receiveRequest(asked);
  const reply = await respond(received, present(received, changes));
  await expectCheckFailed(
    asked,
    received,
    reply,
    { check, credentialId: 'id_card', reason },
    () => present(received),
    canary,
  );
}

describe('the trust list', () => {
  it('says who is trusted and who is only accepted in development', async () => {
    const verdicts = [];
    for (const by of [trusted, unlisted]) {
      const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
      const received = await receiveRequest(asked);
      const token = presentSdJwt(foreignSdJwt(by, holder, { claims }), holder, received);
      answered(200, await respond(received, { tokens: { id_card: token } }));
      const result = await resultOf(asked);
      verdicts.push((result['credentials'] as Json[]).map(({ trust }) => trust));
    }
    expect(verdicts).toEqual([['trusted'], ['accepted-in-development']]);
  });
});

const loopback = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1', '0.0.0.0'];
const elsewhere = ['10.0.0.1', '192.168.0.1', '169.254.169.254', '[fd00::1]', '[64:ff9b::7f00:1]', '100.64.0.1'];

describe('no private address is requested', () => {
  const every = (): string[] => [
    ...loopback,
    ...loopback.map((host) => `${host}:${trap.host.split(':')[1] ?? ''}`),
    ...elsewhere,
  ];
  // Blocked before or while connecting, never because the connection was refused.
  beforeEach(() => blocked.splice(0));
  afterEach(() => {
    expect(trap.connections()).toBe(0);
    expect(blocked.filter((reason) => reason !== 'blocked-address' && reason !== 'invalid-url')).toEqual([]);
  });

  it('as metadata of an issuer', async () => {
    for (const host of every()) {
      for (const scheme of ['https', 'http'])
        await expectRefused('issuer-key', { payload: { iss: `${scheme}://${host}/i` } });
    }
  });

  it('as DID document of an issuer', async () => {
    for (const host of every().filter((name) => !name.startsWith('['))) {
      const did = `did:web:${host.replace(':', '%3A')}`;
      await expectRefused('issuer-key', { payload: { iss: did }, header: { kid: `${did}#0` } });
    }
  });

  it('as status list', async () => {
    for (const host of every()) {
      const uri = `https://${host}/status`;
      await expectRefused('status', { payload: { status: { status_list: { idx: 0, uri } } } }, /could not be fetched/);
    }
    for (const uri of [
      `http://${trap.host}/`,
      'file:///etc/passwd',
      'data:application/statuslist+jwt,a',
      'https://user:a@example.com/',
    ]) {
      await expectRefused('status', { payload: { status: { status_list: { idx: 0, uri } } } });
    }
  });

  it('as metadata of a type', async () => {
    for (const host of every()) {
      await expectRefused('query', { payload: { vct: `https://${host}/type` } }, /metadata could not be fetched/);
    }
    const vct = `${site.url}/extending`;
    site.pages.set('/extending', { body: JSON.stringify({ vct, extends: `${trap.url}/type` }) });
    for (const other of [vct, `http://${trap.host}/type`]) {
      await expectRefused('query', { payload: { vct: other } }, /metadata could not be fetched/);
    }
    expect(site.asked).toContain('/extending');
  });

  it('as DID document of a holder or of the signer of an ID token', async () => {
    const did = `did:web:${trap.host.replace(':', '%3A')}`;
    const person = { ...holder, did, header: { kid: `${did}#0` } };
    const asked = await ask(service.url, { dcql_query: { credentials: [anyType] } });
    const received = await receiveRequest(asked);
    const token = presentJwtVc([foreignJwtVc(issuer, person)], person, received);
    const reply = await respond(received, { tokens: { id_card: token } });
    expect(reply.json['error_description']).toMatch(/^The check key-binding of id_card failed/);
    const login = await receiveRequest(await ask(service.url, {}), 'siopv2');
    const second = await respond(login, { idToken: selfIssued(person, login, '') });
    expect(second.json['error_description']).toMatch(/^The check key-binding failed/);
  });

  it('by a redirect or a jwks_uri of a public issuer', async () => {
    const json = (value: unknown) => JSON.stringify(value);
    const iss = `${site.url}/redirecting`;
    site.pages.set('/.well-known/jwt-vc-issuer/redirecting', { status: 302, headers: { location: `${trap.url}/x` } });
    await expectRefused('issuer-key', { payload: { iss } });
    const pointing = `${site.url}/pointing`;
    const body = json({ issuer: pointing, jwks_uri: `${trap.url}/jwks` });
    site.pages.set('/.well-known/jwt-vc-issuer/pointing', { body });
    await expectRefused('issuer-key', { payload: { iss: pointing } });
    site.pages.set('/status/redirecting', { status: 301, headers: { location: `${trap.url}/x` } });
    const uri = `${site.url}/status/redirecting`;
    await expectRefused('status', { payload: { status: { status_list: { idx: 0, uri } } } });
    expect(site.asked).toEqual(
      expect.arrayContaining(['/.well-known/jwt-vc-issuer/redirecting', '/status/redirecting']),
    );
  });

  it('by headers that name a key', async () => {
    const header = { jku: `${trap.url}/jwks`, x5u: `${trap.url}/x5u`, jwk: unlisted.jwk };
    await expectRefused('issuer-signature', { header, signer: unlisted });
  });
});

// Each fault of such metadata is listed in libs/credentials/src/issuers/issuer-keys.spec.ts.
describe('the metadata of an issuer', () => {
  const keys = { keys: [{ ...issuer.jwk, kid: 'one' }] };
  it.each<[string, (iss: string) => Page]>([
    ['of another issuer', (iss) => ({ body: JSON.stringify({ issuer: `${iss}x`, jwks: keys }) })],
    ['as a web page', (iss) => ({ type: 'text/html', body: JSON.stringify({ issuer: iss, jwks: keys }) })],
    ['of megabytes', (iss) => ({ body: JSON.stringify({ issuer: iss, jwks: keys, x: 'x'.repeat(2_000_000) }) })],
    ['that cannot be fetched', () => ({ status: 404 })],
  ])('%s make a credential fail the check issuer-key', async (name, page) => {
    const path = `/${name.replaceAll(' ', '-')}`;
    site.pages.set(`/.well-known/jwt-vc-issuer${path}`, page(`${site.url}${path}`));
    await expectRefused('issuer-key', { payload: { iss: `${site.url}${path}` }, header: { kid: undefined } });
  });

  it('give the key of a credential, and so does a did:web document for assertions', async () => {
    const iss = `${site.url}/good`;
    site.pages.set('/.well-known/jwt-vc-issuer/good', { body: JSON.stringify({ issuer: iss, jwks: keys }) });
    const did = `did:web:${site.host.replace(':', '%3A')}:good`;
    const method = { id: '#k', type: 'JsonWebKey', controller: did, publicKeyJwk: issuer.jwk };
    const document = { id: did, verificationMethod: [method], assertionMethod: ['#k'] };
    site.pages.set('/good/did.json', { body: JSON.stringify(document) });
    const good: Presented[] = [
      { payload: { iss }, header: { kid: 'one' } },
      { payload: { iss: did }, header: { kid: `${did}#k` } },
    ];
    for (const changes of good) {
      const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
      const received = await receiveRequest(asked);
      answered(200, await respond(received, present(received, changes)));
    }
    const notForAssertion = { ...document, assertionMethod: [], authentication: ['#k'], id: `${did}2` };
    site.pages.set('/good2/did.json', {
      body: JSON.stringify(notForAssertion).replaceAll(did, `${did}2`).replaceAll('22', '2'),
    });
    await expectRefused('issuer-key', { payload: { iss: `${did}2` }, header: { kid: `${did}2#k` } });
  });
});

// Each fault of such metadata is listed in libs/credentials/src/formats/sd-jwt-vc/accepted-type.spec.ts.
describe('the metadata of a type', () => {
  const extending = (path: string, more: Json = {}): string =>
    JSON.stringify({ vct: `${site.url}${path}`, extends: membershipVct, ...more });

  it.each<[string, (path: string) => Page]>([
    ['as a web page', (path) => ({ type: 'text/html', body: extending(path) })],
    ['of megabytes', (path) => ({ body: extending(path, { x: 'x'.repeat(600_000) }) })],
    ['behind a redirect to a private address', () => ({ status: 302, headers: { location: `${trap.url}/type` } })],
    ['of status 404', (path) => ({ status: 404, body: extending(path) })],
  ])('%s make a credential of that type fail the check query', async (name, page) => {
    const path = `/types/${name.replaceAll(' ', '-')}`;
    site.pages.set(path, page(path));
    await expectRefused('query', { payload: { vct: `${site.url}${path}` } }, /metadata could not be fetched/);
    expect(trap.connections()).toBe(0);
  });

  it.each<[string, Json]>([
    ['extends', { vct: '/types/student' }],
    ['aka_vcts', { vct: 'urn:student', aka_vcts: [membershipVct] }],
  ])('or its issuer say what it is, by %s, and the result shows it', async (by, { vct, ...payload }) => {
    site.pages.set('/types/student', { body: extending('/types/student') });
    const type = String(vct).replace(/^\//, `${site.url}/`);
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    answered(200, await respond(received, present(received, { payload: { vct: type, ...payload } })));
    expect(await resultOf(asked)).toMatchObject({
      status: 'verified',
      credentials: [{ type: [type], acceptedAs: { type: membershipVct, by } }],
    });
  });
});

it('none of this logs a claim or a token', () => {
  const text = JSON.stringify(logged);
  expect(text).not.toContain(canary);
  expect(text).not.toMatch(/eyJ[\w-]{20}/);
});
