import { Logger } from '@nestjs/common';
import { deflateSync } from 'node:zlib';
import { ask, receiveRequest, type Received, respond, resultOf } from '../support/presenter';
import {
  foreignJwtVc,
  foreignSdJwt,
  inSeconds,
  type JwtChanges,
  membershipVct,
  presentJwtVc,
  presentSdJwt,
  selfIssued,
  signJwt,
} from '../support/presenter-credentials';
import { degree, idCard } from '../support/presenter-holdings';
import { type IssuerSite, type Page, startIssuerSite } from '../support/presenter-issuer';
import { expectCheckFailed } from '../support/presenter-refusals';
import { newHolder, thumbprintOf } from '../support/proofs';
import { answered, type Json } from '../support/requests';
import { type RunningService, startService } from '../support/service';

const canary = 'Zwergspitzmaus';
const issuer = newHolder('ES256', 'did:jwk');
const trusted = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');
const stranger = newHolder('ES256', 'did:jwk');

let service: RunningService;
/** The service may reach this one although its address is private. */
let site: IssuerSite;
/** Nobody may reach this one. */
let trap: IssuerSite;
const logged: unknown[] = [];
beforeAll(async () => {
  [site, trap] = await Promise.all([startIssuerSite(), startIssuerSite()]);
  service = await startService({
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: site.host,
    SERVICE__VERIFICATION__TRUSTED_ISSUERS: `${String(trusted.did)} ${membershipVct}`,
  });
  const write = (...words: unknown[]): void => void logged.push(...words);
  const logger = { log: write, error: write, warn: write, debug: write, verbose: write, fatal: write };
  Logger.overrideLogger(logger);
}, 60_000);
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

/** Presents a credential of the issuer; the payload decides who and where the issuer is. */
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
    for (const by of [trusted, stranger]) {
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

const addresses = (port: string): string[] => [
  `127.0.0.1:${port}`,
  `localhost:${port}`,
  `[::1]:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `2130706433:${port}`,
  `0x7f.1:${port}`,
  `127.1:${port}`,
  `0.0.0.0:${port}`,
  `localhost.:${port}`,
];
const elsewhere = ['10.0.0.1', '192.168.0.1', '169.254.169.254', '[fd00::1]', '[64:ff9b::7f00:1]', '100.64.0.1'];

describe('161: nothing private is asked', () => {
  const every = (): string[] => [...addresses(trap.host.split(':')[1] ?? ''), ...elsewhere];

  it('as metadata of an issuer', async () => {
    for (const host of every()) {
      for (const scheme of ['https', 'http'])
        await expectRefused('issuer-key', { payload: { iss: `${scheme}://${host}/i` } });
    }
    expect(trap.connections()).toBe(0);
  }, 60_000);

  it('as DID document of an issuer', async () => {
    for (const host of every().filter((name) => !name.startsWith('['))) {
      const did = `did:web:${host.replace(':', '%3A')}`;
      await expectRefused('issuer-key', { payload: { iss: did }, header: { kid: `${did}#0` } });
    }
    expect(trap.connections()).toBe(0);
  }, 60_000);

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
    expect(trap.connections()).toBe(0);
  }, 60_000);

  it('as DID document of a holder or of who signs an ID token', async () => {
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
    expect(trap.connections()).toBe(0);
  });

  it('by way of a redirect or a jwks_uri of a public issuer', async () => {
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
    expect(trap.connections()).toBe(0);
  });

  it('by way of headers that name a key', async () => {
    const header = { jku: `${trap.url}/jwks`, x5u: `${trap.url}/x5u`, jwk: stranger.jwk };
    await expectRefused('issuer-signature', { header, signer: stranger });
    expect(trap.connections()).toBe(0);
  });
});

