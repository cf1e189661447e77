import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import {
  type HttpProviderOptions,
  type KeyProvider,
  openHttpProvider,
  type ProviderKey,
  type ProviderType,
  type Secret,
  SignerError,
  type SigningAlgorithm,
} from '@app/keys';
import { awsCredentials, awsRegion, fakeAws } from '../support/signers/fake-aws';
import { azureToken, fakeAzure } from '../support/signers/fake-azure';
import { fakeGoogle, googleRing, googleToken } from '../support/signers/fake-google';
import { fakeHttp, httpToken } from '../support/signers/fake-http';
import { type FakeDialect, type FakeSigner, startFakeSigner } from '../support/signers/fake-signer';
import { fakeVault, vaultMount, vaultToken } from '../support/signers/fake-vault';

interface Kind {
  readonly type: Exclude<ProviderType, 'pkcs11'>;
  readonly dialect: FakeDialect;
  readonly algorithms: readonly SigningAlgorithm[];
  /** Where keys have versions. */
  readonly isVersioned: boolean;
  readonly secret: string;
  /** As the operator names a key, without a version. */
  readonly reference: (name: string) => string;
  readonly options: (url: string, secret: Secret) => HttpProviderOptions;
}

const name = 'hsm';
const both = ['ES256', 'EdDSA'] as const;
const value = (text: string): Secret => jest.fn(() => Promise.resolve(text));

const kinds: readonly Kind[] = [
  {
    type: 'vault',
    dialect: fakeVault,
    algorithms: both,
    isVersioned: true,
    secret: vaultToken,
    reference: (key) => key,
    options: (url, token) => ({ type: 'vault', name, url, token, mount: vaultMount, namespace: 'team' }),
  },
  {
    type: 'aws',
    dialect: fakeAws,
    algorithms: both,
    isVersioned: false,
    secret: awsCredentials.secretAccessKey,
    reference: (key) => `alias/${key}`,
    options: (url, secretAccessKey) => ({
      ...{ type: 'aws', name, url, region: awsRegion },
      ...{ accessKeyId: value(awsCredentials.accessKeyId), secretAccessKey },
    }),
  },
  {
    type: 'azure',
    dialect: fakeAzure,
    algorithms: ['ES256'],
    isVersioned: true,
    secret: azureToken,
    reference: (key) => key,
    options: (url, token) => ({ type: 'azure', name, url, token, hardware: true }),
  },
  {
    type: 'google',
    dialect: fakeGoogle(),
    algorithms: both,
    isVersioned: true,
    secret: googleToken,
    reference: (key) => `${googleRing}/cryptoKeys/${key}`,
    options: (url, token) => ({ type: 'google', name, url, token, keyRing: googleRing }),
  },
  {
    type: 'http',
    dialect: fakeHttp(),
    algorithms: both,
    isVersioned: false,
    secret: httpToken,
    reference: (key) => key,
    options: (url, token) => ({ type: 'http', name, url: `${url}/signer/`, token }),
  },
];

const data = Buffer.from('eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0');
const patience = 10_000;

const isSignedBy = (
  key: Pick<ProviderKey, 'algorithm' | 'publicJwk'>,
  signature: Buffer,
  content: Buffer = data,
): boolean => {
  const publicKey = createPublicKey({ key: { ...key.publicJwk } as JsonWebKey, format: 'jwk' });
  if (key.algorithm === 'EdDSA') return verify(null, content, publicKey, signature);
  return verify('sha256', content, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
};

const faultOf = async (work: Promise<unknown>): Promise<SignerError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SignerError)) throw new Error('not refused by a SignerError', { cause: error });
  return error;
};

/** What would reach a log or an answer. */
const written = (error: SignerError): string => JSON.stringify([error, error.message, error.stack, error.cause]);

