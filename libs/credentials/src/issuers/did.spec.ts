import type { JsonObject } from '@app/primitives/json';
import fc from 'fast-check';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import vectors from '../../fixtures/did-vectors.json';
import { decodeBase58 } from './base58btc';
import { DidError, DidResolver, didJwk, type DidResolverOptions } from './did';

const { jwk } = signingKey();
const DID = 'did:web:wallet.example';

/** A resolver whose internet is one answer to every URL; it keeps the URLs it was asked for. */
function resolver(document: unknown, options: Partial<DidResolverOptions> = {}): DidResolver & { asked: string[] } {
  const asked: string[] = [];
  const fetchDocument = (url: string): Promise<{ body: Uint8Array }> => {
    asked.push(url);
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    return document === undefined ? Promise.reject(new Error('404')) : Promise.resolve({ body: Buffer.from(text) });
  };
  return Object.assign(new DidResolver({ fetchDocument, ...options }), { asked });
}

async function reasonOf(resolving: Promise<unknown>): Promise<string> {
  try {
    await resolving;
    return 'resolved';
  } catch (error) {
    if (error instanceof DidError) return error.reason;
    throw error;
  }
}

function webDocument(changes: JsonObject = {}): JsonObject {
  return {
    id: DID,
    verificationMethod: [{ id: `${DID}#key-1`, type: 'JsonWebKey2020', controller: DID, publicKeyJwk: { ...jwk } }],
    authentication: [`${DID}#key-1`],
    assertionMethod: ['#key-1'],
    ...changes,
  };
}

describe('DIDs that carry their key', () => {
  it.each(vectors.vectors)('resolve: $source', async (vector) => {
    const dids = resolver(undefined);
    await expect(dids.resolveKey(vector.keyId, 'authentication')).resolves.toEqual(vector.jwk);
    await expect(dids.resolveKey(vector.keyId, 'assertionMethod')).resolves.toEqual(vector.jwk);
    expect(dids.asked).toEqual([]);
  });

  it('are made of a key as did:jwk and resolve to it again', async () => {
    for (const key of [signingKey('ES256').jwk, signingKey('ES384').jwk, signingKey('EdDSA').jwk]) {
      await expect(resolver(undefined).resolveKey(`${didJwk(key)}#0`, 'authentication')).resolves.toEqual(key);
    }
  });

  const jwkDid = (value: unknown): string => `did:jwk:${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
  const [p256] = vectors.vectors;

  it.each([
    ['no fragment', didJwk(jwk), 'malformed'],
    ['another fragment of a did:jwk', `${didJwk(jwk)}#1`, 'key-not-listed'],
    ['two fragments', `${didJwk(jwk)}#0#0`, 'key-not-listed'],
    ['a did:jwk with padding', `${didJwk(jwk)}%3D#0`, 'malformed'],
    ['a did:jwk that is no JSON', 'did:jwk:AAAA#0', 'malformed'],
    ['a did:jwk with a private key', `${jwkDid({ ...jwk, d: 'AA' })}#0`, 'unsupported-key'],
    ['a did:jwk of secp256k1', `${jwkDid({ ...jwk, crv: 'secp256k1' })}#0`, 'unsupported-key'],
    ['a did:jwk for encryption', `${jwkDid({ ...jwk, use: 'enc' })}#0`, 'key-not-listed'],
    ['a did:key with another fragment', `${p256?.did ?? ''}#0`, 'key-not-listed'],
    ['a did:key of secp256k1', 'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme#x', 'unsupported-key'],
    ['a did:key outside base58', 'did:key:z0OIl#z0OIl', 'unsupported-key'],
    ['a did:key in another multibase', 'did:key:u7QE#u7QE', 'unsupported-key'],
    ['a did:key that is cut off', 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4#x', 'unsupported-key'],
    ['a very long did:key', `did:key:z${'2'.repeat(2_000)}#x`, 'unsupported-key'],
    ['a DID that is too long', `${jwkDid({ ...jwk, pad: 'x'.repeat(2_000) })}#0`, 'malformed'],
    ['another method', 'did:ion:abc#0', 'unsupported-method'],
    ['no DID', 'https://wallet.example#0', 'malformed'],
    ['a query', `${didJwk(jwk)}?a=b#0`, 'malformed'],
    ['SQL', "did:jwk:' or 1=1 --#0", 'malformed'],
    ['a path', 'did:web:wallet.example/../../etc/passwd#0', 'malformed'],
  ])('are refused: %s', async (_, didUrl, reason) => {
    await expect(reasonOf(resolver(undefined).resolveKey(didUrl, 'authentication'))).resolves.toBe(reason);
  });

  it('have one canonical form as jwk_jcs-pub: members in another order make no second DID', async () => {
    const { crv, ...rest } = jwk;
    const json = JSON.stringify({ ...rest, crv });
    const bytes = Buffer.concat([Buffer.from([0xd1, 0xd6, 0x03]), Buffer.from(json)]);
    const id = `z${base58(bytes)}`;
    await expect(reasonOf(resolver(undefined).resolve(`did:key:${id}`))).resolves.toBe('unsupported-key');
  });
});

