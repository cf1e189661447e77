import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certify } from '@app/credentials/fixtures/certificates';
import { type HttpProviderOptions, openHttpProvider, secretFile } from '@app/keys';
import { fakeHttp, httpToken } from '../support/signers/fake-http';
import { type FakeSigner, startFakeSigner } from '../support/signers/fake-signer';

const directory = mkdtempSync(join(tmpdir(), 'provider-'));
const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const opened: { close(): Promise<void> }[] = [];
const signers: FakeSigner[] = [];
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await Promise.all(signers.map((signer) => signer.stop()));
  await Promise.all(opened.map((provider) => provider.close()));
});

const start = async (...parameters: Parameters<typeof startFakeSigner>): Promise<FakeSigner> => {
  const signer = await startFakeSigner(...parameters);
  signers.push(signer);
  signer.add('key', 'ES256');
  return signer;
};
const open = (options: Omit<Extract<HttpProviderOptions, { type: 'http' }>, 'type' | 'name'>) => {
  const provider = openHttpProvider({ type: 'http', name: 'hsm', ...options });
  opened.push(provider);
  return provider;
};

describe('the secret of a provider', () => {
  it('is what its file holds at each call', async () => {
    const signer = await start(fakeHttp());
    const path = file('token', `${httpToken}\n`);
    const provider = open({ url: `${signer.url}/signer`, token: secretFile(path) });
    await expect(provider.find('key')).resolves.toMatchObject({ reference: 'key' });
    writeFileSync(path, 'another');
    utimesSync(path, new Date(), new Date(Date.now() + 5_000));
    await expect(provider.find('key')).rejects.toMatchObject({ fault: 'denied', code: 'HTTP 401' });
    writeFileSync(path, httpToken);
    utimesSync(path, new Date(), new Date(Date.now() + 10_000));
    await expect(provider.find('key')).resolves.toMatchObject({ reference: 'key' });
  });

  it('is the last one while its file is empty or missing', async () => {
    const path = file('renewed', 'first');
    const secret = secretFile(path);
    await expect(secret()).resolves.toBe('first');
    writeFileSync(path, '\n');
    await expect(secret()).resolves.toBe('first');
    rmSync(path);
    await expect(secret()).resolves.toBe('first');
    writeFileSync(path, ' second\n');
    await expect(secret()).resolves.toBe('second');
  });

  it('is missed with the name of its file', async () => {
    const signer = await start(fakeHttp());
    for (const path of [join(directory, 'none'), file('empty', '')]) {
      const provider = open({ url: `${signer.url}/signer`, token: secretFile(path) });
      const code = `no secret can be read from ${path}`;
      await expect(provider.find('key')).rejects.toMatchObject({ fault: 'denied', code });
    }
    expect(signer.requests).toHaveLength(0);
  });
});

describe('the address of a provider', () => {
  const token = () => Promise.resolve(httpToken);

  it.each([
    ['signer.example', 'is no URL: give one such as https://signer.example.com'],
    ['http://signer.example', 'is not an https URL; http is for loopback addresses only'],
    ['http://10.0.0.1', 'is not an https URL; http is for loopback addresses only'],
    ['http://127.0.0.1.example', 'is not an https URL; http is for loopback addresses only'],
    ['ftp://127.0.0.1', 'is not an https URL; http is for loopback addresses only'],
    ['https://me:hidden@signer.example', 'has a user name or password: give secrets in files'],
    ['https://signer.example/?key=hidden', 'has a query or fragment: leave it out'],
  ])('cannot be %s', (url, what) => {
    expect(() => open({ url, token })).toThrow(`The address of the signer "hsm" ${what}.`);
  });

  it.each(['http://[::1]', 'http://localhost:8200', 'https://10.0.0.1', 'https://signer.internal:8443/path/'])(
    'can be %s',
    (url) => {
      expect(() => open({ url, token })).not.toThrow();
    },
  );

  it('is unreachable where nobody listens, by the word of the socket', async () => {
    const gone = await startFakeSigner(fakeHttp());
    await gone.stop();
    const provider = open({ url: `${gone.url}/signer`, token });
    await expect(provider.find('key')).rejects.toMatchObject({ fault: 'unreachable', code: 'ECONNREFUSED' });
  });

  it('is the only one that is called: no redirect is followed', async () => {
    const target = await start(fakeHttp());
    const redirecting = await start({
      ...fakeHttp(),
      answer: () => ({ status: 307, headers: { location: `${target.url}/signer/keys` } }),
    });
    const provider = open({ url: `${redirecting.url}/signer`, token });
    await expect(provider.find('key')).rejects.toMatchObject({ fault: 'denied', code: 'HTTP 307' });
    expect(target.requests).toHaveLength(0);
  });

  it('says itself where the operator makes the keys', async () => {
    const signer = await start({ ...fakeHttp(), answer: () => ({ status: 405 }) });
    const provider = open({ url: `${signer.url}/signer`, token });
    const code = 'keys-are-made-by-its-operator';
    await expect(provider.generate?.('ES256', 'one')).rejects.toMatchObject({ fault: 'denied', code });
  });
});

describe('a connection by TLS', () => {
  const now = { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 3_600_000) };
  const root = certify({ name: 'Signers', isAuthority: true, ...now });
  const server = certify({ name: 'signer', issuer: root, dnsNames: ['localhost'], ...now });
  const client = certify({ name: 'sealwright', issuer: root, ...now });
  const chainOf = ({ certificate }: typeof root): string => certificate.toString();
  const keyOf = ({ key }: typeof root): string => String(key.privateKey.export({ format: 'pem', type: 'pkcs8' }));
  let url: string;

  beforeAll(async () => {
    const served = { cert: chainOf(server), key: keyOf(server), ca: chainOf(root) };
    const signer = await start(fakeHttp(false), { ...served, requestCert: true, rejectUnauthorized: true });
    url = `${signer.url.replace('127.0.0.1', 'localhost')}/signer`;
  });

  const authorities = secretFile(file('root.pem', chainOf(root)));
  const files = (name: string, of: typeof root) => ({
    chain: secretFile(file(`${name}.pem`, chainOf(of))),
    key: secretFile(file(`${name}-key.pem`, keyOf(of))),
  });

  it('shows who we are by a certificate', async () => {
    const provider = open({ url, tls: { authorities, client: files('client', client) } });
    const key = await provider.find('key');
    await expect(provider.sign(key, Buffer.from('data'), 10_000)).resolves.toHaveLength(64);
  });

  it.each([
    ['an authority that nobody trusts', () => ({ client: files('client', client) })],
    ['no certificate of ours', () => ({ authorities })],
    [
      'a certificate of ours from elsewhere',
      () => ({ authorities, client: files('own', certify({ name: 'me', ...now })) }),
    ],
    ['no key in the file', () => ({ authorities, client: { chain: authorities, key: authorities } })],
  ])('does not come about with %s', async (_, tls) => {
    await expect(open({ url, tls: tls() }).find('key')).rejects.toMatchObject({ fault: 'unreachable' });
  });

  it('does not come about with a file that is not there, which is named', async () => {
    const path = join(directory, 'none.pem');
    const tls = { authorities: secretFile(path) };
    const code = `no secret can be read from ${path}`;
    await expect(open({ url, tls }).find('key')).rejects.toMatchObject({ fault: 'denied', code });
  });
});
