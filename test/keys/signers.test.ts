import { didJwk } from '@app/credentials';
import { Settings } from '@app/config';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { CertificateInstallation, certificationRequest, ownNames, ServiceIdentity } from '@app/identity';
import { documentSignerFor, iacaRoot } from '@app/identity/fixtures/document-certificates';
import { CertificateKeys, KeyRing, openExistingKeys, signingPolicy } from '@app/keys';
import { MetricsListener } from '@app/observability';
import * as x509 from '@peculiar/x509';
import { createPublicKey, hash, verify, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { answered, get, type Json } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { scrape, valueOf } from '../support/service/scraped-metrics';
import { fakeHttp, httpToken } from '../support/signers/fake-http';
import { type FakeSigner, startFakeSigner } from '../support/signers/fake-signer';
import { readJwt } from '../support/wallets/credentials';
import { newHolder } from '../support/wallets/key-proofs';
import { credentialsOf, openSession, receive, requestCredential } from '../support/wallets/wallet';
import { storedEvents } from '../support/database/stored-rows';

/** A service whose credentials are signed by a signer of the operator's own, and all else by keys in the database. */
let signer: FakeSigner;
let service: RunningService;
let directory: string;
let templateId: string;
/** What the service has signed to see whether the signer does. */
const probe = hash('sha256', 'probe', 'base64url');
const ring = (): KeyRing => service.app.get(KeyRing);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signers-'));
  const tokenFile = join(directory, 'token');
  writeFileSync(tokenFile, httpToken);
  signer = await startFakeSigner(fakeHttp());
  service = await startService({
    SERVICE__SIGNER__HSM__TYPE: 'http',
    SERVICE__SIGNER__HSM__URL: `${signer.url}/signer`,
    SERVICE__SIGNER__HSM__TOKEN_FILE: tokenFile,
    SERVICE__SIGNER__FOR_CREDENTIALS: 'hsm',
    SERVICE__SIGNER__VERIFY: 'always',
    SERVICE__METRICS__ENABLED: 'true',
    SERVICE__METRICS__PORT: '0',
  });
  templateId = await publishedTemplate(service.url, { revocable: true });
});
afterAll(async () => {
  await service.stop();
  await signer.stop();
  rmSync(directory, { recursive: true });
});
afterEach(() => {
  signer.reset();
});

/** Why it is not ready. */
async function unready(): Promise<string> {
  await ring().provided.look();
  // Longer than probes share a result.
  await delay(300);
  const { json } = await get(`${service.url}/readyz`);
  const reason = JSON.stringify((json['error'] as Json)['signing_keys'] ?? 'ready');
  const samples = await scrape(service.app.get(MetricsListener).port ?? 0);
  expect(valueOf(samples, 'sealwright_signer_calls', { signer: 'hsm', state: 'allowed' })).toBeGreaterThan(0);
  expect(valueOf(samples, 'sealwright_signer_failing', { signer: 'hsm' })).toBe(reason === '"ready"' ? 0 : 1);
  return reason;
}

it('says when to come back before a key was adopted, and is not ready', async () => {
  expect(await unready()).toContain('ES256 of hsm (missing)');
  const { link } = await prepareOffer(service.url, [templateId]);
  expectRefusal(await requestCredential(await openSession(link)), 503, 'temporarily_unavailable');
});

