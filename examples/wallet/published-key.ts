import { base58 } from '@scure/base';
import { ECDH } from 'node:crypto';
import type { JWK } from 'jose';
import { fetchJson } from './client';
import { WalletFailure } from './failure';

interface Method {
  readonly id?: string;
  readonly publicKeyJwk?: JWK;
}

/**
 * The public key that a party has published: inside its DID, in the document of a did:web, or behind an https issuer of
 * SD-JWT VCs. `keyId` is the `kid` of what it signed. `source` is where the wallet got that; it decides whether the
 * document of a did:web is read over plain http.
 */
export async function publishedKey(party: string, keyId: string | undefined, source: string): Promise<JWK> {
  const find = party.startsWith('did:jwk:')
    ? keyInDidJwk
    : party.startsWith('did:key:z')
      ? keyInDidKey
      : party.startsWith('did:')
        ? keyInDidDocument
        : keyOfUrlIssuer;
  const key = await find(party, keyId, source);
  if (!key) throw new WalletFailure(`${party} publishes no key ${keyId ?? ''} that could have signed this.`);
  return key;
}

/** Throws when the DID does not decode. */
export function keyInDidJwk(did: string): JWK {
  try {
    return JSON.parse(Buffer.from(did.slice('did:jwk:'.length), 'base64url').toString()) as JWK;
  } catch {
    throw new WalletFailure(`${did} does not contain a key.`);
  }
}

/** Of the two kinds that this wallet has itself. */
function keyInDidKey(did: string): JWK | undefined {
  const bytes = Buffer.from(base58.decode(did.slice('did:key:z'.length)));
  const [prefix, raw] = [bytes.toString('hex', 0, 2), bytes.subarray(2)];
  if (prefix === 'ed01') return { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
  if (prefix !== '8024') return undefined;
  const point = ECDH.convertKey(raw, 'prime256v1', undefined, undefined, 'uncompressed') as Buffer;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((one) => one.toString('base64url')) as [
    string,
    string,
  ];
  return { kty: 'EC', crv: 'P-256', x, y };
}

/** Always read over https, but over plain http on the very host that a plain http `source` is on. */
async function keyInDidDocument(did: string, keyId: string | undefined, source: string): Promise<JWK | undefined> {
  if (!did.startsWith('did:web:')) throw new WalletFailure(`The wallet cannot resolve ${did}.`);
  const [host = '', ...path] = did.slice('did:web:'.length).split(':').map(decodeURIComponent);
  const { protocol, host: asked } = new URL(source);
  const scheme = protocol === 'http:' && asked === host ? 'http' : 'https';
  const document = await fetchJson(
    `${scheme}://${[host, ...(path.length > 0 ? path : ['.well-known'])].join('/')}/did.json`,
  );
  if (document['id'] !== did) throw new WalletFailure(`The DID document of ${did} is about another DID.`);
  const methods = (document['verificationMethod'] ?? []) as readonly Method[];
  const absolute = (id = ''): string => (id.startsWith('#') ? did + id : id);
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
