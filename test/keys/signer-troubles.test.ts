import { certify } from '@app/credentials/fixtures/certificates';
import { KeyRing } from '@app/keys';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { createPublicKey, hash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { ask, receiveRequest, respond } from '../support/presenters/presenter';
import { sealwrightWith } from '../support/service/command-line';
import { examine } from '../support/service/examination';
import { freePort, type RunningService, startService } from '../support/service/service';
import { fakeHttp, httpToken } from '../support/signers/fake-http';
import { type FakeSigner, startFakeSigner } from '../support/signers/fake-signer';
import { tokenStatus } from '../support/verifiers/status-readers';
import { readJwt } from '../support/wallets/credentials';
import { openSession, receive, requestCredential } from '../support/wallets/wallet';
import { eventually } from '../event-store/accounts';

/** A service whose credentials and status lists are signed elsewhere, from the first key on until the device is gone for good. */
const postgres = sharedPostgres();
let signer: FakeSigner;
let directory: string;
let settings: Record<string, string>;
/** The same after a restart. */
let url: string;
let service: RunningService;
let written = '';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signer-troubles-'));
  const tokenFile = join(directory, 'token');
  writeFileSync(tokenFile, httpToken);
  signer = await startFakeSigner(fakeHttp());
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  settings = {
    SERVICE__APPLICATION_URL: url,
    SERVICE__HTTP__PORT: port,
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await postgres.createDatabase(),
    SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD: 'Canary-stronghold-7f3a91',
    SERVICE__SIGNER__HSM__TYPE: 'http',
    SERVICE__SIGNER__HSM__URL: `${signer.url}/signer`,
    SERVICE__SIGNER__HSM__TOKEN_FILE: tokenFile,
    SERVICE__SIGNER__FOR_CREDENTIALS: 'hsm',
    SERVICE__SIGNER__FOR_STATUS: 'hsm',
    SERVICE__SIGNER__FOR_METADATA: 'hsm',
    // A list is signed again after half of it.
    SERVICE__STATUS_LISTS__TTL_SECONDS: '86400',
  };
  service = await startService(settings);
});
afterAll(async () => {
  await service.stop();
  await signer.stop();
  rmSync(directory, { recursive: true });
});

const keys = async (...parameters: string[]) => {
  const ran = await sealwrightWith(settings, ['keys', ...parameters]);
  written += ran.stdout + ran.stderr;
  return ran;
};
const certificates = async (...parameters: string[]): Promise<string> => {
  const { code, stdout, stderr } = await sealwrightWith(settings, ['certificates', ...parameters]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
};
const keyIn = (request: string): string =>
  Buffer.from(new Pkcs10CertificateRequest(request).publicKey.rawData).toString('base64');
/** Has an authority certify the key of a request (PKCS#10), and installs that. */
async function certified(request: string): Promise<void> {
  const now = Date.now();
  const times = { notBefore: new Date(now - 86_400_000), notAfter: new Date(now + 86_400_000_000) };
  const issuer = certify({ ...times, name: 'Practice root', isAuthority: true });
  const { publicKey } = new Pkcs10CertificateRequest(request);
  const key = createPublicKey({ key: Buffer.from(publicKey.rawData), format: 'der', type: 'spki' });
  const leaf = certify({ ...times, name: 'Practice', issuer, publicKey: key, dnsNames: ['127.0.0.1'], keyUsage: 0x80 });
  const file = join(directory, 'chain.pem');
  writeFileSync(file, leaf.certificate.toString());
  await certificates('install', file);
  await service.app.get(KeyRing).refresh();
}
const probe = hash('sha256', 'probe', 'base64url');
/** Signatures that the signer was asked for, but for those by which the service sees whether it signs. */
const asked = (): number =>
  signer.requests.filter(({ path, text }) => path.endsWith('/sign') && !text.includes(probe)).length;
const es256 = () => service.app.get(KeyRing).activeKey('ES256').kid;

it('every key that is adopted or made is in the audit, as is every attempt', async () => {
  signer.add('credentials', 'ES256');
  expect(await keys('adopt', 'credentials', '--provider', 'hsm')).toMatchObject({ code: 0 });
  await service.app.get(KeyRing).refresh();
  const adopted = es256();
  expect(await keys('generate', '--provider', 'HSM')).toMatchObject({ code: 0 });
  await service.app.get(KeyRing).refresh();
  const made = es256();
  expect(made).not.toBe(adopted);
  expect(await keys('adopt', 'nowhere', '--provider', 'hsm')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('The signer "hsm": missing') as string,
  });
  signer.add('replaced', 'ES256');
  signer.knobs.garbage = 'other-key';
  const replaced = await keys('adopt', 'replaced', '--provider', 'hsm');
  expect(replaced).toMatchObject({ code: 1, stderr: expect.stringContaining('"hsm": garbage') as string });
  signer.reset();
  signer.knobs.deny = true;
  expect(await keys('generate', '--provider', 'hsm')).toMatchObject({ code: 1 });
  signer.reset();

  const { items } = answered(200, await get(`${url}/v0/audit?limit=100`));
  const rows = (items as Json[]).toReversed().filter(({ action }) => String(action).startsWith('keys.'));
  written += JSON.stringify(rows);
  expect(rows.map(({ action, object, outcome }) => [action, object, outcome].join(' '))).toEqual([
    ...['keys.adopt credentials started', `keys.adopt ${adopted} ok`],
    ...['keys.generate  started', `keys.generate ${made} ok`],
    ...['keys.adopt nowhere started', 'keys.adopt nowhere failed'],
    ...['keys.adopt replaced started', 'keys.adopt replaced failed', 'keys.generate  started', 'keys.generate  failed'],
  ]);
  expect(new Set(rows.map(({ principal }) => principal)).size).toBe(1);
});

