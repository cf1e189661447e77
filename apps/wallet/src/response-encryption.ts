import type { JweEncryptor } from '@openid4vc/oauth2';
import { CompactEncrypt, importJWK, type JWK } from 'jose';

/** What this wallet can encrypt a response with (OpenID4VP 1.0 §8.3 names ECDH-ES and the two GCM sizes). */
export const encryptionSupport = {
  authorization_signing_alg_values_supported: [] as string[],
  authorization_encryption_alg_values_supported: ['ECDH-ES'],
  authorization_encryption_enc_values_supported: ['A128GCM', 'A256GCM', 'A128CBC-HS256'],
};

/** The client library's encryption callback: a compact JWE to the verifier's key, which `kid` names. */
export async function encryptJwe({ publicJwk, alg, enc, apu, apv }: JweEncryptor, content: string) {
  const key = await importJWK(publicJwk as JWK, alg);
  const bytes = (encoded: string): Uint8Array => new Uint8Array(Buffer.from(encoded, 'base64url'));
  const { kid } = publicJwk;
  const jwe = await new CompactEncrypt(new TextEncoder().encode(content))
    .setProtectedHeader({ alg, enc, ...(kid === undefined ? {} : { kid }) })
    .setKeyManagementParameters({
      ...(apu === undefined ? {} : { apu: bytes(apu) }),
      ...(apv === undefined ? {} : { apv: bytes(apv) }),
    })
    .encrypt(key);
  return { jwe, encryptionJwk: publicJwk };
}
