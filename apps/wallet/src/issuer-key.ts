import { importJWK, type JWK } from 'jose';
import { WalletFailure } from './failure';

type PublicKey = Awaited<ReturnType<typeof importJWK>>;

/** What the wallet needs from the network: a GET that answers parsed JSON. */
export type FetchJson = (url: string) => Promise<Record<string, unknown>>;

export interface Signature {
  /** `iss` of the credential: a DID or an http(s) URL. */
  readonly issuer: string;
  readonly keyId: string | undefined;
  readonly algorithm: string;
  /** Where the wallet got the credential; decides whether a did:web document may be read over plain http. */
  readonly credentialIssuer: string;
}

/** The public key the issuer has published for this signature: did:web, did:jwk, or the keys behind an https issuer. */
export async function publishedKey(signature: Signature, fetchJson: FetchJson): Promise<PublicKey> {
  const { issuer, keyId } = signature;
  if (issuer.startsWith('did:jwk:')) {
    return importJWK(decodeDidJwk(issuer), signature.algorithm);
  }
  const jwk = issuer.startsWith('did:web:')
    ? await keyOfDidWeb(signature, fetchJson)
    : await keyOfUrlIssuer(signature, fetchJson);
  if (!jwk) throw new WalletFailure(`${issuer} publishes no key ${keyId ?? ''} that could have signed the credential.`);
  return importJWK(jwk, signature.algorithm);
}

/** The key inside a did:jwk; throws when the DID does not decode. */
export function decodeDidJwk(did: string): JWK {
  const encoded = did.slice('did:jwk:'.length).split('#')[0] ?? '';
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) as JWK;
  } catch {
    throw new WalletFailure(`${did} does not contain a key.`);
  }
}

/** Where the document of a did:web lies. Always https, but plain http on the very host an http issuer uses. */
export function didWebUrl(did: string, credentialIssuer: string): string {
  const [host = '', ...path] = did.slice('did:web:'.length).split(':').map(decodeURIComponent);
  const source = new URL(credentialIssuer);
  const scheme = source.protocol === 'http:' && source.host === host ? 'http' : 'https';
  return path.length > 0
    ? `${scheme}://${host}/${path.join('/')}/did.json`
    : `${scheme}://${host}/.well-known/did.json`;
}

async function keyOfDidWeb(signature: Signature, fetchJson: FetchJson): Promise<JWK | undefined> {
  const { issuer, keyId, credentialIssuer } = signature;
  const document = await fetchJson(didWebUrl(issuer, credentialIssuer));
  if (document['id'] !== issuer) throw new WalletFailure(`The DID document of ${issuer} is about another DID.`);
  const absolute = (id: unknown): string => (String(id).startsWith('#') ? `${issuer}${String(id)}` : String(id));
  // DID Core §5.3.2: credentials are signed with an assertion method, given whole or by reference.
  const asserted = list(document['assertionMethod']).map((entry) => absolute(isObject(entry) ? entry['id'] : entry));
  const methods = [...list(document['verificationMethod']), ...list(document['assertionMethod'])].filter(isObject);
  const named = methods.filter((method) => asserted.includes(absolute(method['id'])));
  const method = keyId
    ? named.find(({ id }) => absolute(id) === absolute(keyId))
    : named.length === 1
      ? named[0]
      : undefined;
  return method?.['publicKeyJwk'] as JWK | undefined;
}

/** SD-JWT VC §5: keys of an https issuer are announced at /.well-known/jwt-vc-issuer, inserted before the path. */
async function keyOfUrlIssuer(signature: Signature, fetchJson: FetchJson): Promise<JWK | undefined> {
  const { issuer, keyId } = signature;
  const { origin, pathname } = URL.canParse(issuer) ? new URL(issuer) : { origin: '', pathname: '' };
  if (!/^https?:/.test(origin)) throw new WalletFailure(`The wallet cannot find the keys of the issuer ${issuer}.`);
  const metadata = await fetchJson(`${origin}/.well-known/jwt-vc-issuer${pathname === '/' ? '' : pathname}`);
  if (metadata['issuer'] !== issuer) throw new WalletFailure(`The key metadata of ${issuer} names another issuer.`);
  const inline = metadata['jwks'];
  const set = isObject(inline) ? inline : await fetchJson(String(metadata['jwks_uri']));
  const keys = list(set['keys']).filter(isObject) as JWK[];
  return keyId ? keys.find(({ kid }) => kid === keyId) : keys.length === 1 ? keys[0] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
