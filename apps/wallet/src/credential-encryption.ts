import { CompactEncrypt, compactDecrypt, importJWK, type JWK } from 'jose';
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { generateHolderKey, publicJwk } from './holder-key';
import type { Fetch } from './issuance-client';

/** What the issuer publishes in `credential_request_encryption` (OpenID4VCI 1.0 §12.2.4). */
interface RequestEncryption {
  readonly jwks: { readonly keys: readonly JWK[] };
  readonly enc_values_supported: readonly string[];
}

const algorithm = 'ECDH-ES';

/** Whether the issuer sends no credential in clear. */
export function isEncryptionRequired({ credentialIssuer }: IssuerMetadataResult): boolean {
  return credentialIssuer.credential_response_encryption?.encryption_required === true;
}

/**
 * Encrypts requests for credentials to the key of the issuer and asks for encrypted answers (OpenID4VCI 1.0 §10), which the client
 * library cannot; `undefined` when the issuer cannot either.
 */
export function encryptingFetch({ credentialIssuer }: IssuerMetadataResult, send: Fetch): Fetch | undefined {
  const described = credentialIssuer['credential_request_encryption'] as RequestEncryption | undefined;
  const toIssuer = described?.jwks.keys.find(({ kty, crv }) => kty === 'EC' && crv === 'P-256');
  const enc = described?.enc_values_supported[0];
  if (!toIssuer || enc === undefined || credentialIssuer.credential_response_encryption === undefined) return undefined;
  const endpoints: unknown[] = [credentialIssuer.credential_endpoint, credentialIssuer.deferred_credential_endpoint];
  return async (input, init) => {
    if (!endpoints.includes(input) || typeof init?.body !== 'string') return send(input, init);
    const ours = await generateHolderKey('ES256');
    const jwk = { ...publicJwk(ours), use: 'enc', alg: algorithm, kid: ours.id };
    const asked = { ...(JSON.parse(init.body) as object), credential_response_encryption: { jwk, enc } };
    const { kid } = toIssuer;
    const body = await new CompactEncrypt(Buffer.from(JSON.stringify(asked)))
      .setProtectedHeader({ alg: algorithm, enc, ...(kid !== undefined && { kid }) })
      .encrypt(await importJWK(toIssuer, algorithm));
    const headers = new Headers(init.headers);
    headers.set('content-type', 'application/jwt');
    const response = await send(input, { ...init, headers, body });
    // Errors are never encrypted (OpenID4VCI 1.0 §8.3.1).
    if (response.headers.get('content-type')?.startsWith('application/jwt') !== true) return response;
    const { plaintext } = await compactDecrypt(await response.text(), await importJWK(ours.privateJwk, algorithm), {
      keyManagementAlgorithms: [algorithm],
      contentEncryptionAlgorithms: [enc],
    });
    const answered = new Headers(response.headers);
    answered.set('content-type', 'application/json');
    return new Response(Buffer.from(plaintext), { status: response.status, headers: answered });
  };
}
