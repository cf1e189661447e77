import {
  CertificateInstallation,
  type DocumentSigner,
  ownNames,
  OwnCertificates,
  ServiceIdentity,
} from '@app/identity';
import { documentSignerFor, iacaRoot } from '@app/identity/fixtures/document-certificates';
import { certify, type Authority, type CertificateOptions } from '@app/credentials/fixtures/certificates';
import { CertificateKeys, KeyRing } from '@app/keys';
import * as x509 from '@peculiar/x509';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { get } from '../support/http/requests';
import { sharedPostgres } from '../support/database/postgres';
import { type Ran, sealwrightWith } from '../support/service/command-line';
import { type RunningService, startService } from '../support/service/service';
import { readJwt } from '../support/wallets/credentials';

const day = 86_400_000;
const start = Math.floor(Date.now() / 1000) * 1000;
const inDays = (days: number): Date => new Date(start + days * day);

const root = certify({ name: 'Practice root', isAuthority: true, notBefore: inDays(-9), notAfter: inDays(900) });
const middle = certify({ ...issued(), name: 'Practice authority', issuer: root, isAuthority: true });

let settings: Record<string, string>;
let service: RunningService;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sealwright-certificates-'));
  settings = {
    SERVICE__PROFILE: 'development',
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await sharedPostgres().createDatabase(),
    SERVICE__APPLICATION_URL: 'https://credentials.example',
  };
  service = await startService(settings);
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

function issued(): Pick<CertificateOptions, 'notBefore' | 'notAfter'> {
  return { notBefore: inDays(-1), notAfter: inDays(300) };
}

const run = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, ['certificates', ...parameters]);

async function requested(use: string, ...more: string[]): Promise<x509.Pkcs10CertificateRequest> {
  const { code, stdout, stderr } = await run('request', '--use', use, ...more);
  expect([code, stderr]).toEqual([0, expect.stringContaining('sealwright certificates install')]);
  const request = new x509.Pkcs10CertificateRequest(stdout);
  expect(await request.verify()).toBe(true);
  return request;
}

function namesIn({ extensions }: x509.Pkcs10CertificateRequest): readonly { type: string; value: string }[] {
  const found = extensions.find((each) => each instanceof x509.SubjectAlternativeNameExtension);
  return found instanceof x509.SubjectAlternativeNameExtension
    ? found.names.items.map(({ type, value }) => ({ type, value }))
    : [];
}

const keyOf = ({ publicKey }: x509.Pkcs10CertificateRequest): KeyObject =>
  createPublicKey({ key: Buffer.from(publicKey.rawData), format: 'der', type: 'spki' });

/** What an authority makes of a request, with exactly its names unless told otherwise. */
function certified(request: x509.Pkcs10CertificateRequest, more: Partial<CertificateOptions> = {}): Authority {
  const names = namesIn(request);
  const valuesOf = (kind: string): string[] => names.filter(({ type }) => type === kind).map(({ value }) => value);
  return certify({
    ...issued(),
    name: 'Practice service',
    issuer: middle,
    publicKey: keyOf(request),
    dnsNames: valuesOf('dns'),
    uris: valuesOf('url'),
    keyUsage: 0x80,
    ...more,
  });
}

async function install(...chain: readonly (Authority | string)[]): Promise<Ran> {
  const file = join(directory, 'chain.pem');
  const pems = chain.map((each) => (typeof each === 'string' ? each : each.certificate.toString()));
  await writeFile(file, pems.join(''));
  return run('install', file);
}

const own = (): OwnCertificates => service.app.get(OwnCertificates);
const documents = (): DocumentSigner => service.app.get(ServiceIdentity).documentSigner('ES256');
const currentFor = (use: 'credentials' | 'requests') => own().current(use, new Date());
const leafOf = (use: 'credentials' | 'requests'): string => currentFor(use)?.x5c[0] ?? '';
const base64 = ({ certificate }: Authority): string => certificate.raw.toString('base64');
const kids = (): string[] =>
  service.app
    .get(KeyRing)
    .publicKeys()
    .map(({ kid, status }) => `${kid} ${status}`);

