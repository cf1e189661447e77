import type { JsonObject } from '@app/json';
import { signingKey } from '@app/jose/fixtures/signing-key';
import { type Authority, certify, type CertificateOptions, signBy, x5c } from '../fixtures/certificates';
import {
  type Answer,
  expected,
  issuerKey,
  network,
  now,
  policy,
  query,
  sdJwtPresentation,
  type SdJwtChanges,
} from '../fixtures/presentations';
import { expectRefusal } from '../fixtures/refusal';
import { DidResolver } from './did';
import { IssuerKeys } from './issuer-keys';
import { verifyPresentation } from './presentation-verifier';
import type { PresentationResult } from './verified-credential';

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
      new IssuerKeys({ ...options, plainHttpHosts }).find({ kid: 'k1' }, 'http://localhost:3033', now);
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

describe('an issuer named by certificate', () => {
  const root = certify({ name: 'root', isAuthority: true });
  const middle = certify({ name: 'middle', issuer: root, isAuthority: true });
  const short = certify({ name: 'short', issuer: root, isAuthority: true, pathLength: 0 });
  const upper = certify({ name: 'upper', issuer: root, isAuthority: true, pathLength: 1 });
  const lower = certify({ name: 'lower', issuer: upper, isAuthority: true, pathLength: 0 });
  const leaf = (changes: Partial<CertificateOptions> = {}): Authority =>
    certify({ name: 'leaf', issuer: root, dnsNames: ['issuer.example'], keyUsage: 0x80, ...changes });

  async function present(
    chain: readonly Authority[],
    changes: SdJwtChanges = {},
    anchors = [root],
  ): Promise<PresentationResult> {
    const { fetch } = network();
    const dids = new DidResolver({ fetchDocument: (url) => fetch(url, []) });
    const issuerKeys = new IssuerKeys({
      fetchDocument: fetch,
      dids,
      anchors: anchors.map(({ certificate }) => certificate),
    });
    const signer = { ...issuerKey, sign: signBy(chain[0] ?? root) };
    const text = presentation({ x5c: x5c(...chain) }, { signer, ...changes });
    return verifyPresentation(text, expected, policy({ issuerKeys }));
  }

  it.each<[string, readonly Authority[]]>([
    ['an anchor', [leaf()]],
    ['an anchor that is sent along', [leaf(), root]],
    ['an authority between', [leaf({ issuer: middle }), middle]],
    ['an authority that may have leaves only', [leaf({ issuer: short }), short]],
    ['authorities within the length of the path', [leaf({ issuer: lower }), lower, upper]],
    ['an anchor, by the URL of the issuer', [leaf({ dnsNames: [], uris: [iss] })]],
    ['an anchor, with no key usage', [certify({ name: 'leaf', issuer: root, dnsNames: ['ISSUER.example'] })]],
  ])('is known by %s', async (_, chain) => {
    expect(await present(chain)).toMatchObject({ verified: true, credential: { issuer: iss } });
  });

  const below = certify({ name: 'below', issuer: short, isAuthority: true });
  const expired = certify({
    name: 'expired',
    issuer: root,
    isAuthority: true,
    notAfter: new Date('2026-06-01T00:00:00Z'),
  });
  const tooLate = { notBefore: new Date('2026-12-01T00:00:00Z') };
  const foreign = certify({ name: 'root', isAuthority: true });
  const noAuthority = certify({ name: 'none', issuer: root });
  const noCertSign = certify({ name: 'nosign', issuer: root, isAuthority: true, keyUsage: 0x80 });

  it.each<[string, readonly Authority[]]>([
    ['another name', [leaf({ dnsNames: ['evil.example'] })]],
    ['a name that only ends alike', [leaf({ dnsNames: ['example', 'xissuer.example'] })]],
    ['another URL', [leaf({ dnsNames: [], uris: [`${iss}/2`] })]],
    ['no name', [leaf({ dnsNames: [] })]],
    ['an expired leaf', [leaf({ notAfter: new Date('2026-11-20T11:59:59Z') })]],
    ['a leaf of the future', [leaf(tooLate)]],
    ['an expired authority', [leaf({ issuer: expired }), expired]],
    ['a self-signed leaf', [certify({ name: 'self', dnsNames: ['issuer.example'] })]],
    ['the anchor itself', [root]],
    ['an anchor of the same name and another key', [leaf({ issuer: foreign })]],
    ['a signature of another key', [leaf({ signer: foreign.key.privateKey })]],
    ['an authority missing', [leaf({ issuer: middle })]],
    ['certificates in the wrong order', [middle, leaf({ issuer: middle })]],
    ['one below that is no authority', [leaf({ issuer: noAuthority }), noAuthority]],
    ['one below that may not sign certificates', [leaf({ issuer: noCertSign }), noCertSign]],
    ['a path that is too long', [leaf({ issuer: below }), below, short]],
    ['an unknown critical extension', [leaf({ unknownCritical: true })]],
    ['a leaf that is not for signatures', [leaf({ keyUsage: 0x08 })]],
    ['too many certificates', [leaf(), ...Array<Authority>(5).fill(root)]],
  ])('is not known with %s', async (_, chain) => {
    expectRefusal(await present(chain), 'issuer-key');
  });

  it('says so when a certificate is self-signed', async () => {
    const chain = [certify({ name: 'self', dnsNames: ['issuer.example'] })];
    expect(await present(chain)).toMatchObject({ failure: { reason: 'the certificate of the issuer is self-signed' } });
  });

  it.each<[string, unknown]>([
    ['no list', 'AAAA'],
    ['an empty list', []],
    ['a number', [1]],
    ['base64url', [x5c(root)[0]?.replaceAll('+', '-').replaceAll('/', '_').concat('-_')]],
    ['garbage', ['AAAA']],
    ['PEM', [Buffer.from(root.certificate.toString()).toString('base64')]],
    ['bytes after the certificate', [Buffer.concat([leaf().certificate.raw, Buffer.from([0])]).toString('base64')]],
  ])('is not known with %s as x5c', async (_, value) => {
    expectRefusal(await present([leaf()], { header: { x5c: value as string[] } }), 'issuer-key');
  });

  it('is refused when the credential is signed by another key', async () => {
    expectRefusal(await present([leaf()], { signer: issuerKey, header: { x5c: x5c(leaf()) } }), 'issuer-signature');
  });

  it('is named by its certificate when the credential does not name it', async () => {
    const payload = { vct: 'https://issuer.example/vct/diploma/1' };
    const changes = { payload, without: ['iss'] };
    expect(await present([leaf()], changes)).toMatchObject({ credential: { issuer: 'https://issuer.example' } });
    expect(await present([leaf({ uris: [iss] })], changes)).toMatchObject({ credential: { issuer: iss } });
    expectRefusal(await present([leaf({ dnsNames: [] })], changes), 'structure');
    for (const none of [null, [], 'AAAA']) {
      expectRefusal(await present([leaf()], { ...changes, header: { x5c: none } }), 'structure');
    }
  });

  it('belongs to the trusted authorities that its certificates name', async () => {
    const authorityKeyId = Buffer.from([0, 1, 2, 3]);
    const { fetch } = network();
    const dids = new DidResolver({ fetchDocument: (url) => fetch(url, []) });
    const issuerKeys = new IssuerKeys({ fetchDocument: fetch, dids, anchors: [root.certificate] });
    const chain = leaf({ authorityKeyId });
    const text = presentation({ x5c: x5c(chain) }, { signer: { ...issuerKey, sign: signBy(chain) } });
    const asking = (value: string): Promise<PresentationResult> =>
      verifyPresentation(
        text,
        { ...expected, query: { ...query, trusted_authorities: [{ type: 'aki', values: [value] }] } },
        policy({ issuerKeys }),
      );
    expect(await asking('AAECAw')).toMatchObject({ verified: true });
    expectRefusal(await asking('AAEC'), 'query');
  });

  it('is looked up elsewhere when no anchors are configured', async () => {
    const { fetch } = published({ jwks: { keys: [jwk] } });
    const text = presentation({ x5c: x5c(leaf()) }, { without: ['kid'] });
    expect(await verifyPresentation(text, expected, policy({ fetch }))).toMatchObject({ verified: true });
  });
});
