import { createHash } from 'node:crypto';
import { Openid4vpClient } from '@openid4vc/openid4vp';
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import type { JWK } from 'jose';
import { WalletFailure } from './failure';
import { fetchInTime, fetchJson } from './issuance-client';
import { encryptJwe } from './response-encryption';
import { keyOfDidUrl } from './verifier-key';

const signatureAlgorithms = ['ES256', 'ES384', 'EdDSA', 'Ed25519'];

/** The public client library with this wallet's crypto behind it. */
export function presentationClient(source: string): Openid4vpClient {
  return new Openid4vpClient({
    callbacks: {
      fetch: fetchInTime,
      hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
      verifyJwt: async (signer, { compact }) => {
        if (signer.method !== 'did')
          throw new WalletFailure('The wallet trusts only requests that are signed by a DID.');
        const signerJwk = await verifySignature(compact, signer.didUrl, source);
        return { verified: true, signerJwk: { ...signerJwk, kty: signerJwk.kty ?? '' } };
      },
      encryptJwe,
      decryptJwe: () => {
        throw new WalletFailure('The request object is encrypted; this wallet published no key for that.');
      },
      signJwt: () => {
        throw new WalletFailure('The verifier wants a signed response; this wallet only encrypts.');
      },
    },
  });
}

/** Checks a request object against the key its DID URL names; `source` as in `keyOfDidUrl`. */
export async function verifySignature(compact: string, didUrl: string, source: string): Promise<JWK> {
  const jwk = await keyOfDidUrl(didUrl, source, fetchJson);
  const { alg = '' } = decodeProtectedHeader(compact);
  if (!signatureAlgorithms.includes(alg)) throw new WalletFailure(`The request object is signed with ${alg}.`);
  await compactVerify(compact, await importJWK(jwk, alg)).catch(() => {
    throw new WalletFailure(`The request object is not signed by ${didUrl}.`);
  });
  return jwk;
}
