import { createHash, type X509Certificate } from 'node:crypto';
import { Openid4vpClient } from '@openid4vc/openid4vp';
import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { WalletFailure } from './failure';
import { fetchInTime, fetchJson } from './issuance-client';
import { encryptJwe } from './response-encryption';
import { alternativeNames, keyOfChain } from './verifier-certificate';
import { keyOfDidUrl } from './verifier-key';

const signatureAlgorithms = ['ES256', 'ES384', 'EdDSA', 'Ed25519'];

/** The public client library with this wallet's crypto behind it. `roots` vouch for requests signed by a certificate. */
export function presentationClient(source: string, roots: readonly X509Certificate[] = []): Openid4vpClient {
  return new Openid4vpClient({
    callbacks: {
      fetch: fetchInTime,
      hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
      verifyJwt: async (signer, { compact }) => {
        const signerJwk =
          signer.method === 'x5c'
            ? await verifyChainAndSignature(compact, signer.x5c, roots)
            : await verifySignature(compact, didUrlOf(signer), source);
        return { verified: true, signerJwk: { ...signerJwk, kty: signerJwk.kty ?? '' } };
      },
      getX509CertificateMetadata: alternativeNames,
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

function didUrlOf(signer: { method: string; didUrl?: unknown }): string {
  if (signer.method === 'did' && typeof signer.didUrl === 'string') return signer.didUrl;
  throw new WalletFailure('The wallet trusts only requests that are signed by a DID or a certificate.');
}

/** Checks a request object against the key its DID URL names; `source` as in `keyOfDidUrl`. */
export async function verifySignature(compact: string, didUrl: string, source: string): Promise<JWK> {
  const jwk = await keyOfDidUrl(didUrl, source, fetchJson);
  await verifyWith(jwk, compact, didUrl);
  return jwk;
}

async function verifyChainAndSignature(
  compact: string,
  x5c: readonly string[],
  roots: readonly X509Certificate[],
): Promise<JWK> {
  const jwk = keyOfChain(x5c, roots, new Date());
  await verifyWith(jwk, compact, 'the certificate in its x5c');
  return jwk;
}

async function verifyWith(jwk: JWK, compact: string, signer: string): Promise<void> {
  const { alg = '' } = decodeProtectedHeader(compact);
  if (!signatureAlgorithms.includes(alg)) throw new WalletFailure(`The request object is signed with ${alg}.`);
  await compactVerify(compact, await importJWK(jwk, alg)).catch(() => {
    throw new WalletFailure(`The request object is not signed by ${signer}.`);
  });
}
