import { base58 } from '@scure/base';
import { ECDH } from 'node:crypto';
import type { JWK } from 'jose';
import { fetchJson } from './client';
import { WalletFailure } from './failure';

interface Method {
  readonly id?: string;
  readonly publicKeyJwk?: JWK;
}

/** What the key has signed. DID Core §5.3.2: a credential is signed with an assertion method; a request with any. */
type Signed = 'credential' | 'request';

/**
 * The public key that a party has published: inside its DID, in the document of a did:web, or behind an https issuer of
 * SD-JWT VCs. `keyId` is the `kid` of what it signed. `source` is where the wallet got that; it decides whether the
 * document of a did:web is read over plain http.
 */
export async function publishedKey(
  party: string,
  keyId: string | undefined,
  source: string,
  signed: Signed,
): Promise<JWK> {
  const key = party.startsWith('did:web:')
    ? await keyInDidDocument(party, keyId, source, signed)
    : party.startsWith('did:')
      ? keyInDid(party)
      : await keyOfUrlIssuer(party, keyId);
  if (!key)
    throw new WalletFailure(`The wallet finds no key ${keyId ?? ''} of ${party} that could have signed the ${signed}.`);
  return key;
}

/** The key inside a did:jwk or did:key, of the kinds that this wallet has itself; undefined when there is none. */
export function keyInDid(did: string): JWK | undefined {
  try {
    if (did.startsWith('did:jwk:')) return JSON.parse(Buffer.from(did.slice(8), 'base64url').toString()) as JWK;
    if (!did.startsWith('did:key:z')) return undefined;
    const bytes = Buffer.from(base58.decode(did.slice(9)));
    const [prefix, raw] = [bytes.toString('hex', 0, 2), bytes.subarray(2)];
    if (prefix === 'ed01') return { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
    if (prefix !== '8024') return undefined;
    const point = ECDH.convertKey(raw, 'prime256v1', undefined, undefined, 'uncompressed') as Buffer;
    const coordinate = (from: number): string => point.subarray(from, from + 32).toString('base64url');
    return { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) };
  } catch {
    return undefined;
  }
}

/** Always read over https, but over plain http on the very host that a plain http `source` is on. */
async function keyInDidDocument(did: string, keyId: string | undefined, source: string, signed: Signed) {
  const [host = '', ...path] = did.slice('did:web:'.length).split(':').map(decodeURIComponent);
  const { protocol, host: asked } = new URL(source);
  const scheme = protocol === 'http:' && asked === host ? 'http' : 'https';
  const place = [host, ...(path.length > 0 ? path : ['.well-known'])].join('/');
  const document = await fetchJson(`${scheme}://${place}/did.json`);
  if (document['id'] !== did) throw new WalletFailure(`The DID document of ${did} is about another DID.`);
  const absolute = (id = ''): string => (id.startsWith('#') ? did + id : id);
  const all = (document['verificationMethod'] ?? []) as readonly Method[];
  const asserted = ((document['assertionMethod'] ?? []) as readonly (string | Method)[]).flatMap((one) =>
    typeof one === 'string' ? all.filter(({ id }) => absolute(id) === absolute(one)) : [one],
  );
  const methods = signed === 'credential' ? asserted : all;
  const only = methods.length === 1 ? methods[0] : undefined;
  return (keyId === undefined ? only : methods.find(({ id }) => absolute(id) === absolute(keyId)))?.publicKeyJwk;
}

/** SD-JWT VC §5: keys of an https issuer are announced at /.well-known/jwt-vc-issuer, inserted before the path. */
async function keyOfUrlIssuer(issuer: string, keyId: string | undefined): Promise<JWK | undefined> {
  const { origin, pathname } = URL.canParse(issuer) ? new URL(issuer) : { origin: '', pathname: '' };
  if (!/^https?:/.test(origin)) throw new WalletFailure(`The wallet cannot find the keys of the issuer ${issuer}.`);
  const metadata = await fetchJson(`${origin}/.well-known/jwt-vc-issuer${pathname === '/' ? '' : pathname}`);
  if (metadata['issuer'] !== issuer) throw new WalletFailure(`The key metadata of ${issuer} names another issuer.`);
  const set = (metadata['jwks'] ?? (await fetchJson(String(metadata['jwks_uri'])))) as { keys?: readonly JWK[] };
  const { keys = [] } = set;
  return keyId === undefined && keys.length === 1 ? keys[0] : keys.find(({ kid }) => kid === keyId);
}
