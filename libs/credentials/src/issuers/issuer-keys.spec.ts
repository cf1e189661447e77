import type { JsonObject } from '@app/primitives/json';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import { certify, x5c } from '../../fixtures/certificates';
import {
  type Answer,
  expected,
  issuerKey,
  network,
  now,
  policy,
  sdJwtPresentation,
  type SdJwtChanges,
} from '../../fixtures/presentations';
import { expectRefusal } from '../../fixtures/refusal';
import { DidResolver } from './did';
import { IssuerKeys } from './issuer-keys';
import { verifyPresentation } from '../presentation-verifier';
import type { PresentationResult } from '../presentation/verified-credential';

const iss = 'https://issuer.example/tenant/1';
const metadataUrl = 'https://issuer.example/.well-known/jwt-vc-issuer/tenant/1';
const jwksUrl = 'https://keys.example/jwks';
const other = signingKey();
const jwk = { ...issuerKey.jwk, kid: 'k1', use: 'sig' };
const jwks = { keys: [jwk, { ...other.jwk, kid: 'k2' }, { kty: 'RSA', kid: 'k3', n: 'AQAB', e: 'AQAB' }] };

function published(metadata: JsonObject, more: Record<string, Answer> = {}): ReturnType<typeof network> {
  return network({ [metadataUrl]: { body: { issuer: iss, ...metadata } }, ...more });
}

function presentation(header: JsonObject, changes: SdJwtChanges = {}): string {
  return sdJwtPresentation({ header, payload: { iss }, ...changes });
}

async function verify(text: string, { fetch }: ReturnType<typeof network>): Promise<PresentationResult> {
  return verifyPresentation(text, expected, policy({ fetch }));
}

describe('an issuer named by URL', () => {
  it.each<[string, JsonObject, ReturnType<typeof network>]>([
    ['by kid among several', { kid: 'k1' }, published({ jwks })],
    ['without kid when there is one', { kid: null }, published({ jwks: { keys: [jwk] } })],
    ['by jwks_uri', { kid: 'k1' }, published({ jwks_uri: jwksUrl }, { [jwksUrl]: { body: jwks } })],
  ])('is known by its metadata: %s', async (_, header, pages) => {
    const given = header['kid'] === null ? { without: ['kid'] } : {};
    expect(await verify(presentation(header, given), pages)).toMatchObject({
      verified: true,
      credential: { issuer: iss },
    });
  });

  it.each<[string, JsonObject, ReturnType<typeof network>]>([
    ['the metadata of another issuer', { kid: 'k1' }, published({ issuer: `${iss}/`, jwks })],
    ['both jwks and jwks_uri', { kid: 'k1' }, published({ jwks, jwks_uri: jwksUrl }, { [jwksUrl]: { body: jwks } })],
    ['neither jwks nor jwks_uri', { kid: 'k1' }, published({})],
    ['a kid that is not there', { kid: 'k9' }, published({ jwks })],
    ['a kid that is there twice', { kid: 'k1' }, published({ jwks: { keys: [jwk, jwk] } })],
    ['a kid of a key of another kind', { kid: 'k3' }, published({ jwks })],
    ['a kid that is no string', { kid: 1 }, published({ jwks })],
    ['a key for encryption', { kid: 'k1' }, published({ jwks: { keys: [{ ...jwk, use: 'enc' }] } })],
    ['a private key', { kid: 'k1' }, published({ jwks: { keys: [{ ...jwk, d: 'AAAA' }] } })],
    ['no kid and several keys', { kid: null }, published({ jwks })],
    ['no metadata', { kid: 'k1' }, network()],
    ['metadata that are no JSON', { kid: 'k1' }, network({ [metadataUrl]: { body: Buffer.from('{') } })],
    ['metadata that are a list', { kid: 'k1' }, network({ [metadataUrl]: { body: [] } })],
    [
      'metadata with a member twice',
      { kid: 'k1' },
      network({ [metadataUrl]: { body: Buffer.from('{"issuer":"a","issuer":"b"}') } }),
    ],
    ['keys that cannot be fetched', { kid: 'k1' }, published({ jwks_uri: jwksUrl })],
    ['keys that are no list', { kid: 'k1' }, published({ jwks: { keys: {} } })],
    ['jwks that are null', { kid: 'k1' }, published({ jwks: null })],
    [
      '101 keys',
      { kid: 'k1' },
      published({
        jwks: {
          keys: Array(101)
            .fill(jwk)
            .map((key: JsonObject, at) => ({ ...key, kid: `k${at}` })),
        },
      }),
    ],
    ['a jwks_uri that is no text', { kid: 'k1' }, published({ jwks_uri: [jwksUrl] })],
  ])('is not known with %s', async (_, header, pages) => {
    const given = header['kid'] === null ? { without: ['kid'] } : {};
    expectRefusal(await verify(presentation(header, given), pages), 'issuer-key');
  });

  it.each([
    'https://issuer.example/tenant/1?x=1',
    'https://issuer.example/tenant/1#x',
    'https://u:p@issuer.example/',
    'https://',
    'x',
  ])('cannot be called %s', async (name) => {
    expectRefusal(
      await verify(presentation({ kid: 'k1' }, { payload: { iss: name } }), published({ jwks })),
      'issuer-key',
    );
  });

  it('is asked once in five minutes, and again for a new kid after half a minute', async () => {
    const { fetch, asked } = published({ jwks });
    const { issuerKeys } = policy({ fetch });
    const find = (kid: string, later: number): Promise<unknown> =>
      issuerKeys.find({ kid }, iss, new Date(now.getTime() + later * 1000)).catch(() => 'refused');
    await find('k1', 0);
    await find('k2', 299);
    expect(asked).toHaveLength(1);
    await find('k1', 300);
    expect(asked).toHaveLength(2);
    expect(await find('k9', 329)).toBe('refused');
    expect(asked).toHaveLength(2);
    expect(await find('k9', 330)).toBe('refused');
    expect(asked).toHaveLength(3);
  });

  it('is asked each time when its metadata are not to be remembered', async () => {
    const { fetch, asked } = published({ jwks });
    const fresh: typeof fetch = async (url, accept) => ({ ...(await fetch(url, accept)), cacheable: false });
    const { issuerKeys } = policy({ fetch: fresh });
    for (let round = 0; round < 3; round++) await issuerKeys.find({ kid: 'k1' }, iss, now);
    expect(asked).toHaveLength(3);
  });

  it('proves nothing with a key that is known to be revoked, also while its metadata still list it', async () => {
    const { fetch } = published({ jwks });
    const dids = new DidResolver({ fetchDocument: () => Promise.reject(new Error('no')) });
    const isRevoked = (key: { readonly x: string }): boolean => key.x === issuerKey.jwk.x;
    const issuerKeys = new IssuerKeys({ fetchDocument: fetch, dids, isRevoked });
    expectRefusal(
      await verifyPresentation(presentation({ kid: 'k1' }), expected, policy({ issuerKeys })),
      'issuer-key',
    );
    await expect(issuerKeys.find({ kid: 'k2' }, iss, now)).resolves.toMatchObject({ authorityKeyIds: [] });
  });

  it('may have an http URL where that is allowed', async () => {
    const { fetch } = network({
      'http://localhost:3033/.well-known/jwt-vc-issuer': { body: { issuer: 'http://localhost:3033', jwks } },
    });
    const options = {
      fetchDocument: fetch,
      dids: new DidResolver({ fetchDocument: () => Promise.reject(new Error('no')) }),
    };
    const find = (plainHttpHosts: string[]): Promise<unknown> =>
      new IssuerKeys({ ...options, plainHttpHosts: () => plainHttpHosts }).find(
        { kid: 'k1' },
        'http://localhost:3033',
        now,
      );
    await expect(find(['localhost:3033'])).resolves.toEqual({ jwk: issuerKey.jwk, authorityKeyIds: [] });
    await expect(find([])).rejects.toThrow('neither an https URL nor a DID');
  });
});

