import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { type Json } from '../http/requests';

export interface ReadJwt {
  readonly header: Json;
  readonly payload: Json;
}

export function readJwt(jwt: string): ReadJwt {
  const [header = '', payload = ''] = jwt.split('.');
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Json;
  return { header: parse(header), payload: parse(payload) };
}

/** Whether the JWS verifies with the key; ES256 and EdDSA, decided by the key alone. */
export function verifies(jwt: string, jwk: JsonWebKey): boolean {
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const end = jwt.lastIndexOf('.');
  const signature = Buffer.from(jwt.slice(end + 1), 'base64url');
  const digest = jwk.kty === 'OKP' ? null : 'sha256';
  return verify(digest, Buffer.from(jwt.slice(0, end)), { key, dsaEncoding: 'ieee-p1363' }, signature);
}

export interface ReadSdJwt extends ReadJwt {
  readonly jwt: string;
  readonly disclosures: readonly string[];
  /** The payload with every disclosure put back where its digest stood. */
  readonly claims: Json;
}

/** Reads an SD-JWT VC as issued. Throws when it does not end with a tilde or a disclosure has no digest. */
export function readSdJwt(text: string): ReadSdJwt {
  const [jwt = '', ...rest] = text.split('~');
  if (rest.pop() !== '') throw new Error('an issued SD-JWT ends with a tilde');
  const read = readJwt(jwt);
  const { _sd: digests = [], _sd_alg: _algorithm, ...visible } = read.payload;
  const disclosed: Json = {};
  for (const disclosure of rest) {
    const digest = createHash('sha256').update(disclosure).digest('base64url');
    if (!(digests as string[]).includes(digest)) throw new Error('a disclosure without its digest');
    const [, name, value] = JSON.parse(Buffer.from(disclosure, 'base64url').toString('utf8')) as [
      string,
      string,
      unknown,
    ];
    disclosed[name] = value;
  }
  return { ...read, jwt, disclosures: rest, claims: { ...visible, ...disclosed } };
}

/** Subject claims, holder key and header of a credential of either format. */
export function contentOf(credential: string): {
  readonly claims: Json;
  readonly header: Json;
  readonly payload: Json;
} {
  if (credential.includes('~')) {
    const { claims, header, payload } = readSdJwt(credential);
    return { claims, header, payload };
  }
  const { header, payload } = readJwt(credential);
  return { header, payload, claims: (payload['vc'] as Json)['credentialSubject'] as Json };
}