describe('a credential', () => {
  beforeAll(async () => {
    signer.add('credentials', 'ES256');
    await ring().adopt('hsm', 'credentials');
  });

  it('is signed by the adopted key, which is published; metadata and status lists need no signature of it', async () => {
    const { kid } = ring().activeKey('ES256');
    const { link } = await prepareOffer(service.url, [templateId]);
    const session = await openSession(link);
    signer.requests.length = 0;
    const [credential = ''] = credentialsOf(answered(200, await requestCredential(session)));
    expect(signer.requests.map(({ path }) => path)).toEqual(['/signer/keys/credentials/sign']);
    const { keys } = answered(200, await get(`${service.url}/jwks.json`)) as { keys: Json[] };
    expect(keys.find((key) => key['kid'] === kid)).toMatchObject(signer.keys.get('credentials')?.[0]?.publicJwk ?? {});
    const { uri } = (readJwt(credential.split('~')[0] ?? '').payload['status'] as { status_list: { uri: string } })
      .status_list;
    signer.requests.length = 0;
    expect((await get(uri)).status).toBe(200);
    expect((await get(`${service.url}/.well-known/openid-credential-issuer/openid4vci`)).status).toBe(200);
    expect(signer.requests).toEqual([]);
  });

  /** Of status lists; none is used twice. */
  const entries = new Set<unknown>();
  const entryOf = (credential: string): unknown =>
    JSON.stringify(readJwt(credential.split('~')[0] ?? '').payload['status']);

  it('by another algorithm is signed while the key of one is gone, which readiness names', async () => {
    const made = signer.keys.get('credentials') ?? [];
    signer.keys.delete('credentials');
    signer.add('edwards', 'EdDSA');
    const { kid } = await ring().adopt('hsm', 'edwards');
    const template = await publishedTemplate(service.url, { signingAlgorithm: 'EdDSA' });
    const [credential = ''] = await receive((await prepareOffer(service.url, [template])).link);
    expect(readJwt(credential.split('~')[0] ?? '').header['alg']).toBe('EdDSA');
    expect(await unready()).toContain('"ES256 of hsm (missing) cannot be used"');
    signer.keys.set('credentials', made);
    await ring().revoke(kid);
  });

  it('is signed for all who were throttled at once, when they come again', async () => {
    const offers = await Promise.all(Array.from({ length: 20 }, () => prepareOffer(service.url, [templateId])));
    const waiting = await Promise.all(
      offers.map(async ({ link }) => ({ session: await openSession(link), holders: [newHolder()] })),
    );
    const ask = () => Promise.all(waiting.map(({ session, holders }) => requestCredential(session, { holders })));
    signer.requests.length = 0;
    signer.knobs.throttle = { status: 429, retryAfter: '60' };
    const refused = (await ask()).map(({ status, headers }) => [status, headers.get('retry-after')]);
    expect(refused).toEqual(Array(20).fill([503, '60']));
    // Nobody asks again on behalf of a wallet.
    expect(signer.requests.filter(({ text }) => !text.includes(probe))).toHaveLength(20);
    signer.reset();
    const credentials = (await ask()).flatMap((reply) => credentialsOf(answered(200, reply)));
    expect(new Set(credentials.map(entryOf)).size).toBe(20);
  });

  it.each([
    ['is throttled', () => (signer.knobs.throttle = { status: 429, retryAfter: '7' }), '7'],
    ['refuses', () => (signer.knobs.deny = true), '2'],
    ['makes signatures of another key', () => (signer.knobs.garbage = 'other-key'), '2'],
    ['makes signatures of 63 bytes', () => (signer.knobs.garbage = 'short'), '2'],
    ['cuts connections off', () => (signer.knobs.die = Infinity), '2'],
    ['has lost the key', () => signer.keys.delete('credentials'), '2'],
  ])('is received once, later, when its signer %s meanwhile', async (_what, trouble, retryAfter) => {
    const { link, credentialIds } = await prepareOffer(service.url, [templateId]);
    const session = await openSession(link);
    const holders = [newHolder()];
    const made = signer.keys.get('credentials') ?? [];
    trouble();
    const refused = await requestCredential(session, { holders });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, retryAfter]);
    expect(refused.text).not.toContain('hsm');
    expect(await unready()).toContain('ES256 of hsm');
    // What other keys sign, and documents, are there meanwhile.
    expect((await get(`${service.url}/jwks.json`)).status).toBe(200);
    signer.reset();
    signer.keys.set('credentials', made);
    expect(await unready()).toBe('"ready"');
    const [credential = '', ...more] = credentialsOf(answered(200, await requestCredential(session, { holders })));
    expect([more, entries.has(entryOf(credential))]).toEqual([[], false]);
    entries.add(entryOf(credential));
    const types = await storedEvents(service, `credential-${credentialIds[0] ?? ''}`);
    expect(types.filter((type) => type === 'CredentialIssued')).toHaveLength(1);
  });

  it('is signed by the version that was adopted, whatever became of the key there', async () => {
    const { kid } = ring().activeKey('ES256');
    signer.add('next', 'ES256');
    const adopted = await ring().adopt('hsm', 'next');
    expect(ring().activeKey('ES256').kid).toBe(adopted.kid);
    const published = ring().publicKeys();
    expect(published.find((key) => key.kid === kid)?.status).toBe('retired');
    // A second time it is the same key.
    expect(await ring().adopt('hsm', 'next')).toEqual(adopted);
    expect(ring().publicKeys()).toEqual(published);
    // The one before does not come back.
    await expect(ring().adopt('hsm', 'credentials')).rejects.toThrow('credentials is retired');
    expect(ring().activeKey('ES256').kid).toBe(adopted.kid);
  });

  it('is signed by one of two keys that are adopted at the same time', async () => {
    signer.add('one', 'ES256');
    signer.add('other', 'ES256');
    const settings = service.app.get(Settings);
    const replica = await openExistingKeys(
      service.app.get<SqlDriver>(SQL_DRIVER),
      settings.secretManager.strongholdPassword,
      await signingPolicy(settings.signer),
    );
    const [first, second] = await Promise.allSettled([ring().adopt('hsm', 'one'), replica.adopt('hsm', 'other')]);
    await ring().refresh();
    const active = ring()
      .publicKeys()
      .filter(({ status, algorithm }) => status === 'active' && algorithm === 'ES256');
    // The other active one is that of the database.
    expect(active).toHaveLength(2);
    const refused = [first, second].filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeLessThanOrEqual(1);
    for (const { reason } of refused as PromiseRejectedResult[]) expect(String(reason)).toContain('adopt o');
    await replica.onApplicationShutdown();
  });

  it('waits for a key again when the one that signed was revoked', async () => {
    await ring().revoke(ring().activeKey('ES256').kid);
    const { link } = await prepareOffer(service.url, [templateId]);
    const session = await openSession(link);
    expectRefusal(await requestCredential(session), 503, 'temporarily_unavailable');
    const { kid } = await ring().generate('hsm', 'ES256');
    const [credential = ''] = credentialsOf(answered(200, await requestCredential(session)));
    const { publicJwk } = ring().activeKey('ES256');
    expect(readJwt(credential.split('~')[0] ?? '').header['kid']).toBe(`${didJwk(publicJwk)}#0`);
    expect(ring().activeKey('ES256').kid).toBe(kid);
  });
});

