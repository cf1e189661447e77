import { certify } from '@app/credentials/fixtures/certificates';
import { OwnCertificates, TrustAnchors } from '@app/identity';
import { accessOptions } from '@app/identity/fixtures/access-certificates';
import { entity, list, service as listed, services } from '@app/identity/fixtures/trusted-entities';
import { OwnRegistrations } from '@app/registration';
import { issuerAt, party, pid, Registrar, verifierAt } from '@app/registration/fixtures/registrar';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { createPublicKey } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedPostgres } from '../support/database/postgres';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { ask, receiveRequest } from '../support/presenters/presenter';
import { type Ran, sealwrightWith } from '../support/service/command-line';
import { type RunningService, startService } from '../support/service/service';
import { readJwt } from '../support/wallets/credentials';

// Access certificates by the command line, a registrar that a list of trusted entities names, with another authority for its status list,
// and three registered services: a library card, rooms, and an issuer of cards.
const day = 86_400;
const seconds = Math.floor(Date.now() / 1000);
const dateIn = (days: number): string => new Date((seconds + days * day) * 1000).toISOString();
const ever = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-01-01T00:00:00Z') };
const accessAuthority = certify({ name: 'access', isAuthority: true, keyUsage: 0x04, ...ever });
const operator = certify({ name: 'operator of the list', ...ever });
const registrar = new Registrar();
const statuses = new Registrar('statuses of the registrar');
const strangers = new Registrar('statuses of another registrar');
const cardType = 'https://cards.example/library';

let folder: string;
let server: Server;
let base: string;
let settings: Record<string, string>;
let service: RunningService;
let revoked: number[] = [];
let statusSigner = statuses;

const statusAt = (idx: number) => ({ status: { status_list: { idx, uri: `${base}/status` } } });
const askedFor = (...names: string[]) => ({
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claims: names.map((name) => ({ path: [name] })) },
  ],
});
const entryOf = (data: string) => ({ format: 'registration_cert', data });

