import { SUBJECT_SYNTAX_TYPES } from '../wire/binding-methods';
import { formatsOfDefinition } from './presentation-definition';
import { type DigitalCredentialTerms, type WireRequest, type ResponseEncryptionKey } from './wire-request';
import { renderVpFormats, renderVpFormatsSupported } from './vp-formats';

/** How a response is encrypted to us: what requests announce and what `checkEncryptedResponse` accepts. */
export const RESPONSE_ENCRYPTION = {
  algorithm: 'ECDH-ES',
  // HAIP 1.0 §5: verifiers list both.
  final: ['A128GCM', 'A256GCM'],
  // JARM names exactly one.
  'draft-20': ['A256GCM'],
} as const;

/** `client_metadata` in the form of the variant. */
export function renderClientMetadata(request: WireRequest | DigitalCredentialTerms): Record<string, unknown> {
  const { algorithms } = request;
  switch (request.variant) {
    case 'final':
    case 'dc-api':
    case 'haip':
      return {
        vp_formats_supported: renderVpFormatsSupported(
          request.query.credentials.map(({ format }) => format),
          algorithms,
        ),
        ...(request.encryption && {
          jwks: renderEncryptionJwks(request.encryption),
          encrypted_response_enc_values_supported: RESPONSE_ENCRYPTION.final,
        }),
        ...idTokenMetadata(request.responseType === 'vp_token id_token', algorithms),
      };
    case 'draft-20':
      return {
        vp_formats: renderVpFormats(formatsOfDefinition(request.definition), algorithms),
        ...(request.encryption && {
          jwks: renderEncryptionJwks(request.encryption),
          authorization_encrypted_response_alg: RESPONSE_ENCRYPTION.algorithm,
          authorization_encrypted_response_enc: RESPONSE_ENCRYPTION['draft-20'][0],
        }),
        ...idTokenMetadata(request.responseType === 'vp_token id_token', algorithms),
      };
    case 'draft-20-redirect':
      return {
        // These wallets take the algorithm of their presentation from here and fail on a name they do not know.
        vp_formats: renderVpFormats(formatsOfDefinition(request.definition), algorithms),
        // They choose their DID method by this, although no ID Token is asked for.
        subject_syntax_types_supported: SUBJECT_SYNTAX_TYPES,
      };
    case 'siopv2':
      return idTokenMetadata(true, algorithms);
  }
}

function idTokenMetadata(wanted: boolean, algorithms: readonly string[]): Record<string, unknown> {
  if (!wanted) return {};
  return {
    subject_syntax_types_supported: SUBJECT_SYNTAX_TYPES,
    // OpenID Connect Registration §2 reads its absence as RS256, which is not accepted.
    id_token_signed_response_alg: algorithms[0],
  };
}

/** Copies the public members one by one, so that a private one cannot slip into a request. */
function renderEncryptionJwks({ kid, jwk }: ResponseEncryptionKey): { keys: Record<string, string>[] } {
  const { kty, crv, x, y } = jwk;
  const key = { kty, crv, x, ...(y === undefined ? {} : { y }) };
  return { keys: [{ ...key, kid, use: 'enc', alg: RESPONSE_ENCRYPTION.algorithm }] };
}
