import { type JwksKey, renderPublicJwk } from '../wire/public-jwk';

/** The verification method id of one of our keys, the `kid` of everything that is signed in the name of the DID. */
export function didKeyId(did: string, kid: string): string {
  return `${did}#${kid}`;
}

/**
 * DID document of our did:web. Every key signs credentials (`assertionMethod`) as well as requests (`authentication`).
 * A verification method's JWK carries the short `kid`; its id is `did#kid`.
 */
export function renderDidDocument(did: string, keys: readonly JwksKey[]): Record<string, unknown> {
  const ids = keys.map((key) => didKeyId(did, key.kid));
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: keys.map((key) => ({
      id: didKeyId(did, key.kid),
      // Not its successor JsonWebKey, which Credo and other wallets do not know.
      type: 'JsonWebKey2020',
      controller: did,
      publicKeyJwk: renderPublicJwk(key),
    })),
    authentication: ids,
    assertionMethod: ids,
  };
}
