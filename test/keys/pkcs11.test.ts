import { SettingsError } from '@app/config';
import { CK } from '@app/keys/src/signing/providers/cryptoki';
import { openPkcs11 } from '@app/keys/src/signing/providers/pkcs11';
import type { KeyProvider, ProviderKey } from '@app/keys/src/signing/providers/provider';
import { X509CertificateGenerator } from '@peculiar/x509';
import { createPublicKey, verify, webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import {
  describeWithSoftHsm,
  destroy,
  makeKey,
  objectsIn,
  type Replaced,
  type SoftToken,
} from '../support/counterparts/soft-token';

const data = Buffer.from('header.payload');
const patience = 60_000;

function isSignedBy({ algorithm, publicJwk }: ProviderKey, signature: Buffer, content = data): boolean {
  const key = createPublicKey({ key: { ...publicJwk }, format: 'jwk' });
  if (algorithm === 'EdDSA') return verify(null, content, key, signature);
  return verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

const refused = (code: string) => {
  throw new Error(code);
};

describeWithSoftHsm('a PKCS#11 token', (hsm) => {
  const opened: Required<KeyProvider>[] = [];
  const open = async ({ settings, load }: SoftToken): Promise<Required<KeyProvider>> => {
    const provider = await openPkcs11('hsm', settings, load);
    opened.push(provider);
    return provider;
  };
  const begin = async (replaced?: Replaced) => {
    const token = await hsm.token(replaced);
    return { token, provider: await open(token) };
  };
  afterEach(() => Promise.all(opened.splice(0).map((provider) => provider.close())));

  it.each(['ES256', 'EdDSA'] as const)('makes a key for %s that signs and stays inside', async (algorithm) => {
    const { token, provider } = await begin();
    const key = await provider.generate(algorithm, 'credentials');
    expect(key.algorithm).toBe(algorithm);
    const signature = await provider.sign(key, data, patience);
    expect(signature).toHaveLength(64);
    expect(isSignedBy(key, signature)).toBe(true);
    expect(await provider.find(key.reference)).toEqual(key);

    const guards = [CK.CKA_EXTRACTABLE, CK.CKA_SENSITIVE, CK.CKA_PRIVATE, CK.CKA_TOKEN];
    const values = objectsIn(token, key.reference).flatMap((object) =>
      token.inSession((cryptoki, session) => {
        const read = (type: number) => cryptoki.C_GetAttributeValue(session, object, [{ type }])[0]?.value;
        return read(CK.CKA_CLASS)?.[0] === CK.CKO_PRIVATE_KEY ? guards.map((type) => read(type)?.[0]) : [];
      }),
    );
    expect(values).toEqual([0, 1, 1, 1]);
  });

  it('finds what the operator made, however the reference is written', async () => {
    const { token, provider } = await begin();
    makeKey(token, '0a0b');
    const key = await provider.find('0A0B');
    expect(key).toMatchObject({ algorithm: 'ES256', reference: '0a0b' });
    expect(isSignedBy(key, await provider.sign(key, data, patience))).toBe(true);
  });

  it('tells the public key by a certificate where nothing else does', async () => {
    const { token, provider } = await begin();
    makeKey(token, '01');
    const key = await provider.find('01');
    destroy(token, '01', CK.CKO_PUBLIC_KEY);
    await expect(provider.find('01')).rejects.toMatchObject({ fault: 'missing', code: 'CKO_PUBLIC_KEY' });

    const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' };
    const { privateKey } = await webcrypto.subtle.generateKey(ecdsa, false, ['sign', 'verify']);
    const certificate = await X509CertificateGenerator.create({
      publicKey: await webcrypto.subtle.importKey('jwk', { ...key.publicJwk }, ecdsa, true, ['verify']),
      signingKey: privateKey,
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    });
    token.inSession((cryptoki, session) =>
      cryptoki.C_CreateObject(session, [
        { type: CK.CKA_CLASS, value: CK.CKO_CERTIFICATE },
        { type: CK.CKA_TOKEN, value: true },
        { type: 0x80, value: 0 },
        { type: CK.CKA_ID, value: Buffer.from('01', 'hex') },
        { type: 0x101, value: Buffer.from('3000', 'hex') },
        { type: CK.CKA_VALUE, value: Buffer.from(certificate.rawData) },
      ]),
    );
    expect(await provider.find('01')).toEqual(key);
  });

  it.each(['ES256', 'EdDSA'] as const)('may give the point of %s without an OCTET STRING', async (algorithm) => {
    const { provider } = await begin({
      C_GetAttributeValue: (own, session, object, template) => {
        const [found] = own(session, object, template);
        const isPoint = template[0]?.type === CK.CKA_EC_POINT;
        return [{ value: isPoint ? found?.value.subarray(2) : found?.value }];
      },
    });
    const key = await provider.generate(algorithm, 'credentials');
    expect(isSignedBy(key, await provider.sign(key, data, patience))).toBe(true);
  });

  it.each([
    ['can be extracted', CK.CKA_EXTRACTABLE, true, 'CKA_EXTRACTABLE'],
    ['can be read', CK.CKA_SENSITIVE, false, 'CKA_SENSITIVE'],
  ])('is refused a key that %s', async (_, attribute, value, code) => {
    const { token, provider } = await begin();
    makeKey(token, '01', { [attribute]: value });
    await expect(provider.find('01')).rejects.toMatchObject({ fault: 'denied', code });
  });

  it('is refused the choice between two keys', async () => {
    const { token, provider } = await begin();
    for (let time = 0; time < 2; time += 1) makeKey(token, '01');
    await expect(provider.find('01')).rejects.toMatchObject({ fault: 'denied' });
  });

  describe('that refuses our template', () => {
    const sensitive = { type: CK.CKA_SENSITIVE, value: true };
    const refusing = (more: readonly { type: number; value: boolean }[]): Replaced => ({
      C_GenerateKeyPairAsync: (own, session, mechanism, publicTemplate, privateTemplate) =>
        privateTemplate.some(({ type }) => type === CK.CKA_SENSITIVE)
          ? Promise.reject(new Error('CKR_TEMPLATE_INCONSISTENT'))
          : own(session, mechanism, publicTemplate, [...privateTemplate, ...more]),
    });

    it('makes the key by its own, if that stays inside', async () => {
      const { provider } = await begin(refusing([sensitive]));
      const key = await provider.generate('ES256', 'credentials');
      expect(isSignedBy(key, await provider.sign(key, data, patience))).toBe(true);
    });

    it('keeps no key that does not', async () => {
      const { token, provider } = await begin(refusing([sensitive, { type: CK.CKA_EXTRACTABLE, value: true }]));
      const made = provider.generate('ES256', 'credentials');
      await expect(made).rejects.toMatchObject({ fault: 'denied', code: 'CKA_EXTRACTABLE' });
      expect(objectsIn(token)).toEqual([]);
    });
  });

  it('misses a key that was deleted meanwhile, and signs with the others', async () => {
    const { token, provider } = await begin();
    const key = await provider.generate('ES256', 'deleted');
    const other = await provider.generate('EdDSA', 'kept');
    await provider.sign(key, data, patience);
    destroy(token, key.reference);
    await expect(provider.sign(key, data, patience)).rejects.toMatchObject({ name: 'SignerError', fault: 'missing' });
    await expect(provider.find(key.reference)).rejects.toMatchObject({ fault: 'missing' });
    await expect(provider.find('no hexadecimal')).rejects.toMatchObject({ fault: 'missing' });
    expect(isSignedBy(other, await provider.sign(other, data, patience))).toBe(true);
  });

  it.each<[string, (token: SoftToken) => void]>([
    ['at once', () => undefined],
    [
      'after another one is back under the name of the one that was taken out',
      ({ slot }) => {
        hsm.cryptoki().C_CloseAllSessions(slot);
      },
    ],
  ])('is not believed with a key that was put in the place of another, %s', async (_, change) => {
    const { token, provider } = await begin();
    makeKey(token, '01');
    const key = await provider.find('01');
    expect(isSignedBy(key, await provider.sign(key, data, patience))).toBe(true);
    destroy(token, '01');
    makeKey(token, '01');
    change(token);
    for (let time = 0; time < 2; time += 1)
      await expect(provider.sign(key, data, patience)).rejects.toMatchObject({ fault: 'garbage' });
    const other = await provider.find('01');
    expect(isSignedBy(other, await provider.sign(other, data, patience))).toBe(true);
    await expect(provider.sign(key, data, patience)).rejects.toMatchObject({ fault: 'garbage' });
  });

  it('signs for many at once, each with a session of its own', async () => {
    let atOnce = 0;
    let most = 0;
    const sessions = new Set<string>();
    const { provider } = await begin({
      C_SignAsync: async (own, session, input, out) => {
        sessions.add(session.toString('hex'));
        most = Math.max(most, (atOnce += 1));
        const signature = await own(session, input, out);
        atOnce -= 1;
        return signature;
      },
    });
    const one = await provider.generate('ES256', 'one');
    const other = await provider.generate('EdDSA', 'other');
    const works = Array.from({ length: 100 }, async (_, index) => {
      const content = Buffer.from(`content ${index}`);
      const key = index % 2 === 0 ? one : other;
      return isSignedBy(key, await provider.sign(key, content, patience), content);
    });
    expect(new Set(await Promise.all(works))).toEqual(new Set([true]));
    expect(most).toBe(4);
    expect(sessions.size).toBe(4);
  });

  it('that hangs keeps nobody longer than they wait', async () => {
    const answers: (() => void)[] = [];
    const { provider } = await begin({
      C_SignAsync: (own, session, input, out) =>
        new Promise<void>((resolve) => void answers.push(resolve)).then(() => own(session, input, out)),
    });
    const key = await provider.generate('ES256', 'credentials');
    const signed = provider.sign(key, data, 5);
    await expect(signed).rejects.toMatchObject({ fault: 'timeout' });
    const others = Array.from({ length: 4 }, () => provider.sign(key, data, 5));
    const results = await Promise.allSettled(others);
    const reasons = results.map((result) => result.status === 'rejected' && (result.reason as { fault: string }).fault);
    expect(reasons).toEqual(Array(4).fill('timeout'));
    for (const answer of answers) answer();
  });

  it('that answers with something else is not believed', async () => {
    const { provider } = await begin({ C_SignAsync: () => Promise.resolve(Buffer.alloc(63)) });
    const key = await provider.generate('ES256', 'credentials');
    await expect(provider.sign(key, data, patience)).rejects.toMatchObject({ fault: 'garbage' });
  });

  describe('whose PIN', () => {
    /** Counts attempts. */
    const counting = () => {
      const pins: string[] = [];
      const replaced: Replaced = {
        C_Login: (own, session, user, pin) => {
          pins.push(pin);
          own(session, user, pin);
        },
      };
      return { pins, replaced };
    };

    it('is wrong is tried once, and stops the start', async () => {
      const { pins, replaced } = counting();
      const token = await hsm.token(replaced);
      await writeFile(token.settings.pinFile, 'wrong-canary');
      const error: unknown = await open(token).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(SettingsError);
      expect(String(error)).toMatch(/SERVICE__SIGNER__HSM__PIN_FILE.*CKR_PIN_INCORRECT.*tried once/);
      expect(String(error)).not.toContain('canary');
      expect(pins).toHaveLength(1);
    });

    it('changes meanwhile is tried once, and never again', async () => {
      const { pins, replaced } = counting();
      const { token, provider } = await begin(replaced);
      const key = await provider.generate('ES256', 'credentials');
      token.inSession((cryptoki, session) => {
        cryptoki.C_SetPIN(session, token.pin, 'other-canary');
      });
      hsm.cryptoki().C_CloseAllSessions(token.slot);
      for (let time = 0; time < 3; time += 1) {
        const error: unknown = await provider.sign(key, data, patience).catch((reason: unknown) => reason);
        expect(error).toMatchObject({ name: 'SignerError', fault: 'denied', code: 'CKR_PIN_INCORRECT' });
        expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
      }
      expect(pins).toHaveLength(2);
    });

    it.each([
      ['has one try left', CK.CKF_USER_PIN_FINAL_TRY, /a token that the next wrong PIN locks/],
      ['is locked', CK.CKF_USER_PIN_LOCKED, /a token whose PIN is locked/],
    ])('%s is not tried', async (_, flag, words) => {
      const { pins, replaced } = counting();
      const token = await hsm.token({
        ...replaced,
        C_GetTokenInfo: (own, slot) => {
          const info = own(slot);
          return { ...info, flags: info.flags | flag };
        },
      });
      await expect(open(token)).rejects.toThrow(words);
      expect(pins).toEqual([]);
    });

    it.each([
      ['is in no file', undefined, 'a file that cannot be read'],
      ['is empty', '\n', 'an empty file'],
    ])('%s stops the start', async (_, content, found) => {
      const { settings, load } = await hsm.token();
      const pinFile = `${settings.pinFile}-other`;
      if (content !== undefined) await writeFile(pinFile, content);
      await expect(openPkcs11('hsm', { ...settings, pinFile }, load)).rejects.toMatchObject({
        faults: [expect.objectContaining({ name: 'SERVICE__SIGNER__HSM__PIN_FILE', found })],
      });
    });
  });

  it.each<[string, (token: SoftToken) => void]>([
    [
      'all sessions were ended',
      ({ slot }) => {
        hsm.cryptoki().C_CloseAllSessions(slot);
      },
    ],
    [
      'somebody logged out',
      ({ inSession }) => {
        inSession((cryptoki, session) => {
          cryptoki.C_Logout(session);
        });
      },
    ],
  ])('signs on after %s', async (_, change) => {
    const { token, provider } = await begin();
    const key = await provider.generate('ES256', 'credentials');
    await provider.sign(key, data, patience);
    change(token);
    const both = await Promise.all([provider.sign(key, data, patience), provider.sign(key, data, patience)]);
    expect(both.map((signature) => isSignedBy(key, signature))).toEqual([true, true]);
  });

  it('that was taken out is looked for ever less often, and signs when it is back', async () => {
    let now = Math.ceil(performance.now());
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    let isOut = false;
    let looks = 0;
    const { provider } = await begin({
      C_SignInit: (own, ...given) => {
        if (isOut) refused('CKR_DEVICE_REMOVED');
        own(...given);
      },
      C_GetSlotList: (own, hasToken) => {
        looks += 1;
        return isOut ? [] : own(hasToken);
      },
    });
    const key = await provider.generate('ES256', 'credentials');
    isOut = true;
    const looked: number[] = [];
    for (const seconds of [0, 0, 1, 1, 2, 4, 8, 16, 30, 30, 29]) {
      now += seconds * 1000;
      looks = 0;
      await expect(provider.sign(key, data, patience)).rejects.toMatchObject({ fault: 'unreachable' });
      looked.push(looks);
    }
    expect(looked).toEqual([1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0]);
    await expect(provider.sign(key, data, patience)).rejects.toMatchObject({ retryAfter: 1 });
    isOut = false;
    now += 1000;
    expect(isSignedBy(key, await provider.sign(key, data, patience))).toBe(true);
    [isOut, looks] = [true, 0];
    await expect(provider.sign(key, data, patience)).rejects.toMatchObject({ fault: 'unreachable' });
    expect(looks).toBe(1);
  });

  it('is waited for when it is not there at the start', async () => {
    let isOut = true;
    const { token, provider } = await begin({ C_GetSlotList: (own, hasToken) => (isOut ? [] : own(hasToken)) });
    makeKey(token, '01');
    isOut = false;
    expect(await provider.find('01')).toMatchObject({ reference: '01' });
  });

  it('is told by its serial number where two have the label', async () => {
    const token = await hsm.token({
      C_GetTokenInfo: (own, slot) => ({ ...own(slot), label: 'the same'.padEnd(32) }),
    });
    const settings = { ...token.settings, tokenLabel: 'the same' };
    await expect(open({ ...token, settings: { ...settings, tokenSerial: '' } })).rejects.toThrow(
      /SERVICE__SIGNER__HSM__TOKEN_SERIAL: found several tokens/,
    );
    const provider = await open({ ...token, settings });
    makeKey(token, '01');
    expect(await provider.find('01')).toMatchObject({ reference: '01' });
  });

  it('needs a library, and the package that calls it', async () => {
    const { settings, load } = await hsm.token();
    const library = settings.pinFile;
    await expect(openPkcs11('hsm', { ...settings, library }, load)).rejects.toThrow(
      /SERVICE__SIGNER__HSM__LIBRARY: found a file that is no PKCS#11 module/,
    );
    const missing = () => Promise.reject(new Error('no such module'));
    await expect(openPkcs11('hsm', { ...settings, library }, missing)).rejects.toThrow(
      /SERVICE__SIGNER__HSM__TYPE: .*run "npm install pkcs11js"/,
    );
  });
});
