import { createPublicKey, sign } from 'node:crypto';
import { newPrivateKey } from '../key-proofs';

/** The keys and the signature of a holder; everything else is the client library's. */
export interface IndependentHolder {
  readonly alg: 'ES256' | 'EdDSA';
  readonly publicJwk: Record<string, string>;
  /** DID URL that names the key in proofs; absent when proofs carry the bare `jwk`. */
  readonly kid?: string;
  /** Compact JWS over header and payload. */
  sign(header: object, payload: object): string;
}

/** A holder with a fresh key, written on node:crypto alone so that it shares no code with the product or its wallet. */
export function newHolder(alg: IndependentHolder['alg'], binding: 'jwk' | 'did:jwk'): IndependentHolder {
  const privateKey = newPrivateKey(alg);
  const publicJwk = createPublicKey(privateKey).export({ format: 'jwk' }) as Record<string, string>;
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    alg,
    publicJwk,
    ...(binding === 'jwk' ? {} : { kid: `did:jwk:${encode(publicJwk)}#0` }),
    sign(header, payload) {
      const input = `${encode({ ...header, alg })}.${encode(payload)}`;
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const };
      const signature = sign(alg === 'ES256' ? 'sha256' : null, Buffer.from(input), key);
      return `${input}.${signature.toString('base64url')}`;
    },
  };
}
