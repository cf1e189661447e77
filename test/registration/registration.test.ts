import { type Authority, certify } from '@app/credentials/fixtures/certificates';
import { TrustAnchors } from '@app/identity';
import { OwnRegistrations } from '@app/registration';
import { issuerAt, party, pid, Registrar, verifierAt } from '@app/registration/fixtures/registrar';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { Registry } from 'prom-client';
import { publishedTemplate } from '../support/portal/portal';
import { ask, linkOf, receiveRequest, type Variant } from '../support/presenters/presenter';
import { readJwt } from '../support/wallets/credentials';
import { type RunningService, startService } from '../support/service/service';

/**
 * The life of a registration: a registrar with an authority, three registered services (a library card, rooms, and an issuer of
 * cards) of one party, and a status list.
 */
const registrar = new Registrar();
/** Trusted for credentials, and for nothing else. */
const credentialIssuer = new Registrar('issuer of credentials');
const ever = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-01-01T00:00:00Z') };
const accessAuthority = certify({ name: 'access', isAuthority: true, keyUsage: 0x04, ...ever });
const cardType = 'https://cards.example/library';
const seconds = Math.floor(Date.now() / 1000);

let folder: string;
let server: Server;
let listUri: string;
let service: RunningService;
let revoked: number[] = [];

const at = (...path: string[]): string => join(folder, ...path);
const file = (name: string): string => at('registrations', name);