describe.each(kinds)(
  'the keys of a service: $type',
  ({ dialect, algorithms, isVersioned, secret, reference, options }) => {
    let signer: FakeSigner;
    let provider: KeyProvider;
    const others: KeyProvider[] = [];

    beforeAll(async () => {
      signer = await startFakeSigner(dialect);
      provider = openHttpProvider(options(signer.url, value(secret)));
    });
    afterEach(() => {
      signer.reset();
    });
    afterAll(async () => {
      await signer.stop();
      await Promise.all([provider, ...others].map((each) => each.close()));
    });

    const another = (change: Partial<HttpProviderOptions>, token = value(secret)): KeyProvider => {
      const made = openHttpProvider({ ...options(signer.url, token), ...change } as HttpProviderOptions);
      others.push(made);
      return made;
    };
    const found = async (key: string, algorithm: SigningAlgorithm = 'ES256'): Promise<ProviderKey> => {
      signer.add(key, algorithm);
      const one = await provider.find(reference(key));
      signer.requests.length = 0;
      return one;
    };
    const sign = (key: ProviderKey, time = patience): Promise<Buffer> => provider.sign(key, data, time);

    it.each(algorithms)('sign with a key that the operator has made, by %s', async (algorithm) => {
      const { publicJwk } = signer.add(`made-${algorithm}`, algorithm);
      const key = await provider.find(reference(`made-${algorithm}`));
      expect(key).toMatchObject({ algorithm, publicJwk });
      await expect(provider.find(key.reference)).resolves.toEqual(key);
      for (const _ of Array.from({ length: 20 })) expect(isSignedBy(key, await sign(key))).toBe(true);
    });

    it.each(algorithms)('sign with a key that is made there, by %s', async (algorithm) => {
      const key = await provider.generate?.(algorithm, 'Credentials of the “Hochschule”');
      if (!key) throw new Error('none are made there');
      expect(key.algorithm).toBe(algorithm);
      expect(isSignedBy(key, await sign(key))).toBe(true);
      const other = await provider.generate?.(algorithm, 'Credentials of the “Hochschule”');
      expect(other?.publicJwk).not.toEqual(key.publicJwk);
      expect(isSignedBy(key, await sign(key))).toBe(true);
    });

    if (isVersioned)
      it('sign with the version that was found after a newer one has been made', async () => {
        const key = await found('rotated');
        const { publicJwk } = signer.rotateBehindBack('rotated');
        expect(isSignedBy(key, await sign(key))).toBe(true);
        const latest = await provider.find(reference('rotated'));
        expect(latest.publicJwk).toEqual(publicJwk);
        expect(latest.reference).not.toBe(key.reference);
        expect(isSignedBy(latest, await sign(latest))).toBe(true);
        await expect(provider.find(key.reference)).resolves.toEqual(key);
        signer.knobs.ignoreVersion = true;
        expect(await faultOf(sign(key))).toMatchObject({ fault: 'garbage', code: 'by another version of the key' });
      });

    it('are denied to a wrong secret, which is not repeated by anybody', async () => {
      const key = await found('secret');
      const wrong = another({}, value('a-wrong-secret-of-ours'));
      for (const work of [wrong.sign(key, data, patience), wrong.find(key.reference)]) {
        const error = await faultOf(work);
        expect(error).toMatchObject({ fault: 'denied', provider: name });
        expect(error.code).toBeDefined();
        expect(written(error)).not.toMatch(/a-wrong-secret/);
        expect(written(error)).not.toContain(secret);
        expect(written(error)).not.toContain(data.toString());
      }
      signer.knobs.deny = true;
      expect(await faultOf(sign(key))).toMatchObject({ fault: 'denied' });
      expect(signer.requests).toHaveLength(3);
    });

    it('are denied when a secret cannot be had, or would be no header', async () => {
      const key = await found('unread');
      const unread = another({}, () => Promise.reject(new Error('what it has read')));
      const unreadable = await faultOf(unread.sign(key, data, patience));
      expect(unreadable).toMatchObject({ fault: 'denied', code: 'a secret cannot be had' });
      expect(written(unreadable)).not.toContain('what it has read');
      if (secret === awsCredentials.secretAccessKey) return;
      const lines = await faultOf(another({}, value('one\ntwo')).sign(key, data, patience));
      expect(lines).toMatchObject({ fault: 'denied', code: 'a secret is more than one line of ASCII' });
      expect(signer.requests).toHaveLength(0);
    });

    it('are missing when they are gone', async () => {
      const key = await found('gone');
      signer.keys.delete('gone');
      expect(await faultOf(sign(key))).toMatchObject({ fault: 'missing' });
      expect(await faultOf(provider.find(key.reference))).toMatchObject({ fault: 'missing' });
      expect(await faultOf(provider.find(reference('never')))).toMatchObject({ fault: 'missing' });
    });

    it('are throttled for as long as the service says', async () => {
      const key = await found('throttled');
      signer.knobs.throttle = { retryAfter: '7' };
      expect(await faultOf(sign(key))).toMatchObject({ fault: 'throttled', retryAfter: 7 });
      signer.knobs.throttle = { status: 503, retryAfter: new Date(Date.now() + 60_000).toUTCString() };
      const { fault, retryAfter } = await faultOf(sign(key));
      expect(fault).toBe('throttled');
      expect(retryAfter).toBeGreaterThan(50);
      expect(retryAfter).toBeLessThanOrEqual(60);
      signer.knobs.throttle = {};
      expect(await faultOf(sign(key))).toMatchObject({ fault: 'throttled', retryAfter: undefined });
      signer.knobs.throttle = undefined;
      expect(isSignedBy(key, await sign(key))).toBe(true);
    });

    it('are asked for once more after a cut connection', async () => {
      const key = await found('cut');
      signer.knobs.die = 1;
      expect(isSignedBy(key, await sign(key))).toBe(true);
      expect(signer.requests).toHaveLength(2);
      signer.knobs.die = 9;
      expect(await faultOf(sign(key))).toMatchObject({ fault: 'unreachable' });
      expect(signer.knobs.die).toBe(7);
    });

    it('are not made twice after a cut connection', async () => {
      signer.knobs.die = 1;
      expect(await faultOf(provider.generate?.('ES256', 'once') ?? Promise.resolve())).toMatchObject({
        fault: 'unreachable',
      });
      expect(signer.requests).toHaveLength(1);
    });

    it('time out alone while the service hangs at one of them', async () => {
      const [hanging, other] = [await found('hanging'), await found('other')];
      const narrow = another({ concurrency: 2 });
      signer.knobs.hang = isVersioned || hanging.reference === 'hanging' ? 'hanging' : hanging.reference;
      const stuck = Array.from({ length: 6 }, () => faultOf(narrow.sign(hanging, data, 2_000)));
      const signed = narrow.sign(other, data, patience).then((signature) => isSignedBy(other, signature));
      await expect(Promise.race([signed, ...stuck])).resolves.toBe(true);
      expect((await Promise.all(stuck)).map(({ fault }) => fault)).toEqual(Array(6).fill('timeout'));
    });

    it.each(algorithms)('are garbage when a signature by %s has 63 bytes', async (algorithm) => {
      const key = await found(`short-${algorithm}`, algorithm);
      signer.knobs.garbage = 'short';
      expect(await faultOf(sign(key))).toMatchObject({ fault: 'garbage' });
    });

    it('are garbage when an answer is none', async () => {
      const key = await found('no-json');
      signer.knobs.garbage = 'no-json';
      expect(await faultOf(sign(key))).toMatchObject({ fault: 'garbage', code: 'not a JSON object' });
      expect(await faultOf(provider.find(key.reference))).toMatchObject({ fault: 'garbage' });
    });

    it('leave it to their user to see that another key has signed', async () => {
      const key = await found('replaced');
      signer.knobs.garbage = 'other-key';
      expect(isSignedBy(key, await sign(key))).toBe(false);
    });
  },
);

