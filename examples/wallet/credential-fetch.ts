import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { compactDecrypt, CompactEncrypt, importJWK, type JWK } from 'jose';
import { type Fetch, fetchInTime } from './client';
import { generateHolderKey, publicJwk } from './keys';

/** What the issuer publishes in `credential_request_encryption` (OpenID4VCI 1.0 §12.2.4). */
interface RequestEncryption {
  readonly jwks?: { readonly keys: readonly JWK[] };
  readonly enc_values_supported?: readonly string[];
}

const algorithm = 'ECDH-ES';

/**
 * In the place of `fetch`, what the client library cannot do with the requests for credentials that it makes.
 * @param identifier the credential is asked for by it in the place of its configuration (OpenID4VCI 1.0 §8.2)
 * @param encrypts requests go out encrypted, and encrypted answers are asked for (§10), where the issuer can; else where it must
 */
export function credentialFetch(
  { credentialIssuer: issuer }: IssuerMetadataResult,
  identifier: string | undefined,
  encrypts: boolean,
): Fetch {
  const { credential_response_encryption: answers, credential_endpoint: endpoint } = issuer;
  const { jwks, enc_values_supported: [enc] = [] } = (issuer['credential_request_encryption'] ??
    {}) as RequestEncryption;
  const toIssuer = jwks?.keys.find(({ kty, crv }) => kty === 'EC' && crv === 'P-256');
  const isEncrypted = answers !== undefined && (encrypts || answers.encryption_required);
  return async (input, init) => {
    const isFirst = input === endpoint;
    if ((!isFirst && input !== issuer.deferred_credential_endpoint) || typeof init?.body !== 'string') {
      return fetchInTime(input, init);
    }
    const body = JSON.parse(init.body) as Record<string, unknown>;
    if (isFirst && identifier !== undefined) {
      delete body['credential_configuration_id'];
      body['credential_identifier'] = identifier;
    }
    if (isEncrypted && toIssuer && enc !== undefined) return exchange(toIssuer, enc, body, input, init);
    return fetchInTime(input, { ...init, body: JSON.stringify(body) });
  };
}

async function exchange(toIssuer: JWK, enc: string, body: object, ...[input, init]: Parameters<Fetch>) {
  const ours = await generateHolderKey('ES256');
  const jwk = { ...publicJwk(ours), use: 'enc', alg: algorithm, kid: ours.id };
  const asked = JSON.stringify({ ...body, credential_response_encryption: { jwk, enc } });
  const encrypted = await new CompactEncrypt(Buffer.from(asked))
    .setProtectedHeader({ alg: algorithm, enc, ...(toIssuer.kid !== undefined && { kid: toIssuer.kid }) })
    .encrypt(await importJWK(toIssuer, algorithm));
  const headers = new Headers(init?.headers);
  headers.set('content-type', 'application/jwt');
  const response = await fetchInTime(input, { ...init, headers, body: encrypted });
  // Errors are never encrypted (OpenID4VCI 1.0 §8.3.1).
  if (response.headers.get('content-type')?.startsWith('application/jwt') !== true) return response;
  const { plaintext } = await compactDecrypt(await response.text(), await importJWK(ours.privateJwk, algorithm));
  const answered = new Headers(response.headers);
  answered.set('content-type', 'application/json');
  return new Response(Buffer.from(plaintext), { status: response.status, headers: answered });
}
