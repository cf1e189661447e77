import { generateKeyPairSync } from 'node:crypto';
import { parsePublicJwk, thumbprint } from '@app/primitives/jose';
import { isProvedBy } from './named-holder';
import { namedHolderIn } from './sealed-content';

const newKey = () =>
  parsePublicJwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }));
const [jwk, otherJwk] = [newKey(), newKey()];
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const didJwk = (members: unknown) => `did:jwk:${encoded(members)}`;
const key = { thumbprint: thumbprint(jwk), did: undefined };
const other = { thumbprint: thumbprint(otherJwk), did: undefined };
const byDid = (did: string) => ({ ...key, did });
const holder = { subject: 'holder' } as const;

const ofId = (id: string) => namedHolderIn({ claims: { id } }, holder);
const signed = (payload: object): string =>
  [
    encoded({ alg: 'ES256', typ: 'JWT' }),
    encoded({ vc: {}, ...payload }),
    Buffer.alloc(64, 1).toString('base64url'),
  ].join('.');

describe('the holder whom a credential names', () => {
  it.each([
    ['a did:jwk', didJwk(jwk)],
    ['a did:jwk with further members', didJwk({ ...jwk, alg: 'ES256', use: 'sig' })],
  ])('by %s, is proved by its key, however it is named', (_, did) => {
    expect([[key], [byDid(did)], [byDid('did:key:zAda')]].map((keys) => isProvedBy(ofId(did), keys))).toEqual([
      true,
      true,
      true,
    ]);
    expect([[other], [key, other]].map((keys) => isProvedBy(ofId(did), keys))).toEqual([false, false]);
  });

  it.each([
    ['a did:web', 'did:web:people.example'],
    ['a did:jwk of a key that signs nothing', didJwk({ ...jwk, use: 'enc' })],
    ['a did:jwk of no key', 'did:jwk:e30'],
    ['a DID of another spelling', didJwk(jwk).replace('did', 'DID')],
  ])('by %s, is proved by no bare key', (_, did) => {
    expect(isProvedBy(ofId(did), [key])).toBe(false);
    expect(isProvedBy(ofId(did), [byDid(did)])).toBe(true);
  });

  it('is nobody in particular without a DID, or where the subject is a thing', () => {
    expect([ofId('urn:uuid:1'), namedHolderIn({ claims: {} }, holder)]).toEqual([undefined, undefined]);
    expect(namedHolderIn({ claims: { id: didJwk(jwk) } }, { subject: 'thing' })).toBeUndefined();
    expect(isProvedBy(undefined, [key, other])).toBe(true);
  });

  it.each([
    ['the key of its cnf', { cnf: { jwk } }, 'thing'],
    ['the key of its cnf, whoever the subject is', { sub: didJwk(otherJwk), cnf: { jwk } }, 'holder'],
    ['the DID in its cnf', { cnf: { kid: `${didJwk(jwk)}#0` } }, 'thing'],
    ['its sub', { sub: didJwk(jwk) }, 'holder'],
    ['its subject', { vc: { credentialSubject: { id: didJwk(jwk) } } }, 'holder'],
    ['its one subject in a list', { vc: { credentialSubject: [{ id: didJwk(jwk) }] } }, 'holder'],
  ] as const)('of a credential that was signed elsewhere is %s', (_, payload, subject) => {
    const named = namedHolderIn({ signed: signed(payload) }, { subject });
    expect([[key], [other, key], [other]].map((keys) => isProvedBy(named, keys))).toEqual([true, true, false]);
  });

  it('of a credential that was signed elsewhere is nobody in particular where it names none', () => {
    for (const payload of [{}, { sub: didJwk(otherJwk) }, { cnf: { kid: 'key-1' } }, { cnf: 'x' }]) {
      expect(namedHolderIn({ signed: signed(payload) }, { subject: 'thing' })).toBeUndefined();
    }
  });

  it('of a credential that is bound to a key which cannot be proved here is proved by nobody', () => {
    const named = namedHolderIn({ signed: signed({ cnf: { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } } }) }, holder);
    expect(isProvedBy(named, [key])).toBe(false);
  });
});