describe('105: the metadata of an issuer are refused', () => {
  const keys = { keys: [{ ...issuer.jwk, kid: 'one' }] };
  it.each<[string, (iss: string) => Page, Json?]>([
    ['of another issuer', (iss) => ({ body: JSON.stringify({ issuer: `${iss}x`, jwks: keys }) })],
    [
      'with jwks and jwks_uri',
      (iss) => ({ body: JSON.stringify({ issuer: iss, jwks: keys, jwks_uri: `${iss}/jwks` }) }),
    ],
    ['without keys', (iss) => ({ body: JSON.stringify({ issuer: iss }) })],
    ['without the key named', (iss) => ({ body: JSON.stringify({ issuer: iss, jwks: keys }) }), { kid: 'two' }],
    [
      'with private keys',
      (iss) => ({ body: JSON.stringify({ issuer: iss, jwks: { keys: [{ ...issuer.jwk, d: 'AAAA' }] } }) }),
    ],
    [
      'with an encryption key',
      (iss) => ({ body: JSON.stringify({ issuer: iss, jwks: { keys: [{ ...issuer.jwk, use: 'enc' }] } }) }),
    ],
    ['as a web page', (iss) => ({ type: 'text/html', body: JSON.stringify({ issuer: iss, jwks: keys }) })],
    ['that are no JSON', () => ({ body: '{' })],
    ['with a member twice', (iss) => ({ body: `{"issuer":"${iss}","issuer":"${iss}","jwks":{"keys":[]}}` })],
    ['of megabytes', (iss) => ({ body: JSON.stringify({ issuer: iss, jwks: keys, x: 'x'.repeat(2_000_000) }) })],
    ['that are not there', () => ({ status: 404 })],
  ])('%s', async (name, page, header = { kid: undefined }) => {
    const path = `/${name.replaceAll(' ', '-')}`;
    site.pages.set(`/.well-known/jwt-vc-issuer${path}`, page(`${site.url}${path}`));
    await expectRefused('issuer-key', { payload: { iss: `${site.url}${path}` }, header });
  });

  it('but not those that are in order, nor a did:web document', async () => {
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

interface StatusCase extends JwtChanges {
  readonly page?: Page;
  readonly idx?: number;
  readonly bytes?: Buffer;
  readonly bits?: number;
  readonly reason?: RegExp;
}

/** Publishes a status list token of the issuer and answers what a credential says about it. */
function published(
  name: string,
  { page, idx = 0, bytes = Buffer.alloc(16), bits = 2, ...changes }: StatusCase,
): Presented {
  const path = `/status/${name.replaceAll(/[^a-z0-9]/gi, '-')}`;
  const uri = `${site.url}${path}`;
  const list = { bits, lst: deflateSync(bytes).toString('base64url') };
  const payload = { sub: uri, iat: inSeconds(-10), exp: inSeconds(600), ttl: 300, status_list: list };
  const body = signJwt({ typ: 'statuslist+jwt', ...issuer.header }, payload, issuer, changes);
  site.pages.set(path, { type: 'application/statuslist+jwt', body, ...page });
  return { payload: { status: { status_list: { idx, uri } } } };
}

describe('a status', () => {
  it.each<[string, StatusCase]>([
    ['155: revoked', { bytes: Buffer.from([1]), reason: /revoked/ }],
    ['155: suspended', { bytes: Buffer.from([2]), reason: /suspended/ }],
    ['155: of unknown meaning', { bytes: Buffer.from([3]), reason: /unknown/ }],
    ['155: revoked in the last place', { bytes: Buffer.from([0, 0x40]), idx: 7, reason: /revoked/ }],
    ['156: behind the end', { idx: 64 }],
    ['156: far behind the end', { idx: Number.MAX_SAFE_INTEGER }],
    ['157: about another list', { payload: { sub: 'https://x.example/' } }],
    ['157: of another typ', { header: { typ: 'JWT' } }],
    ['157: signed by somebody else', { signer: stranger }],
    ['157: signed by somebody else in his own name', { signer: stranger, header: stranger.header }],
    ['157: signed with none', { header: { alg: 'none' }, sign: () => Buffer.alloc(0) }],
    ['157: expired', { payload: { exp: inSeconds(-120) } }],
    ['157: of tomorrow', { payload: { iat: inSeconds(86_400) } }],
    ['157: without iat', { payload: { iat: undefined } }],
    ['157: with a ttl below nothing', { payload: { ttl: -1 } }],
    ['157: of three bits', { bits: 3 }],
    ['157: that is garbage', { payload: { status_list: { bits: 1, lst: 'AAAA' } } }],
    ['157: that inflates to 64 MiB', { bytes: Buffer.alloc(64 * 1024 * 1024) }],
    ['157: in HTML', { page: { type: 'text/html' } }],
    ['157: that is not there', { page: { status: 404, type: 'application/statuslist+jwt' } }],
  ])('%s refuses the credential', async (name, { reason, ...changes }) => {
    await expectRefused('status', published(name, changes), reason);
  });

  it('is refused when its list redirects for ever', async () => {
    const again = { status: 302, headers: { location: `${site.url}/status/again` } };
    site.pages.set('/status/again', again);
    const uri = `${site.url}/status/again`;
    await expectRefused('status', { payload: { status: { status_list: { idx: 0, uri } } } });
  });

  it('that is good is shown, and asked for once while it is fresh', async () => {
    const changes = published('good', { bytes: Buffer.from([1, 0]), idx: 5 });
    for (let time = 0; time < 2; time += 1) {
      const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
      const received = await receiveRequest(asked);
      answered(200, await respond(received, present(received, changes)));
      expect((await resultOf(asked))['credentials']).toMatchObject([{ status: 'valid' }]);
    }
    expect(site.asked.filter((path) => path === '/status/good')).toHaveLength(1);
    const revoked = { payload: { status: { status_list: { idx: 0, uri: `${site.url}/status/good` } } } };
    await expectRefused('status', revoked, /revoked/);
  });
});

interface IdTokenRefusal {
  readonly what: string;
  readonly check: string;
  readonly by?: typeof holder;
  readonly changes: (received: Received) => JwtChanges;
}

const bareKey = newHolder('ES256', 'jwk');
const payload = (members: Json) => () => ({ payload: members });

const idTokenRefusals: IdTokenRefusal[] = [
  {
    what: 'of somebody who is not its subject',
    check: 'structure',
    changes: payload({ iss: 'https://issuer.example' }),
  },
  { what: 'without sub', check: 'structure', changes: payload({ sub: undefined, iss: undefined }) },
  { what: 'with another nonce', check: 'nonce', changes: payload({ nonce: 'x' }) },
  { what: 'without nonce', check: 'nonce', changes: payload({ nonce: undefined }) },
  { what: 'for somebody else', check: 'audience', changes: payload({ aud: 'x' }) },
  {
    what: 'for somebody else too',
    check: 'audience',
    changes: ({ clientId }) => ({ payload: { aud: [clientId, 'x'] } }),
  },
  {
    what: 'for a prefixed client',
    check: 'audience',
    changes: ({ clientId }) => ({ payload: { aud: `decentralized_identifier:${clientId}` } }),
  },
  { what: 'that expired', check: 'times', changes: payload({ exp: inSeconds(-120) }) },
  { what: 'without exp', check: 'times', changes: payload({ exp: undefined }) },
  { what: 'of yesterday', check: 'times', changes: payload({ iat: inSeconds(-86_400) }) },
  { what: 'with sub_jwk beside a DID', check: 'key-binding', changes: payload({ sub_jwk: holder.jwk }) },
  {
    what: 'with a kid of another DID',
    check: 'key-binding',
    changes: () => ({ header: stranger.header, signer: stranger }),
  },
  {
    what: 'signed by another key',
    check: 'key-binding',
    changes: () => ({ header: holder.header, sign: () => Buffer.alloc(64, 1) }),
  },
  {
    what: 'with none',
    check: 'key-binding',
    changes: () => ({ header: { alg: 'none' }, sign: () => Buffer.alloc(0) }),
  },
  { what: 'with RS256', check: 'key-binding', changes: () => ({ header: { alg: 'RS256' } }) },
  { what: 'without sub_jwk', check: 'key-binding', by: bareKey, changes: payload({ sub_jwk: undefined }) },
  {
    what: 'with a private sub_jwk',
    check: 'key-binding',
    by: bareKey,
    changes: payload({ sub_jwk: { ...bareKey.jwk, d: 'AAAA' } }),
  },
  {
    what: 'with a certificate in sub_jwk',
    check: 'key-binding',
    by: bareKey,
    changes: payload({ sub_jwk: { ...bareKey.jwk, x5c: ['AAAA'] } }),
  },
  {
    what: 'with the thumbprint of another key',
    check: 'key-binding',
    by: bareKey,
    changes: payload({ sub: thumbprintOf(holder.jwk), iss: thumbprintOf(holder.jwk) }),
  },
];

describe('158: an ID token is refused', () => {
  it.each(idTokenRefusals)('$what → $check', async ({ check, by = holder, changes }) => {
    const asked = await ask(service.url, {});
    const received = await receiveRequest(asked, 'siopv2');
    const thumbprint = thumbprintOf(by.jwk);
    const reply = await respond(received, { idToken: selfIssued(by, received, thumbprint, changes(received)) });
    const valid = () => ({ idToken: selfIssued(by, received, thumbprint) });
    await expectCheckFailed(asked, received, reply, { check }, valid, canary);
  });

  it('also beside a good presentation', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, responseType: 'vp_token id_token' });
    const received = await receiveRequest(asked);
    const idToken = selfIssued(holder, received, '');
    const forged = selfIssued(holder, received, '', { payload: { nonce: 'x' } });
    const reply = await respond(received, { ...present(received), idToken: forged });
    const valid = () => ({ ...present(received), idToken });
    await expectCheckFailed(asked, received, reply, { check: 'nonce' }, valid, canary);
  });
});

it('167: the logs of all this hold no claim and no token', () => {
  const text = JSON.stringify(logged);
  expect(text).not.toContain(canary);
  expect(text).not.toMatch(/eyJ[\w-]{20}/);
});