describe('a document signer whose key is at a signer', () => {
  const installation = (): CertificateInstallation =>
    new CertificateInstallation(ring(), service.app.get(CertificateKeys), ownNames(service.url));

  it('signs by it once the certificate is installed, and keeps its row proven', async () => {
    const now = new Date();
    signer.add('documents', 'ES256');
    const at = { provider: 'hsm', reference: 'documents' };
    const key = await installation().keyFor('documents', 'ES256', at);
    await expect(installation().keyFor('documents', 'ES256', { provider: 'hsm' })).resolves.toMatchObject({
      kid: key.kid,
    });
    const request = await certificationRequest(key, {
      subject: 'CN=Signer, C=DE',
      dns: [],
      uris: [],
      isDocumentSigner: true,
    });
    await expect(new x509.Pkcs10CertificateRequest(request).verify()).resolves.toBe(true);
    const iaca = await iacaRoot(now);
    const spki = createPublicKey({ key: { ...key.publicJwk }, format: 'jwk' }).export({ type: 'spki', format: 'der' });
    const leaf = await documentSignerFor(spki, iaca, now);
    await installation().install(`${leaf.toString('pem')}\n${iaca.certificate.toString('pem')}\n`, now);
    const documents = service.app.get(ServiceIdentity).documentSigner('ES256');
    const data = Buffer.from('a document');
    const { publicKey } = new X509Certificate(documents.chain[0] ?? '');
    expect(documents.keyId).toBe(key.kid);
    expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, await documents.sign(data))).toBe(
      true,
    );
    signer.knobs.deny = true;
    await expect(documents.sign(data)).rejects.toThrow('hsm');
    await ring().provided.look();
    expect(ring().provided.failing).toContainEqual({ provider: 'hsm', algorithm: 'ES256', reason: 'denied' });
    signer.reset();
    // The same key has one certificate for good.
    await expect(installation().keyFor('documents', 'ES256', at)).rejects.toThrow('a key that has a certificate');
  });
});