/** Waits until the running service does so; fails after half a minute. */
async function follows(condition: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error('the service has not followed within half a minute');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a certificate for requests', () => {
  it('is requested in the name of the public host, for the same key until it is installed', async () => {
    const request = await requested('requests');
    const names = namesIn(request);
    expect([request.subject, names]).toEqual([
      'CN=credentials.example',
      [{ type: 'dns', value: 'credentials.example' }],
    ]);
    const again = await requested(
      'requests',
      '--subject',
      'CN=Example, O=Example Ltd',
      '--dns',
      'a.example',
      'b.example',
    );
    expect(again.subject).toBe('CN=Example, O=Example Ltd');
    expect(keyOf(again).equals(keyOf(request))).toBe(true);
  });

  it('signs from its installation on; those before it are still found, and the root is left out', async () => {
    const before = currentFor('requests')?.fingerprint ?? '';
    const first = certified(await requested('requests'));
    expect(await install(first, middle, root)).toMatchObject({
      code: 0,
      stdout: `CN=Practice service: signs requests from now on, until ${iso(inDays(300))}.\n`,
    });
    await follows(() => leafOf('requests') === base64(first));
    expect(currentFor('requests')?.x5c).toEqual([base64(first), base64(middle)]);
    expect((await own().find('requests', before))?.fingerprint).toBe(before);

    const second = certified(await requested('requests'));
    expect((await install(second, middle)).code).toBe(0);
    await follows(() => leafOf('requests') === base64(second));
    const replaced = await own().find('requests', fingerprintOf(first));
    const token = (await replaced?.sign({ typ: 'oauth-authz-req+jwt' }, { aud: 'somebody' })) ?? '';
    expect(readJwt(token).header).toEqual({
      alg: 'ES256',
      typ: 'oauth-authz-req+jwt',
      x5c: [base64(first), base64(middle)],
    });
  });

  it('is listed with its end, and a warning a month before it', async () => {
    const soon = certified(await requested('requests'), { notAfter: inDays(20) });
    await install(soon, middle);
    await follows(() => leafOf('requests') === base64(soon));
    const { stdout, stderr } = await run('list');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(lines.map(([use, state]) => `${use} ${state}`)).toEqual([
      'USE STATE',
      'requests active',
      'documents active',
      'requests replaced',
      'requests replaced',
    ]);
    expect(lines[1]?.slice(2)).toEqual([iso(inDays(20)), expect.stringMatching(/^[\w-]{43}$/), 'CN=Practice service']);
    expect(stderr).toBe(
      `The certificate for requests ends ${iso(inDays(20))}: run "sealwright certificates request --use requests".\n`,
    );
  });

  it('is not used any more when its key is revoked', async () => {
    const { keyId = '', fingerprint = '' } = currentFor('requests') ?? {};
    const keys = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, ['keys', ...parameters]);
    expect((await keys('revoke', keyId)).stderr).toMatch(/can no longer be answered.*--yes/);
    expect((await keys('revoke', keyId, '--yes')).stdout).toBe(
      `${keyId} is revoked; its certificate is no longer used.\n`,
    );
    await follows(() => currentFor('requests')?.keyId !== keyId);
    expect(await own().find('requests', fingerprint)).toBeUndefined();
  });
});

describe('a certificate with its key, named by the settings', () => {
  it('is used by every replica as soon as one has started with it', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const bought = certified(await requested('requests'), { publicKey });
    const files = { chain: join(directory, 'bought.pem'), key: join(directory, 'bought.key') };
    await writeFile(files.chain, bought.certificate.toString() + middle.certificate.toString());
    await writeFile(files.key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const replica = await startService({
      ...settings,
      SERVICE__CERTIFICATES__REQUESTS__CHAIN_FILE: files.chain,
      SERVICE__CERTIFICATES__REQUESTS__KEY_FILE: files.key,
    });
    await replica.stop();
    await follows(() => leafOf('requests') === base64(bought));
  });
});