describe('did:web', () => {
  it.each([
    ['did:web:wallet.example', 'https://wallet.example/.well-known/did.json'],
    ['did:web:wallet.example:user:alice', 'https://wallet.example/user/alice/did.json'],
    ['did:web:wallet.example%3A8443:alice', 'https://wallet.example:8443/alice/did.json'],
  ])('%s is fetched from %s', async (did, url) => {
    const dids = resolver({ id: did });
    await expect(dids.resolve(did)).resolves.toEqual({ id: did, verificationMethods: [] });
    expect(dids.asked).toEqual([url]);
  });

  it('is fetched over http only from hosts that are listed for it', async () => {
    const dids = resolver({}, { plainHttpHosts: () => ['127.0.0.1:3000'] });
    await reasonOf(dids.resolve('did:web:127.0.0.1%3A3000'));
    await reasonOf(dids.resolve('did:web:wallet.example%3A3000'));
    expect(dids.asked).toEqual([
      'http://127.0.0.1:3000/.well-known/did.json',
      'https://wallet.example:3000/.well-known/did.json',
    ]);
  });

  it.each([
    'did:web:127.0.0.1',
    'did:web:2130706433',
    'did:web:0x7f.1',
    'did:web:wallet.example:..:admin',
    'did:web:wallet.example:%2e%2e:admin',
    'did:web:wallet.example::a',
    'did:web:wallet.example:',
    'did:web:user%40wallet.example',
    'did:web:%77allet.example',
    'did:web:wallet.example%3A99999',
    'did:web:wallet.example%2Fadmin',
  ])('%s is refused without a request', async (did) => {
    const dids = resolver(webDocument());
    await expect(reasonOf(dids.resolve(did))).resolves.toBe('malformed');
    expect(dids.asked).toEqual([]);
  });

  it('gives keys by absolute and by relative references', async () => {
    const dids = resolver(webDocument());
    await expect(dids.resolveKey(`${DID}#key-1`, 'authentication')).resolves.toEqual(jwk);
    await expect(dids.resolveKey(`${DID}#key-1`, 'assertionMethod')).resolves.toEqual(jwk);
  });

  it('gives keys by relative ids, embedded in a relationship, and as multikey', async () => {
    const [p256] = vectors.vectors;
    const embedded = { id: '#key-2', type: 'Multikey', publicKeyMultibase: p256?.did.slice('did:key:'.length) ?? '' };
    const dids = resolver(webDocument({ authentication: [embedded] }));
    await expect(dids.resolveKey(`${DID}#key-2`, 'authentication')).resolves.toEqual(p256?.jwk);
    await expect(reasonOf(dids.resolveKey(`${DID}#key-2`, 'assertionMethod'))).resolves.toBe('key-not-listed');
  });

  it('keeps a key for the relationships that list it', async () => {
    const dids = resolver(webDocument({ authentication: [] }));
    await expect(reasonOf(dids.resolveKey(`${DID}#key-1`, 'authentication'))).resolves.toBe('key-not-listed');
    await expect(reasonOf(dids.resolveKey(`${DID}#key-9`, 'assertionMethod'))).resolves.toBe('key-not-listed');
  });

  it('leaves out keys of other kinds', async () => {
    const rsa = { id: '#rsa', publicKeyJwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } };
    const dids = resolver(webDocument({ verificationMethod: [rsa], authentication: ['#rsa'] }));
    await expect(reasonOf(dids.resolveKey(`${DID}#rsa`, 'authentication'))).resolves.toBe('key-not-listed');
  });

  it.each([
    ['in two encodings', { publicKeyJwk: { ...jwk }, publicKeyMultibase: vectors.vectors[0]?.did.slice(8) ?? '' }],
    // base58 takes quadratic time: decoding this one would take minutes.
    ['that never ends', { publicKeyMultibase: `z${'2'.repeat(900_000)}` }],
  ])('leaves out a key %s', async (_, key) => {
    const dids = resolver(webDocument({ verificationMethod: [{ id: '#key-1', ...key }] }));
    await expect(reasonOf(dids.resolveKey(`${DID}#key-1`, 'authentication'))).resolves.toBe('key-not-listed');
  });

  it.each<[string, unknown, string]>([
    ['that cannot be fetched', undefined, 'not-found'],
    ['of another DID', webDocument({ id: 'did:web:other.example' }), 'invalid-document'],
    ['without id', { verificationMethod: [] }, 'invalid-document'],
    ['that is no JSON', '<html>', 'invalid-document'],
    ['that is an array', '[]', 'invalid-document'],
    ['with a repeated member', `{"id":"${DID}","id":"${DID}"}`, 'invalid-document'],
    [
      'with one id for two keys',
      webDocument({
        verificationMethod: [
          { id: '#key-1', publicKeyJwk: { ...jwk } },
          { id: `${DID}#key-1`, publicKeyJwk: { ...signingKey().jwk } },
        ],
      }),
      'invalid-document',
    ],
    ['with a method without id', webDocument({ verificationMethod: [{ publicKeyJwk: {} }] }), 'invalid-document'],
  ])('refuses a document %s', async (_, document, reason) => {
    await expect(reasonOf(resolver(document).resolve(DID))).resolves.toBe(reason);
  });
});

describe('base58btc', () => {
  it.each([
    ['', ''],
    ['1', '00'],
    ['112', '000001'],
    ['2NEpo7TZRRrLZSi2U', '48656c6c6f20576f726c6421'],
    ['11233QC4', '0000287fb4cd'],
  ])('decodes %j', (text, hex) => {
    expect(decodeBase58(text)?.toString('hex')).toBe(hex);
  });

  it('decodes what a plain encoder writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(decodeBase58(base58(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

/** The encoder by long division, for comparison. */
function base58(bytes: Buffer): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let digits = '';
  for (let value = BigInt(`0x${bytes.toString('hex') || '0'}`); value > 0n; value /= 58n) {
    digits = alphabet.charAt(Number(value % 58n)) + digits;
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + digits;
}
