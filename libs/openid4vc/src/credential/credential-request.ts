import { type EncryptionRules, readResponseEncryption, type ResponseEncryption } from './credential-encryption';
import { OAuthError, Quoting } from '../wire/oauth-error';
import type { RefusalReason } from '../wire/refusal-reason';
import { parseProofs, type SentProofs } from './proofs';
import { isEarlierDialect, type NamedCredential, type RequestClass, type RequestDialect } from './request-class';
import { isWireObject, member, type WireObject } from '../wire/wire-object';
import { formatOf, wireFormats, isFormatName } from '../formats/registry';
import { readName } from '../wire/wire-name';

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

/** How many credentials a batch credential request may ask for. */
const largestBatch = 20;

/**
 * Reads the JSON body of a batch credential request (draft 13 §8.1). What its entries leave out of
 * `credential_response_encryption` may stand beside them; there is one response, so all of them have to agree.
 * @returns the requests in the order of the body
 * @throws OAuthError for the first entry that is wrong; it names its place
 */
export function parseBatchCredentialRequest(
  body: unknown,
  rules: Omit<CredentialRequestRules, 'endpoint' | 'batchSize'>,
): readonly [CredentialRequest, ...CredentialRequest[]] {
  const sent = isWireObject(body) ? member(body, 'credential_requests') : undefined;
  if (!isWireObject(body) || !Array.isArray(sent) || sent.length === 0) {
    const description =
      'The body of a batch credential request must be a JSON object with an array credential_requests.';
    throw invalid('not-an-object', description);
  }
  if (sent.length > largestBatch) {
    const description = `credential_requests holds ${sent.length} requests; one batch may carry at most ${largestBatch}.`;
    throw invalid('too-many-proofs', description);
  }
  const encryption = member(body, 'credential_response_encryption');
  const [first, ...others] = sent.map((entry: unknown, place) => {
    const request = isWireObject(entry) ? { credential_response_encryption: encryption, ...entry } : entry;
    return ofEntry(place, () => parseCredentialRequest(request, { ...rules, endpoint: 'draft-13', batchSize: 1 }));
  });
  if (first === undefined) throw new Error('an array that is not empty has a first entry');
  const [wanted, ...alsoWanted] = [first, ...others].map(({ responseEncryption }) =>
    JSON.stringify(responseEncryption),
  );
  if (alsoWanted.some((one) => one !== wanted)) {
    const description =
      'There is one response: all credential_requests must have the same credential_response_encryption.';
    throw new OAuthError('invalid_encryption_parameters', description, { reason: 'encryption-malformed' });
  }
  return [first, ...others];
}

function ofEntry<T>(place: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof OAuthError ? error.of(`credential_requests[${place}]`) : error;
  }
}

/** For an entry of a batch credential request that names what an earlier one has named. */
export function askedTwice(place: number, earlier: number): OAuthError {
  return invalid(
    'credential-repeated',
    `credential_requests[${place}] asks for the same credential as credential_requests[${earlier}]; a batch has each once.`,
  );
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

/** Which credential a request asks for. An id is looked for first, so a `format` next to it is ignored. */
function nameCredential(body: WireObject): NamedCredential {
  const configurationId = readName(body, 'credential_configuration_id');
  if (configurationId !== undefined) return { by: 'configuration', configurationId };
  const identifier = readName(body, 'credential_identifier');
  if (identifier !== undefined) return { by: 'identifier', identifier };
  const format = readName(body, 'format');
  if (isFormatName(format)) return formatOf(format).readNamed(format, body);
  const issued = wireFormats.map(({ earlierName }) => earlierName).join(' and ');
  throw new OAuthError(
    'unsupported_credential_format',
    new Quoting(
      `The credential format '${format ?? ''}' is not issued here; ${issued} are.`,
      `The credential format '...' is not issued here; ${issued} are.`,
    ),
  );
}