describe('a certificate for credentials', () => {
  it('is that of the signing key, then of a new key that takes its place', async () => {
    const ring = service.app.get(KeyRing);
    const { kid } = ring.activeKey('ES256');
    const request = await requested('credentials');
    const names = namesIn(request);
    expect(names).toEqual([
      { type: 'dns', value: 'credentials.example' },
      { type: 'url', value: 'https://credentials.example/openid4vci' },
    ]);
    const first = certified(request);
    expect((await install(first, middle)).stdout).toContain('signs credentials from now on');
    await follows(() => leafOf('credentials') === base64(first));
    expect(currentFor('credentials')?.keyId).toBe(kid);

    const second = certified(await requested('credentials'), { dnsNames: [] });
    await install(second, middle);
    await follows(() => leafOf('credentials') === base64(second));
    expect(kids()).toContain(`${kid} retired`);
    expect(kids()).toContain(`${String(currentFor('credentials')?.keyId)} active`);
    expect((await install(second, middle)).stdout).toContain('has been installed before for credentials');
    expect((await run('list')).stdout).toContain(`credentials  active`);
  });

  it('exists for an EdDSA key as well', async () => {
    const eddsa = certified(await requested('credentials', '--algorithm', 'EdDSA'));
    expect((await install(eddsa, middle)).code).toBe(0);
    const ring = service.app.get(KeyRing);
    await follows(() => own().ofKey(ring.activeKey('EdDSA'))?.x5c[0] === base64(eddsa));
  });
});

describe('a certificate of a document signer', () => {
  it('is requested with its country, and signs ISO mdocs from its installation on, without its root', async () => {
    const now = new Date();
    const iaca = await iacaRoot(now);
    const developed = documents().keyId;
    const request = await requested('documents', '--subject', 'CN=Practice documents, C=DE');
    expect(namesIn(request)).toEqual([]);
    const publicKey = keyOf(request).export({ type: 'spki', format: 'der' });
    const leaf = await documentSignerFor(publicKey, iaca, now, { subject: request.subject, days: 458 });
    const chain = [leaf, iaca.certificate].map((one) => `${one.toString('pem')}\n`);
    const { code, stdout, stderr } = await install(...chain);
    expect([code, stdout]).toEqual([0, expect.stringContaining('CN=Practice documents: signs documents from now on')]);
    expect(stderr).toContain('Readers may object: it is valid for 458 days, and not for 457 at most.');
    await follows(() => documents().keyId !== developed);
    expect(documents().chain).toEqual([Buffer.from(leaf.rawData)]);
    expect((await run('list')).stdout).toMatch(/^documents +active .*CN=Practice documents/m);
  });

  it('is no longer used when its key is revoked', async () => {
    const { keyId } = documents();
    const keys = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, ['keys', ...parameters]);
    expect((await keys('revoke', keyId)).stderr).toMatch(/Documents and status lists are no longer signed.*--yes/);
    expect((await keys('revoke', keyId, '--yes')).code).toBe(0);
    await follows(() => documents().isDevelopment);
  });
});