function trustList(): string {
  const entities = [
    entity(
      'Registrar',
      listed(`${services}WRPRC/Issuance`, registrar.root),
      listed(`${services}WRPRC/Revocation`, statuses.root),
    ),
    entity('Another registrar', listed(`${services}WRPRC/Revocation`, strangers.root)),
  ];
  return list({ ListIssueDateTime: dateIn(-1), NextUpdate: dateIn(30) }, entities, operator);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registration-life-'));
  await mkdir(join(folder, 'anchors'));
  await writeFile(join(folder, 'operator.pem'), operator.certificate.toString());
  server = createServer(({ url }, response) => {
    const isList = url === '/list';
    response.setHeader('content-type', isList ? 'application/jose' : 'application/statuslist+jwt');
    response.end(isList ? trustList() : statusSigner.statusList(`${base}/status`, revoked, seconds));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
  const stored = {
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await sharedPostgres().createDatabase(),
    SERVICE__CERTIFICATES__PROFILE: 'eudi',
    SERVICE__VERIFICATION__CLIENT_ID_PREFIX: 'x509_hash',
    SERVICE__TRUST__ANCHORS: join(folder, 'anchors'),
    SERVICE__TRUST__LISTS: `${base}/list ${join(folder, 'operator.pem')}`,
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: `127.0.0.1:${port}`,
  };
  service = await startService(stored);
  const { port: ownPort } = new URL(service.url);
  const place = { SERVICE__APPLICATION_URL: service.url, SERVICE__HTTP__PORT: ownPort };
  settings = { ...stored, ...place, SERVICE__PROFILE: 'development' };
  await publishedTemplate(service.url, { vct: cardType });
});

afterAll(async () => {
  await service.stop();
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

const certificates = (...parameters: string[]): Promise<Ran> =>
  sealwrightWith(settings, ['certificates', ...parameters]);

/** Has the key of a request certified, and installs what comes back. @param options what the authority certifies */
async function install(use: string, options: ReturnType<typeof accessOptions>): Promise<Ran> {
  const subject = `CN=Example service, O=Example, 2.5.4.97=${party}, C=DE`;
  const { stdout } = await certificates('request', '--use', use, '--subject', subject);
  const { publicKey: requested } = new Pkcs10CertificateRequest(stdout);
  const publicKey = createPublicKey({ key: Buffer.from(requested.rawData), format: 'der', type: 'spki' });
  const leaf = certify({ ...options, issuer: accessAuthority, publicKey, ...ever });
  const file = join(folder, 'chain.pem');
  await writeFile(file, [leaf, accessAuthority].map(({ certificate }) => certificate.toString()).join(''));
  return certificates('install', file);
}

/** Once the running service has seen the certificates; fails after half a minute. */
async function isInstalled(): Promise<void> {
  const own = service.app.get(OwnCertificates);
  const end = performance.now() + 30_000;
  while (own.party('requests', new Date()) !== party || own.party('metadata', new Date()) !== party) {
    if (performance.now() > end) throw new Error('the service has not followed within half a minute');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Lists are kept for a minute, until the anchors change. */
async function readAnew(): Promise<void> {
  const { certificate } = certify({ name: 'any', isAuthority: true, ...ever });
  await writeFile(join(folder, 'anchors', `${Math.random()}.pem`), certificate.toString());
  await service.app.get(TrustAnchors).reload();
  await service.app.get(OwnRegistrations).reload();
}

const register = (certificate: string) => postJson(`${service.url}/v0/registration_certificates`, { certificate });
const states = async (): Promise<unknown[]> => {
  const { items } = answered(200, await get(`${service.url}/v0/registration_certificates`));
  return (items as Json[]).map(({ intendedUseId, state }) => [intendedUseId, state]);
};
const sentFor = async (...names: string[]): Promise<unknown> =>
  (await receiveRequest(await ask(service.url, { dcql_query: askedFor(...names) }))).parameters['verifier_info'];
const metadata = async () => {
  const address = `${service.url}/.well-known/openid-credential-issuer/openid4vci`;
  return readJwt((await get(address, { accept: 'application/jwt' })).text);
};

describe('the life of a registration', () => {
  let card: string;
  let issuer: string;

  it('begins with access certificates: others are not installed', async () => {
    const lacking = await install('requests', accessOptions({ policies: [] }));
    expect([lacking.code, lacking.stderr]).toEqual([1, expect.stringContaining('certificate policies')]);
    for (const use of ['requests', 'metadata']) {
      const { code, stderr } = await install(use, accessOptions());
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('access certificate')]);
    }
    await isInstalled();
  });

  it('goes on with what the registrar hands out for three services', async () => {
    const rooms = [{ format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claims: [{ path: ['family_name'] }] }];
    card = registrar.certificate(verifierAt(seconds, statusAt(1)));
    const room = registrar.certificate(
      verifierAt(seconds, { intended_use_id: 'rooms', credentials: rooms, ...statusAt(2) }),
    );
    issuer = registrar.certificate(issuerAt(seconds, cardType, { exp: seconds + 90 * day, ...statusAt(3) }));
    for (const one of [card, room, issuer]) answered(201, await register(one));
    expectProblem(
      await register(strangers.certificate(verifierAt(seconds))),
      422,
      'registration-certificate-not-accepted',
    );
    expect(await states()).toEqual(
      expect.arrayContaining([
        ['library-card', 'valid'],
        ['rooms', 'valid'],
        [undefined, 'valid'],
      ]),
    );
  });

  it('lets it ask within, and not beyond', async () => {
    expect(await sentFor('given_name')).toEqual([entryOf(card)]);
    const beyond = await postJson(`${service.url}/v0/authorization_requests`, { dcql_query: askedFor('birthdate') });
    expectProblem(beyond, 422, 'request-not-registered');
  });

  it('lets it issue what is registered, in metadata that the access certificate signs', async () => {
    const { header, payload } = await metadata();
    expect(header['x5c']).toEqual(service.app.get(OwnCertificates).current('metadata', new Date())?.x5c);
    expect(payload['issuer_info']).toEqual([entryOf(issuer)]);
    const { items } = answered(200, await get(`${service.url}/v0/credential_configurations`));
    const registered = (items as Json[]).map(({ vct, registered }) => [vct === cardType, registered]);
    expect(new Set(registered.map(([isCard, is]) => isCard === is))).toEqual(new Set([true]));
    expect(registered).toContainEqual([true, true]);
  });

  it('expires, each certificate by itself', () => {
    const all = service.app.get(OwnRegistrations).all(new Date((seconds + 31 * day) * 1000));
    expect(all.map(({ certificate, state }) => [certificate?.compact === issuer, state])).toEqual(
      expect.arrayContaining([
        [true, 'valid'],
        [false, 'expired'],
      ]),
    );
  });

  it('ends when the registrar revokes it, and by no list of another registrar', async () => {
    revoked = [1, 3];
    statusSigner = strangers;
    await readAnew();
    expect(await sentFor('given_name')).toEqual([entryOf(card)]);
    statusSigner = statuses;
    await readAnew();
    expect(await states()).toEqual(
      expect.arrayContaining([
        ['library-card', 'revoked'],
        ['rooms', 'valid'],
        [undefined, 'revoked'],
      ]),
    );
    const named = { dcql_query: askedFor('given_name'), intendedUseId: 'library-card' };
    expectProblem(await postJson(`${service.url}/v0/authorization_requests`, named), 422, 'request-not-registered');
    expect((await metadata()).payload).not.toHaveProperty('issuer_info');
  });
});
