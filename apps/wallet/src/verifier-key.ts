import { ECDH } from 'node:crypto';
import type { JWK } from 'jose';
import { fromBase58 } from './base58';
import { WalletFailure } from './failure';
import { decodeDidJwk, didWebUrl, type FetchJson } from './issuer-key';

/**
 * The public key behind a DID URL that signed a request object. `source` is where the request came from: it decides
 * whether a did:web document may be read over plain http. Throws a WalletFailure when there is no such key.
 */
export async function keyOfDidUrl(didUrl: string, source: string, fetchJson: FetchJson): Promise<JWK> {
  const [did = '', fragment] = didUrl.split('#');
  const key = did.startsWith('did:jwk:')
    ? decodeDidJwk(did)
    : did.startsWith('did:key:')
      ? decodeDidKey(did)
      : await keyInDocument(did, fragment, source, fetchJson);
  if (!key) throw new WalletFailure(`The wallet finds no key ${didUrl}.`);
  return key;
}

/** OpenID4VP 1.0 §5.9.3: any verificationMethod of the DID document may sign, whatever it is listed for. */
async function keyInDocument(
  did: string,
  fragment: string | undefined,
  source: string,
  fetchJson: FetchJson,
): Promise<JWK | undefined> {
  if (!did.startsWith('did:web:')) throw new WalletFailure(`The wallet cannot resolve ${did}.`);
  const document = await fetchJson(didWebUrl(did, source));
  if (document['id'] !== did) throw new WalletFailure(`The DID document of ${did} is about another DID.`);
  const methods = (Array.isArray(document['verificationMethod']) ? document['verificationMethod'] : []) as {
    id?: unknown;
    publicKeyJwk?: JWK;
  }[];
  const ids = [`${did}#${fragment ?? ''}`, `#${fragment ?? ''}`];
  return methods.find(({ id }) => ids.includes(String(id)))?.publicKeyJwk;
}

/** Multibase base58 over a multicodec prefix: 0xed Ed25519, 0x1200 P-256 as a compressed point. */
function decodeDidKey(did: string): JWK | undefined {
  const bytes = fromBase58(did.slice('did:key:z'.length));
  if (!bytes || !did.startsWith('did:key:z')) return undefined;
  const raw = bytes.subarray(2);
  const prefix = bytes.toString('hex', 0, 2);
  if (prefix === 'ed01') return { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
  if (prefix !== '8024') return undefined;
  const point = ECDH.convertKey(raw, 'prime256v1', undefined, undefined, 'uncompressed') as Buffer;
  const coordinate = (from: number): string => point.subarray(from, from + 32).toString('base64url');
  return { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) };
}
