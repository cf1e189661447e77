import { certify, signBy } from '@app/credentials/fixtures/certificates';
import type { Settings } from '@app/config';
import { certifiedKey } from '@app/primitives/fixtures/certified-key';
import type { JsonObject } from '@app/primitives/json';
import { openDriver } from '@app/event-store';
import { OutboundClient } from '@app/outbound';
import { KeptLists } from '@app/identity/src/trust/kept-lists';
import { TrustLists } from '@app/identity';
import {
  entities,
  entity,
  information,
  list,
  pid,
  service,
  services,
  signer,
} from '@app/identity/fixtures/trusted-entities';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedPostgres } from '../support/database/postgres';
import { type IssuerSite, startIssuerSite } from '../support/presenters/issuer';

const now = new Date('2026-11-22T12:00:00Z');
const later = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);

describe('a list of trusted entities', () => {
  let directory: string;
  let site: IssuerSite;
  let client: OutboundClient;
  beforeAll(async () => {
    site = await startIssuerSite();
    client = new OutboundClient({ allowPrivateHosts: [site.host], negativeCacheMs: 0 });
    directory = mkdtempSync(join(tmpdir(), 'lists-'));
    writeFileSync(join(directory, 'operator.pem'), signer.certificate.toString());
  });
  afterAll(async () => {
    await client.close();
    await site.stop();
    rmSync(directory, { recursive: true });
  });

  const publish = (body: string, status = 200): void => {
    site.pages.set('/list', { status, type: 'application/jose', body });
  };
  const open = (entry = `${site.url}/list ${join(directory, 'operator.pem')}`, kept?: KeptLists): TrustLists =>
    new TrustLists({ trust: { lists: [entry] } } as unknown as Settings, client, kept);

  it('gives anchors for what its services do', async () => {
    publish(list());
    const lists = open(`${site.url}/list ${join(directory, 'operator.pem')} urn:eudi:pid:1`);
    expect(await lists.refresh(now)).toBe(true);
    const named = { name: 'PID provider', types: ['urn:eudi:pid:1'], list: `${site.url}/list`, subject: 'CN=pid' };
    expect(lists.anchors(now)).toMatchObject([
      { ...named, purposes: ['issuer', 'document'] },
      { ...named, purposes: ['status'] },
      { name: 'Wallet provider', purposes: ['wallet-provider', 'key-attester'] },
      { name: 'Wallet provider', purposes: ['status'] },
    ]);
    const [issuance, revocation, other] = lists.anchors(now).map((anchor) => anchor.entity);
    expect([revocation === issuance, other === issuance]).toEqual([true, false]);
    expect(lists.faults()).toEqual([]);
    expect(lists.firstEnd()).toEqual(new Date('2026-11-23T00:00:00Z'));
  });

  it('gives those of all kinds of services their purposes', async () => {
    const types = ['EAA/Issuance', 'EAA/Revocation', 'WRPAC/Issuance', 'WRPRC/Issuance', 'WRPRC/Revocation'];
    publish(list({}, [entity('All', ...types.map((type) => service(`${services}${type}`, pid)))]));
    const lists = open();
    await lists.refresh(now);
    expect(lists.anchors(now).map(({ purposes }) => purposes)).toEqual([
      ['issuer', 'document'],
      ['status'],
      ['access'],
      ['registrar'],
      ['status'],
    ]);
  });

  it('is read without its root member, too', async () => {
    const content = { ListAndSchemeInformation: information, TrustedEntitiesList: entities };
    publish(signBy(signer)({}, content));
    const lists = open();
    await lists.refresh(now);
    expect(lists.anchors(now)).toHaveLength(4);
  });

  it('gives none for services of other kinds, withdrawn ones, and certificates that are no authorities', async () => {
    const pubEaa = `${services}PubEAA/Issuance`;
    const status = (word: string): JsonObject => ({
      ServiceStatus: `http://uri.etsi.org/19602/PubEAAProvidersList/SvcStatus/${word}`,
    });
    const broken = { ServiceDigitalIdentity: { X509Certificates: [{ val: 'AAAA' }, { val: 1 }, 'x'] } };
    publish(
      list({}, [
        entity('Other', service(`${services}WRPAC/Revocation`, pid), service('urn:other', pid)),
        entity('Withdrawn', service(pubEaa, pid, status('withdrawn'))),
        entity('Leaf', service(pubEaa, certify({ name: 'leaf', issuer: pid }), status('notified'))),
        entity('Broken', service(pubEaa, pid, broken)),
        entity('Strange', service(pubEaa, pid, { ServiceInformationExtensions: [{ Critical: true }] })),
        entity('Good', service(pubEaa, pid, status('notified'))),
        'no entity',
      ]),
    );
    const lists = open();
    await lists.refresh(now);
    expect(lists.anchors(now)).toMatchObject([{ name: 'Good' }]);
  });

  it('is asked for every hour, and after a failure every minute; what was good is kept until it ends', async () => {
    publish(list());
    const lists = open();
    await lists.refresh(now);
    publish('', 500);
    const asked = site.asked.length;
    expect(await lists.refresh(later(59))).toBe(false);
    expect(site.asked).toHaveLength(asked);
    expect(await lists.refresh(later(60))).toBe(true);
    expect(lists.faults()).toMatchObject([
      { source: `${site.url}/list`, found: expect.stringContaining('no list') as string },
    ]);
    expect(lists.anchors(later(60))).toHaveLength(4);
    expect(lists.anchors(new Date(information.NextUpdate))).toEqual([]);
    publish(list({ LoTESequenceNumber: 8, NextUpdate: '2026-11-24T00:00:00Z' }));
    expect(await lists.refresh(later(61))).toBe(true);
    expect(lists.faults()).toEqual([]);
    expect(lists.anchors(new Date(information.NextUpdate))).toHaveLength(4);
  });

  it('is not replaced by an older one', async () => {
    publish(list());
    const lists = open();
    await lists.refresh(now);
    publish(list({ LoTESequenceNumber: 6 }, []));
    await lists.refresh(later(60));
    expect(lists.anchors(later(60))).toHaveLength(4);
    expect(lists.faults()).toMatchObject([{ found: 'an older list than before' }]);
  });

  it('counts no longer when its signer is withdrawn, and the next one of the new signer counts whatever its number', async () => {
    const file = join(directory, 'changing.pem');
    const next = certify({ name: 'next operator' });
    writeFileSync(file, signer.certificate.toString());
    publish(list({ LoTESequenceNumber: 1000 }));
    const lists = open(`${site.url}/list ${file}`);
    await lists.refresh(now);
    expect(lists.anchors(now)).toHaveLength(4);
    writeFileSync(file, next.certificate.toString());
    expect(await lists.refresh(later(1))).toBe(true);
    expect(lists.anchors(later(1))).toEqual([]);
    expect(lists.faults()).toMatchObject([{ found: 'a list of another signer' }]);
    publish(list({}, entities, next));
    await lists.refresh(later(2));
    expect(lists.anchors(later(2))).toHaveLength(4);
    expect(lists.faults()).toEqual([]);
  });

  it('is kept while the file with its signer cannot be read, and when another signer is added', async () => {
    const file = join(directory, 'kept.pem');
    writeFileSync(file, signer.certificate.toString());
    publish(list());
    const lists = open(`${site.url}/list ${file}`);
    await lists.refresh(now);
    rmSync(file);
    expect(await lists.refresh(later(1))).toBe(true);
    expect(lists.faults()).toMatchObject([{ found: expect.stringContaining('no readable file') as string }]);
    expect(lists.anchors(later(1))).toHaveLength(4);
    writeFileSync(file, pid.certificate.toString() + signer.certificate.toString());
    await lists.refresh(later(2));
    expect(lists.anchors(later(2))).toHaveLength(4);
    expect(lists.faults()).toEqual([]);
  });

  it('gives an anchor without a name, too', async () => {
    publish(
      list({}, [entity('Nameless', service(`${services}PID/Issuance`, certify({ name: '', isAuthority: true })))]),
    );
    const lists = open();
    await lists.refresh(now);
    expect(lists.anchors(now)).toMatchObject([{ name: 'Nameless', subject: '' }]);
  });

  it('is trusted by a process that starts while it cannot be had, and not replaced by one that ends sooner', async () => {
    const connectionString = await sharedPostgres().createDatabase();
    const driver = await openDriver({ type: 'postgres', connectionString, poolSize: 2 });
    const started = (): TrustLists => open(undefined, new KeptLists(driver));
    publish(list());
    await started().refresh(now);
    publish('', 500);
    const later = started();
    await later.refresh(now);
    expect(later.anchors(now)).toHaveLength(4);
    const kept = new KeptLists(driver);
    const url = `${site.url}/list`;
    await kept.keep({ url, text: 'sooner', nextUpdate: now, isForced: false });
    expect(await kept.read(url)).toMatch(/^ey/);
    await kept.keep({ url, text: 'forced', nextUpdate: now, isForced: true });
    expect(await kept.read(url)).toBe('forced');
    await driver.close();
  });

  const past = certify({ name: 'operator', notAfter: new Date('2026-11-01T00:00:00Z') });

  it.each<[string, () => string, string]>([
    ['signed by another', () => list({}, entities, pid), 'a list of another signer'],
    ['changed after it was signed', () => list().replace(/\.[^.]+\./, '.e30.'), 'a list of another signer'],
    ['not signed', () => JSON.stringify({ LoTE: {} }), 'no compact JWS'],
    ['of HTML', () => '<html></html>', 'no compact JWS'],
    ['that has expired', () => list({ NextUpdate: '2026-11-22T11:00:00Z' }), 'an expired list'],
    ['without an end', () => list({ NextUpdate: null }), 'no NextUpdate'],
    ['of tomorrow', () => list({ ListIssueDateTime: '2026-11-23T00:00:00Z' }), 'an issue date to come, or none'],
    ['without a number', () => list({ LoTESequenceNumber: 'x' }), 'no LoTESequenceNumber'],
    [
      'with a critical extension',
      () => list({ SchemeExtensions: [{ Critical: true }] }),
      'a critical extension that is not understood',
    ],
    ['of something else', () => signBy(signer)({}, { sub: 'x' }), 'no ListAndSchemeInformation'],
    ['beyond four MiB', () => 'e'.repeat(4 * 1024 * 1024 + 1), 'no list: the answer is larger than 4194304 bytes'],
  ])('%s gives no anchors', async (_, body, found) => {
    publish(body());
    const lists = open();
    await lists.refresh(now);
    expect(lists.anchors(now)).toEqual([]);
    expect(lists.faults()).toMatchObject([{ found }]);
    expect(lists.firstEnd()).toEqual(new Date(0));
  });

  it('may be signed with RSA, or on P-521', async () => {
    const file = join(directory, 'authority.pem');
    const content = JSON.parse(Buffer.from(list().split('.')[1] ?? '', 'base64url').toString('utf8')) as JsonObject;
    for (const [alg, kind] of [
      ['RS256', 'rsa'],
      ['PS384', 'rsa'],
      ['ES512', 'p521'],
    ] as const) {
      const key = certifiedKey(kind);
      writeFileSync(file, certify({ name: 'operator', issuer: signer, key }).certificate.toString());
      publish(key.sign(alg, { typ: 'JOSE' }, content));
      const lists = open(`${site.url}/list ${file}`);
      await lists.refresh(now);
      expect(lists.faults()).toEqual([]);
      expect(lists.anchors(now)).not.toEqual([]);
      await lists.refresh(new Date(now.getTime() + 2_000));
      expect(lists.anchors(now)).not.toEqual([]);
      publish(certifiedKey(kind).sign(alg, { typ: 'JOSE' }, content));
      const forged = open(`${site.url}/list ${file}`);
      await forged.refresh(now);
      expect(forged.faults()).toMatchObject([{ found: 'a list of another signer' }]);
    }
  });

  it('needs a signer whose certificate is valid and can be read', async () => {
    const file = join(directory, 'past.pem');
    writeFileSync(file, past.certificate.toString());
    publish(list({}, entities, past));
    const lists = open(`${site.url}/list ${file}`);
    await lists.refresh(now);
    expect(lists.faults()).toMatchObject([{ found: 'a signer whose certificate has expired' }]);
    const foreignCurve = generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' });
    writeFileSync(file, certify({ name: 'operator', key: foreignCurve }).certificate.toString());
    const unsupported = open(`${site.url}/list ${file}`);
    await unsupported.refresh(now);
    const remedy = expect.stringContaining('RSA keys of 2048 bits or more are supported') as string;
    expect(unsupported.faults()).toMatchObject([{ found: 'a list of another signer', remedy }]);
    await expect(open(`${site.url}/list ${join(directory, 'none.pem')}`).checkSigners()).rejects.toThrow('none.pem');
    await expect(open().checkSigners()).resolves.toBeUndefined();
  });
});