it('no secret of a signer is in the configuration, the findings of the doctor, the answers of commands, or the audit', async () => {
  const { text, json } = await get(`${url}/v0/configuration`);
  expect((json['signer'] as Json)['providers']).toMatchObject({ hsm: { type: 'http', url: `${signer.url}/signer` } });
  signer.knobs.deny = true;
  const { failed, of, findings } = await examine(settings);
  signer.reset();
  // The database of the tests answers before it writes.
  expect(failed).toEqual(['durability', 'signing keys']);
  expect(of('signing keys')?.found).toBe('the ES256 key of the signer "hsm" does not sign: denied');
  const shown = await sealwrightWith(settings, ['config', 'print']);
  expect(shown.code).toBe(0);
  for (const said of [text, written, JSON.stringify(findings), shown.stdout]) {
    expect(said).not.toBe('');
    expect(said).not.toContain(httpToken);
  }
});

describe('once credentials are issued', () => {
  let templateId: string;
  let credential: string;
  let credentialId: string;
  let waiting: ReturnType<typeof requestCredential>[];

  beforeAll(async () => {
    templateId = await publishedTemplate(url, { revocable: true });
    const offer = await prepareOffer(url, [templateId]);
    [credential = ''] = await receive(offer.link);
    [credentialId = ''] = offer.credentialIds;
    expect(await tokenStatus(credential)).toBe(0);
  });

  it('a status list is signed once for all verifiers, until it changes', async () => {
    const offer = await prepareOffer(url, [templateId]);
    const [other = ''] = await receive(offer.link);
    const { uri } = (readJwt(other.split('~')[0] ?? '').payload['status'] as { status_list: { uri: string } })
      .status_list;
    const all = async (): Promise<number> =>
      new Set((await Promise.all(Array.from({ length: 20 }, () => get(uri)))).map(({ text }) => text)).size;
    expect([await tokenStatus(other), await all()]).toEqual([0, 1]);
    signer.requests.length = 0;
    expect([await all(), asked()]).toEqual([1, 0]);
    expect((await postJson(`${url}/v0/credentials/${offer.credentialIds[0] ?? ''}/revoke`, {})).status).toBe(204);
    await eventually(async () => (await tokenStatus(other)) === 1);
    expect([await tokenStatus(credential), await all(), asked()]).toEqual([0, 1, 1]);
  });

  it('requests under a certificate are signed by its key, wherever that is', async () => {
    const usual = settings;
    settings = { ...settings, SERVICE__SIGNER__FOR_REQUESTS: 'hsm' };
    await certified(await certificates('request', '--use', 'requests'));
    settings = usual;
    signer.requests.length = 0;
    const body = { clientIdPrefix: 'x509_hash', dcql_query: { credentials: [idCard] } };
    expect((await receiveRequest(await ask(url, body))).clientId).toMatch(/^x509_hash:/);
    expect(asked()).toBe(1);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('metadata are signed once for all wallets, until they change or half of their time is over', async () => {
    await certified(await certificates('request', '--use', 'credentials'));
    const address = `${url}/.well-known/openid-credential-issuer/openid4vci`;
    const documents = async (): Promise<Set<string>> => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => get(address, { accept: 'application/jwt' })));
      expect(new Set(replies.map(({ headers }) => headers.get('content-type')))).toEqual(new Set(['application/jwt']));
      return new Set(replies.map(({ text }) => text));
    };
    signer.requests.length = 0;
    const first = await documents();
    expect([first.size, asked()]).toEqual([1, 1]);
    const began = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(began + 11 * 3_600_000);
    expect([await documents(), asked()]).toEqual([first, 1]);
    clock.mockReturnValue(began + 13 * 3_600_000);
    expect([(await documents()).size, asked()]).toEqual([1, 2]);
    jest.restoreAllMocks();
    await publishedTemplate(url);
    const [changed = ''] = await documents();
    expect(asked()).toBe(3);
    expect(readJwt(changed).payload).toMatchObject((await get(address)).json);
  });

  it('the key of the next certificate is made where the present one is, and signs when that is installed', async () => {
    const before = es256();
    const request = await certificates('request', '--use', 'credentials');
    expect(keyIn(await certificates('request', '--use', 'credentials', '--signer', 'HSM'))).toBe(keyIn(request));
    expect(es256()).toBe(before);
    await certified(request);
    expect(es256()).not.toBe(before);
    const address = `${url}/.well-known/openid-credential-issuer/openid4vci`;
    const { header } = readJwt((await get(address, { accept: 'application/jwt' })).text);
    const leaf = new X509Certificate(Buffer.from(String((header['x5c'] as string[])[0]), 'base64'));
    const { publicJwk } = service.app.get(KeyRing).activeKey('ES256');
    expect(leaf.publicKey.export({ format: 'jwk' })).toEqual(publicJwk);
    expect([...signer.keys.values()].map(([key]) => key?.publicJwk)).toContainEqual(expect.objectContaining(publicJwk));
    expect(keyIn(await certificates('request', '--use', 'credentials', '--signer', 'local'))).not.toBe(keyIn(request));
  });

  it('everybody else goes on while a signature hangs', async () => {
    const holdings = await receiveHoldings(url, { given_name: 'Erika' });
    const sessions = await Promise.all(
      Array.from({ length: 20 }, async () => openSession((await prepareOffer(url, [templateId])).link)),
    );
    signer.requests.length = 0;
    signer.knobs.hang = '/sign';
    let answers = 0;
    waiting = sessions.map((session) => requestCredential(session).finally(() => answers++));
    while (signer.requests.length < 16) await new Promise(setImmediate);

    await openSession((await prepareOffer(url, [templateId])).link);
    const received = await receiveRequest(await ask(url, { dcql_query: { credentials: [idCard] } }));
    answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
    answered(200, await get(`${url}/jwks.json`));
    // What is not signed yet is not said yet.
    expect((await postJson(`${url}/v0/credentials/${credentialId}/revoke`, {})).status).toBe(204);
    // Longer than a list is not compared with the database.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await tokenStatus(credential)).toBe(0);
    expect(answers).toBe(0);
  });

  it('all who wait hear of it when the device is taken away, and a list is served as it was signed', async () => {
    await signer.stop();
    for (const reply of await Promise.all(waiting)) expectRefusal(reply, 503, 'temporarily_unavailable');
    expect(await tokenStatus(credential)).toBe(0);
  });

  it('a restart without the device serves documents and keys, and says which signer is missing', async () => {
    const kid = es256();
    const paths = ['/jwks.json', '/did.json', '/.well-known/openid-credential-issuer/openid4vci'];
    const documents = async () =>
      Promise.all(
        paths.map(async (path) => {
          const { status, text } = await get(url + path);
          return [path, status, text] as const;
        }),
      );
    const before = await documents();
    expect(before.map(([, status]) => status)).toEqual(paths.map(() => 200));
    await service.stop();
    service = await startService(settings);
    expect(await documents()).toEqual(before);
    expect(before[0]?.[2]).toContain(kid);
    await service.app.get(KeyRing).provided.look();
    const { status, json } = await get(`${url}/readyz`);
    expect([status, (json['error'] as Json)['signing_keys']]).toEqual([
      503,
      { status: 'down', message: 'ES256 of hsm (unreachable) cannot be used' },
    ]);
    const { link } = await prepareOffer(url, [templateId]);
    expectRefusal(await requestCredential(await openSession(link)), 503, 'temporarily_unavailable');
  });
});