describe('a certificate for metadata', () => {
  const fetched = () =>
    get(`${service.url}/.well-known/openid-credential-issuer/openid4vci`, { accept: 'application/jwt' });
  const signedBy = async (): Promise<unknown> => (readJwt((await fetched()).text).header['x5c'] as string[])[0];

  it('signs the metadata of the issuer in place of that for credentials, and is listed', async () => {
    expect(await signedBy()).toBe(leafOf('credentials'));
    const request = await requested('metadata', '--subject', 'CN=Example', '--email', 'help@credentials.example');
    expect(namesIn(request)).toEqual([
      { type: 'url', value: 'https://credentials.example/openid4vci' },
      { type: 'email', value: 'help@credentials.example' },
    ]);
    const leaf = certified(request);
    const { code, stdout, stderr } = await install(leaf, middle);
    expect([code, stdout]).toEqual([0, expect.stringContaining('signs metadata from now on')]);
    expect(stderr).toContain('it is no access certificate of the EU (ETSI TS 119 411-8): it has none of');
    await follows(() => own().hasMetadata());
    const { header, payload } = readJwt((await fetched()).text);
    expect(header).toMatchObject({ typ: 'openidvci-issuer-metadata+jwt', x5c: [base64(leaf), base64(middle)] });
    expect(payload).toMatchObject({ sub: 'https://credentials.example/openid4vci', iat: expect.any(Number) as number });
    expect((await run('list')).stdout).toMatch(/^metadata +active .*CN=Practice service/m);
    expect(leafOf('credentials')).not.toBe(base64(leaf));
  });

  it('is followed by none when its key is revoked: that for credentials signs again', async () => {
    const keyId = own().current('metadata', new Date())?.keyId ?? '';
    const keys = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, ['keys', ...parameters]);
    expect((await keys('revoke', keyId)).stderr).toMatch(/Wallets no longer accept the metadata.*--yes/);
    expect((await keys('revoke', keyId, '--yes')).code).toBe(0);
    await follows(() => !own().hasMetadata());
    expect(await signedBy()).toBe(leafOf('credentials'));
  });

  it('leaves the metadata unsigned when it has ended, and the service is not ready', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const ended = certify({
      name: 'Practice metadata',
      issuer: middle,
      publicKey,
      notBefore: inDays(-1),
      notAfter: new Date(start - 3_600_000),
    });
    const { app } = service;
    const names = ownNames('https://credentials.example');
    const installation = new CertificateInstallation(app.get(KeyRing), app.get(CertificateKeys), names);
    const chain = ended.certificate.toString() + middle.certificate.toString();
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await installation.installWithKey('metadata', key, chain, new Date(start - 7_200_000));
    const { status, headers, json } = await fetched();
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('application/json')]);
    expect(json).toMatchObject({ credential_issuer: 'https://credentials.example/openid4vci' });
    const ready = await get(`${service.url}/readyz`);
    expect([ready.status, ready.text]).toEqual([503, expect.stringContaining('that for metadata has expired')]);
    expect((await run('list')).stderr).toContain('certificates request --use metadata');
  });
});

describe('the command', () => {
  it('says what is wrong with a chain, and changes nothing', async () => {
    const before = leafOf('requests');
    const chain = certified(await requested('requests'), { dnsNames: ['other.example'] });
    expect(await install(chain, middle)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Found a certificate without the DNS name credentials.example among its subject alternative names: request it again under the public URL that the service has.\n',
    });
    expect((await run('list')).stdout).toContain('requests     requested');
    expect(leafOf('requests')).toBe(before);
  });

  it.each([
    ['an unknown use', ['request', '--use', 'seals'], 2, /credentials, requests, documents, metadata/],
    ['documents without a country', ['request', '--use', 'documents'], 2, /--subject "CN=..., C=..."/],
    ['EdDSA for requests', ['request', '--use', 'requests', '--algorithm', 'EdDSA'], 2, /Requests are .* ES256/],
    ['EdDSA for metadata', ['request', '--use', 'metadata', '--algorithm', 'EdDSA'], 2, /Metadata are .* ES256/],
    ['a subject without a name', ['request', '--use', 'requests', '--subject', 'Example'], 1, /distinguished name/],
    ['a file that is not there', ['install', '/no/such/file'], 1, /cannot be read/],
  ])('refuses %s', async (_, parameters, code, words) => {
    expect(await run(...parameters)).toEqual({ code, stdout: '', stderr: expect.stringMatching(words) as string });
  });
});

const iso = (date: Date): string => date.toISOString().replace('.000Z', 'Z');

function fingerprintOf({ certificate }: Authority): string {
  return Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
}