describe('a signature', () => {
  const opened: { stop?: () => Promise<void>; close?: () => Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await Promise.all([each.stop?.(), each.close?.()]);
  });

  const start = async (type: ProviderType, change: Partial<HttpProviderOptions> = {}) => {
    const kind = kinds.find((each) => each.type === type);
    if (!kind) throw new Error(`no service of ${type}`);
    const signer = await startFakeSigner(kind.dialect);
    const provider = openHttpProvider({
      ...kind.options(signer.url, value(kind.secret)),
      ...change,
    } as HttpProviderOptions);
    opened.push(signer, provider);
    const find = (key: string, algorithm: SigningAlgorithm = 'ES256'): Promise<ProviderKey> => {
      signer.add(key, algorithm);
      return provider.find(kind.reference(key));
    };
    return { signer, provider, find };
  };

  it('of Vault is made in one call with those that wait for the same key, each with an outcome of its own', async () => {
    const { signer, provider, find } = await start('vault', { concurrency: 1 });
    const [key, other] = [await find('key', 'EdDSA'), await find('other')];
    signer.requests.length = 0;
    const texts = Array.from({ length: 21 }, (_, place) => Buffer.from(`text ${place}`));
    signer.knobs.refused = texts[5]?.toString('base64');
    const all = texts.map((text) => provider.sign(key, text, patience));
    const signed = all.map(async (signature, place) => isSignedBy(key, await signature, texts[place]));
    const outcomes = Promise.allSettled(signed);
    expect(isSignedBy(other, await provider.sign(other, data, patience))).toBe(true);
    const good = (await outcomes).flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(good).toEqual(Array(20).fill(true));
    expect(await faultOf(all[5] ?? Promise.resolve())).toMatchObject({ fault: 'denied' });
    expect(written(await faultOf(all[5] ?? Promise.resolve()))).not.toContain(signer.knobs.refused);
    const inputs = signer.requests.filter(({ path }) => path.endsWith('/key')).map(({ body }) => body['batch_input']);
    expect(inputs.map((each) => (each as unknown[]).length)).toEqual([1, 16, 4]);
  });

  it('by Ed25519 at AWS is over 4096 bytes at most, by P-256 over any number', async () => {
    const { signer, provider, find } = await start('aws');
    const [edwards, ec] = [await find('edwards', 'EdDSA'), await find('ec')];
    signer.requests.length = 0;
    const long = Buffer.alloc(4_097, 'a');
    expect(await faultOf(provider.sign(edwards, long, patience))).toMatchObject({
      fault: 'denied',
      code: 'EdDSA over more than 4096 bytes: use an ES256 key',
    });
    expect(signer.requests).toHaveLength(0);
    await expect(provider.sign(edwards, long.subarray(1), patience)).resolves.toHaveLength(64);
    await expect(provider.sign(ec, long, patience)).resolves.toHaveLength(64);
  });

  it('by Ed25519 is not to be had from Azure', async () => {
    const { signer, provider } = await start('azure');
    const refused = faultOf(provider.generate?.('EdDSA', 'none') ?? Promise.resolve());
    expect(await refused).toMatchObject({ fault: 'denied', code: 'it has keys for ES256 only' });
    expect(signer.requests).toHaveLength(0);
  });

  it('of Google that was altered on its way is garbage, as is a public key', async () => {
    const { signer, provider, find } = await start('google');
    const key = await find('altered');
    signer.knobs.alter = true;
    expect(await faultOf(provider.sign(key, data, patience))).toMatchObject({ fault: 'garbage', code: 'checksum' });
    expect(await faultOf(provider.find(key.reference))).toMatchObject({ fault: 'garbage', code: 'checksum' });
  });

  it('is by no key that is made at Google without a key ring', async () => {
    const { provider } = await start('google', { keyRing: undefined } as Partial<HttpProviderOptions>);
    expect(provider.generate).toBeUndefined();
  });

  it.each([
    ['vault', ['../sys/seal', 'a/b', 'name#0', 'name#1#2', '', 'name?x=1']],
    ['azure', ['../keys', 'name/version/sign', 'na_me', '', 'name?x=1']],
    ['google', ['projects/p', `${googleRing}/cryptoKeys/../x`, `${googleRing}/cryptoKeys/a/cryptoKeyVersions/x`, '']],
    ['http', ['..', '.', '']],
  ] as const)('is asked of no other address of %s than a key has', async (type, references) => {
    const { signer, provider, find } = await start(type);
    const key = await find('key');
    signer.requests.length = 0;
    for (const reference of references) {
      if (type !== 'http') expect(await faultOf(provider.find(reference))).toMatchObject({ fault: 'missing' });
      const work = provider.sign({ ...key, reference }, data, patience);
      expect(await faultOf(work)).toMatchObject({ fault: 'missing' });
    }
    expect(signer.requests).toHaveLength(0);
  });
});