describe('an issuer named by DID', () => {
  const did = 'did:web:issuer.example';
  const document = (...keys: JsonObject[]): ReturnType<typeof network> => {
    const verificationMethod = keys.map((publicKeyJwk, at) => ({ id: `#${at}`, publicKeyJwk }));
    const assertionMethod = verificationMethod.map(({ id }) => id);
    return network({
      'https://issuer.example/.well-known/did.json': { body: { id: did, verificationMethod, assertionMethod } },
    });
  };
  const from = (header: JsonObject): string =>
    sdJwtPresentation({ header, payload: { iss: did }, without: Object.keys(header).length === 0 ? ['kid'] : [] });

  it.each([[{ kid: `${did}#0` }], [{ kid: '#0' }]])('is known by the key that %j names', async (header) => {
    const pages = document({ ...issuerKey.jwk }, { ...other.jwk });
    expect(await verify(from(header), pages)).toMatchObject({ verified: true, credential: { issuer: did } });
  });

  it('needs no kid with one key, but with two', async () => {
    expect(await verify(from({}), document({ ...issuerKey.jwk }))).toMatchObject({ verified: true });
    expectRefusal(await verify(from({}), document({ ...issuerKey.jwk }, { ...other.jwk })), 'issuer-key');
  });

  it.each([[{ kid: 1 }], [{ kid: `${did}#9` }], [{ kid: 'did:web:other.example#0' }]])(
    'is not known by %j',
    async (header) => {
      expectRefusal(await verify(from(header), document({ ...issuerKey.jwk })), 'issuer-key');
    },
  );
});

describe('a certificate', () => {
  it('is not looked at when no anchors are configured', async () => {
    const { fetch } = published({ jwks: { keys: [jwk] } });
    const header = { x5c: x5c(certify({ name: 'leaf', dnsNames: ['issuer.example'] })) };
    const text = presentation(header, { without: ['kid'] });
    expect(await verifyPresentation(text, expected, policy({ fetch }))).toMatchObject({ verified: true });
  });
});
