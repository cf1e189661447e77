import { type EncryptionRules, readResponseEncryption, type ResponseEncryption } from './credential-encryption';
import { nameCredential } from './named-credential';
import { OAuthError, type Quoting } from './oauth-error';
import { type RefusalReason } from './refusal-reason';
import { parseProofs, type SentProofs } from './proofs';
import { isEarlierDialect, type NamedCredential, type RequestClass, type RequestDialect } from './request-class';
import { isWireObject, member, type WireObject } from './wire-object';

/** A credential request of any draft, normalised. */
export interface CredentialRequest extends RequestDialect, SentProofs {
  readonly named: NamedCredential;
  /** Absent: the response is sent in clear. */
  readonly responseEncryption?: ResponseEncryption;
}

/** How a credential request came, and what the issuer accepts. */
export interface CredentialRequestRules extends Omit<EncryptionRules, 'isEarlier'> {
  readonly endpoint: RequestDialect['endpoint'];
  /** The `batch_size` that our metadata publishes; 1 when it publishes none. */
  readonly batchSize: number;
}

/**
 * Reads the JSON body of a credential request. When the thrown error has `nonceWanted`, the endpoint adds a fresh
 * nonce to it (`error.withNonce`).
 * @throws OAuthError
 */
export function parseCredentialRequest(body: unknown, rules: CredentialRequestRules): CredentialRequest {
  if (!isWireObject(body)) throw invalid('not-an-object', 'The body of a credential request must be a JSON object.');
  const requestClass = classify(body);
  const named = nameCredential(body);
  const { endpoint, batchSize } = rules;
  const dialect = { requestClass, endpoint };
  const responseEncryption = readResponseEncryption(body, { ...rules, isEarlier: isEarlierDialect(dialect) });
  const sent = parseProofs(body, dialect, batchSize);
  return { ...dialect, named, ...sent, ...(responseEncryption && { responseEncryption }) };
}

/** The form of a request that may be refused; `undefined` when it has none of the known ones. */
export function requestClassOf(body: unknown): RequestClass | undefined {
  try {
    return isWireObject(body) ? classify(body) : undefined;
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}

// OpenID4VCI 1.0 §8.2 ignores unknown members, `format` among them, so an id takes precedence over a format.
function classify(body: WireObject): RequestClass {
  const has = (name: string) => member(body, name) !== undefined;
  if (has('credential_configuration_id') && has('credential_identifier')) {
    throw invalid('ids-exclusive', 'credential_configuration_id and credential_identifier exclude each other.');
  }
  if (has('proof') && has('proofs')) throw invalid('proofs-exclusive', 'proof and proofs exclude each other.');
  if (has('credential_configuration_id') || has('credential_identifier')) return has('proof') ? 'F-single' : 'F';
  if (!has('format')) {
    throw invalid(
      'credential-unnamed',
      'The request names no credential: credential_configuration_id or credential_identifier is expected.',
    );
  }
  if (has('proofs')) return 'L14';
  return has('types') && !has('credential_definition') ? 'L11' : 'L13';
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_credential_request', description, { reason });
}