/** An access certificate of the party, as files. */
async function accessCertificate(use: string): Promise<Record<string, string>> {
  const names = { dnsNames: ['127.0.0.1'], party: { organization: 'Example Library', identifier: party } };
  const leaf: Authority = certify({ name: use, issuer: accessAuthority, keyUsage: 0x80, ...names, ...ever });
  await writeFile(at(`${use}.pem`), [leaf, accessAuthority].map(({ certificate }) => certificate.toString()).join(''));
  await writeFile(at(`${use}.key`), leaf.key.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const prefix = `SERVICE__CERTIFICATES__${use.toUpperCase()}`;
  return { [`${prefix}__CHAIN_FILE`]: at(`${use}.pem`), [`${prefix}__KEY_FILE`]: at(`${use}.key`) };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registration-'));
  await Promise.all([mkdir(at('registrations')), mkdir(at('anchors'))]);
  server = createServer(({ url }, response) => {
    if (url !== '/list') response.writeHead(503).end();
    else {
      response.setHeader('content-type', 'application/statuslist+jwt');
      response.end(registrar.statusList(listUri, revoked, seconds));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  listUri = `http://127.0.0.1:${port}/list`;
  register();
  await writeFile(at('anchors', 'registrar.pem'), registrar.root.certificate.toString());
  await writeFile(at('anchors', 'registrar.yaml'), 'purposes: [registrar]\n');
  await writeFile(at('anchors', 'issuer.pem'), credentialIssuer.root.certificate.toString());
  await writeFile(at('anchors', 'issuer.yaml'), 'purposes: [issuer]\n');
  service = await startService({
    SERVICE__VERIFICATION__CLIENT_ID_PREFIX: 'x509_hash',
    SERVICE__REGISTRATION__DIRECTORY: at('registrations'),
    SERVICE__TRUST__ANCHORS: at('anchors'),
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: `127.0.0.1:${port}`,
    ...(await accessCertificate('requests')),
    ...(await accessCertificate('metadata')),
  });
});

afterAll(async () => {
  await service.stop();
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

/** What is on disk, and what the status list says now. */
async function readAnew(): Promise<void> {
  await writeFile(
    at('anchors', `${Math.random()}.pem`),
    certify({ name: 'any', isAuthority: true }).certificate.toString(),
  );
  // Lists are kept for a minute, until the anchors change.
  await service.app.get(TrustAnchors).reload();
  await service.app.get(OwnRegistrations).reload();
}

const registered = async (): Promise<Json[]> =>
  answered(200, await get(`${service.url}/v0/registration_certificates`))['items'] as Json[];
const standing = async (id: string): Promise<Json | undefined> =>
  (await registered()).find(({ certificateId }) => certificateId === id);
const statusAt = (idx: number) => ({ status: { status_list: { idx, uri: listUri } } });
const queryFor = (...names: string[]) => ({
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claims: names.map((name) => ({ path: [name] })) },
  ],
});
const asking = (body: Json) => postJson(`${service.url}/v0/authorization_requests`, body);
/** The registration certificates that a wallet gets. */
async function sentWith(body: Json, variant: Variant = '1.0'): Promise<unknown> {
  const { parameters } = await receiveRequest(await ask(service.url, body), variant);
  return parameters['verifier_info'];
}
type AskedOfPages = readonly { readonly data: Json }[];
const askedOf = (answer: Json): AskedOfPages => (answer['digitalCredential'] as { requests: AskedOfPages }).requests;
/** What a page gives to a wallet, signed. */
const signedIn = (answer: Json): Json => readJwt(String(askedOf(answer)[0]?.data['request'])).payload;
const entryOf = (data: string) => ({ format: 'registration_cert', data });
const issuerMetadata = async (): Promise<Json> =>
  answered(200, await get(`${service.url}/.well-known/openid-credential-issuer/openid4vci`));

/** Certificates of the library card and of rooms, and of the issuer of cards. */
let card: string;
let room: string;
let issuer: string;

/** They name the status list. */
function register(): void {
  const credentials = [{ format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claims: [{ path: ['family_name'] }] }];
  card = registrar.certificate(verifierAt(seconds, statusAt(1)));
  room = registrar.certificate(verifierAt(seconds, { intended_use_id: 'rooms', credentials, ...statusAt(2) }));
  issuer = registrar.certificate(issuerAt(seconds, cardType, statusAt(3)));
}

it('is nothing before there is a certificate: no request is compared, and nothing is sent', async () => {
  expect(await registered()).toEqual([]);
  expect(await sentWith({ dcql_query: queryFor('birthdate') })).toBeUndefined();
  expect(await issuerMetadata()).not.toHaveProperty('issuer_info');
  const named = await asking({ dcql_query: queryFor('given_name'), intendedUseId: 'library-card' });
  expectProblem(named, 422, 'request-not-registered');
});

describe('a registered verifier', () => {
  beforeAll(async () => {
    await writeFile(file('card.jwt'), card);
    await readAnew();
  });

  it('sees what it may ask for, and until when', async () => {
    expect(await registered()).toEqual([
      expect.objectContaining({
        certificateId: 'card.jwt',
        source: 'file',
        state: 'valid',
        status: 'valid',
        name: 'Example library',
        party,
        intendedUseId: 'library-card',
        purpose: [{ lang: 'en', value: 'To open an account.' }],
        expiresAt: new Date((seconds + 30 * 24 * 3600) * 1000).toISOString(),
      }),
    ]);
    expect((await standing('card.jwt'))?.['credentials']).toMatchObject([
      { format: 'dc+sd-jwt', types: [[pid]], claims: expect.arrayContaining([{ path: ['given_name'] }]) as unknown },
    ]);
  });

  it('sends its certificate to wallets of 1.0 and HAIP within the registration, and to no others', async () => {
    const body = { dcql_query: queryFor('given_name'), responseMode: 'direct_post.jwt' };
    for (const variant of ['1.0', 'haip'] as const) expect(await sentWith(body, variant)).toEqual([entryOf(card)]);
    for (const variant of ['draft-20', 'draft-20-redirect'] as const) {
      expect(await sentWith({ dcql_query: queryFor('given_name') }, variant)).toBeUndefined();
    }
    expect(await sentWith({}, 'siopv2')).toBeUndefined();
    const combined = { dcql_query: queryFor('given_name'), responseType: 'vp_token id_token' };
    expect([await sentWith(combined), await sentWith(combined, 'draft-20')]).toEqual([[entryOf(card)], undefined]);
  });

  it('sends it inside of the signed request of a page, and not in the unsigned one', async () => {
    const asked = await ask(service.url, { dcql_query: queryFor('given_name'), responseMode: 'dc_api.jwt' });
    const [, unsigned] = askedOf(asked.answer);
    expect(signedIn(asked.answer)['verifier_info']).toEqual([entryOf(card)]);
    expect(unsigned?.data).not.toHaveProperty('verifier_info');
  });

  it('is refused beyond the registration, with the places', async () => {
    const reply = await asking({ dcql_query: queryFor('given_name', 'birthdate') });
    expectProblem(reply, 422, 'request-not-registered');
    expect(reply.json['violations']).toEqual([
      { pointer: '/dcql_query/credentials/0/claims/1/path', message: 'leads to a claim that is not registered' },
    ]);
  });

  it('may bring a certificate of its own, which then is the only one, and not name another beside it', async () => {
    const verifierInfo = [entryOf(room)];
    expect(await sentWith({ dcql_query: queryFor('birthdate'), verifierInfo })).toEqual(verifierInfo);
    const both = await asking({ dcql_query: queryFor('given_name'), verifierInfo, intendedUseId: 'library-card' });
    expectProblem(both, 400, 'validation-failed');
    expect(both.json['violations']).toEqual([expect.objectContaining({ pointer: '/intendedUseId' })]);
    expectProblem(await asking({ intendedUseId: 'library-card' }), 400, 'validation-failed');
  });

  it('has several uses, of which the one that covers the query goes along, or the named one', async () => {
    const added = await postJson(`${service.url}/v0/registration_certificates`, { certificate: room });
    expect(answered(201, added)).toMatchObject({ source: 'api', state: 'valid', intendedUseId: 'rooms' });
    expect(await sentWith({ dcql_query: queryFor('family_name') })).toEqual([entryOf(room)]);
    expect(await sentWith({ dcql_query: queryFor('given_name'), intendedUseId: 'library-card' })).toEqual([
      entryOf(card),
    ]);
    expectProblem(
      await asking({ dcql_query: queryFor('family_name'), intendedUseId: 'library-card' }),
      422,
      'request-not-registered',
    );
    const again = await postJson(`${service.url}/v0/registration_certificates`, { certificate: room });
    expectProblem(again, 409, 'conflict');
    const id = String(added.json['certificateId']);
    expect((await send(`${service.url}/v0/registration_certificates/${id}`, { method: 'DELETE' })).status).toBe(204);
    expectProblem(await get(`${service.url}/v0/registration_certificates/${id}`), 404, 'not-found');
    expectProblem(
      await send(`${service.url}/v0/registration_certificates/card.jwt`, { method: 'DELETE' }),
      409,
      'conflict',
    );
  });

  it.each<[string, () => string, string]>([
    ['of another authority', () => new Registrar('other').certificate(verifierAt(seconds)), 'leads to no trust anchor'],
    [
      'of an authority that is trusted for credentials alone',
      () => credentialIssuer.certificate(verifierAt(seconds)),
      'leads to no trust anchor',
    ],
    ['of another party', () => registrar.certificate(verifierAt(seconds, { sub: 'VATDE-1' })), 'another party'],
    ['that has ended', () => registrar.certificate(verifierAt(seconds, { exp: seconds - 1 })), 'an end at'],
  ])('cannot add one %s', async (_, given, words) => {
    const reply = await postJson(`${service.url}/v0/registration_certificates`, { certificate: given() });
    expectProblem(reply, 422, 'registration-certificate-not-accepted');
    expect(reply.json['violations']).toEqual([
      { pointer: '/certificate', message: expect.stringContaining(words) as unknown },
    ]);
  });

  it('keeps the certificate before while the file is torn', async () => {
    await writeFile(file('card.jwt'), card.slice(0, 200));
    await readAnew();
    expect(await standing('card.jwt')).toMatchObject({
      state: 'valid',
      fault: { found: expect.stringContaining('no registration certificate') as unknown },
    });
    expect(await sentWith({ dcql_query: queryFor('given_name') })).toEqual([entryOf(card)]);
    await writeFile(file('card.jwt'), card);
    await readAnew();
    expect(await standing('card.jwt')).not.toHaveProperty('fault');
  });

  it('sends one whose status list cannot be reached, and readiness warns', async () => {
    const down = { status: { status_list: { idx: 1, uri: listUri.replace('/list', '/down') } } };
    const credentials = [{ format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claim: [{ path: ['birthdate'] }] }];
    const age = registrar.certificate(verifierAt(seconds, { intended_use_id: 'age', credentials, ...down }));
    await writeFile(file('age.jwt'), age);
    await readAnew();
    expect(await standing('age.jwt')).toMatchObject({ state: 'valid', status: 'undetermined' });
    expect(await sentWith({ dcql_query: queryFor('birthdate') })).toEqual([entryOf(age)]);
    const { json } = await get(`${service.url}/readyz`);
    expect(json['details']).toMatchObject({
      registration: { status: 'up', valid: 2, warnings: ['a status cannot be determined'] },
    });
    await rm(file('age.jwt'));
  });

  it('sends a revoked or an expired one no more, nor with what was asked before, and readiness warns', async () => {
    const others = [{ format: 'jwt', data: 'eyJ.e30.c2ln' }];
    const before = await ask(service.url, { dcql_query: queryFor('given_name'), verifierInfo: others });
    const sent = async () => (await receiveRequest(before)).parameters['verifier_info'];
    const inPage = { dcql_query: queryFor('given_name'), responseMode: 'dc_api.jwt' };
    const { state } = await ask(service.url, inPage);
    expect(await sent()).toEqual([entryOf(card), ...others]);
    await writeFile(file('old.jwt'), registrar.certificate(verifierAt(seconds, { exp: seconds - 60 })));
    revoked = [1];
    await readAnew();
    expect(await standing('card.jwt')).toMatchObject({ state: 'revoked', status: 'revoked' });
    expect(await standing('old.jwt')).toMatchObject({ state: 'expired' });
    expect(await sentWith({ dcql_query: queryFor('given_name') })).toBeUndefined();
    expect(await sent()).toEqual(others);
    const { json } = await get(`${service.url}/v0/authorization_requests/${state}`);
    expect(signedIn(json)).not.toHaveProperty('verifier_info');
    expect((await get(`${service.url}/readyz`)).json['details']).toMatchObject({
      registration: { status: 'up', valid: 0, warnings: ['some are not sent: revoked, expired'] },
    });
  });
});

describe('a registered issuer', () => {
  it('shows its certificate in its metadata, and in those of 1.0 alone', async () => {
    await publishedTemplate(service.url, { vct: cardType });
    await writeFile(file('issuer.jwt'), issuer);
    await readAnew();
    expect((await issuerMetadata())['issuer_info']).toEqual([entryOf(issuer)]);
    const signed = await get(`${service.url}/.well-known/openid-credential-issuer/openid4vci`, {
      accept: 'application/jwt',
    });
    expect(readJwt(signed.text).payload['issuer_info']).toEqual([entryOf(issuer)]);
    const draft13 = await get(`${service.url}/openid4vci/.well-known/openid-credential-issuer`);
    expect(draft13.json).not.toHaveProperty('issuer_info');
  });

  it('sees in the metrics how many types are offered beyond the registration, and what is sent', async () => {
    const scraped = await service.app.get(Registry).metrics();
    const value = (series: string) =>
      Number(
        scraped
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
    const offered = Object.keys((await issuerMetadata())['credential_configurations_supported'] as Json).length;
    expect(value('sealwright_unregistered_configurations')).toBe(offered - 1);
    expect(value('sealwright_registration_certificates{state="valid"}')).toBe(1);
    expect(value('sealwright_registration_certificates{state="revoked"}')).toBe(1);
    expect(value('sealwright_registration_expires_seconds')).toBeGreaterThan(29 * 24 * 3600);
  });

  it('is no verifier by it: what it asks for is not compared', async () => {
    expect(await sentWith({ dcql_query: queryFor('birthdate') })).toBeUndefined();
  });
});

it('a link by value carries the certificate as well', async () => {
  revoked = [];
  await readAnew();
  const asked = await ask(service.url, { dcql_query: queryFor('given_name'), clientIdPrefix: 'redirect_uri' });
  const sent = new URL(linkOf(asked)).searchParams.get('verifier_info');
  expect(JSON.parse(sent ?? '')).toEqual([entryOf(card)]);
});
