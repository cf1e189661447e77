import { OAuthError, type Quoting, quoting } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { isEarlierDialect, type RequestDialect } from './request-class';
import { isWireObject, member, type WireObject } from '../wire/wire-object';

const LONGEST_PROOF = 16_384;
const notProofText = `must be a compact JWT of at most ${LONGEST_PROOF} characters.`;

/**
 * The refusal of a key proof, with the code on which the wallet's draft retries. Drafts 13 and 14 know only `invalid_proof`
 * with a fresh nonce in the body; `invalid_nonce` came with draft 15, together with `proofs` as the only shape. A proof
 * without a nonce is an invalid proof in all of them.
 */
export function proofRefusal(
  dialect: RequestDialect,
  reason: RefusalReason,
  description: string | Quoting,
  cause?: Error,
): OAuthError {
  const isOfNonce = reason === 'nonce-unknown' || reason === 'nonce-used';
  const code = isOfNonce && dialect.requestClass === 'F' ? 'invalid_nonce' : 'invalid_proof';
  return new OAuthError(code, description, { reason, nonceWanted: isEarlierDialect(dialect), ...(cause && { cause }) });
}

/** `jwt`: one proof for each key · `attestation`: one key attestation for all of them (OpenID4VCI 1.0 appendix F). */
export type ProofType = 'jwt' | 'attestation';

/** Compact JWTs as sent, not yet verified. */
export interface SentProofs {
  readonly proofType: ProofType;
  /** At least one and at most the batch size; of an attestation just one. */
  readonly proofs: readonly string[];
}

/** Reads `proofs` (draft 14 on) or `proof` (up to draft 15). */
export function parseProofs(body: WireObject, dialect: RequestDialect, batchSize: number): SentProofs {
  const proofs = member(body, 'proofs');
  if (proofs !== undefined) return readProofs(proofs, dialect, batchSize);
  const proof = member(body, 'proof');
  if (proof === undefined) {
    throw proofRefusal(dialect, 'proof-missing', 'The key proof is missing: proofs with one array jwt is expected.');
  }
  return { proofType: 'jwt', proofs: [readProof(proof, dialect)] };
}

function readProofs(proofs: unknown, dialect: RequestDialect, batchSize: number): SentProofs {
  if (!isWireObject(proofs))
    throw invalid('proof-malformed', 'proofs must be a JSON object with the single member jwt.');
  const types = Object.keys(proofs);
  // OpenID4VCI 1.0 §8.2: exactly one proof type.
  if (types.length !== 1)
    throw invalid('proof-type-count', `proofs must have exactly one member, not ${types.length}.`);
  const [type] = types;
  if (type !== 'jwt' && type !== 'attestation') throw unknownType(dialect, type);
  const jwts = member(proofs, type);
  if (!Array.isArray(jwts) || jwts.length === 0)
    throw invalid('proof-malformed', `proofs.${type} must be an array with at least one JWT.`);
  const most = type === 'jwt' ? batchSize : 1;
  if (jwts.length > most) {
    throw invalid(
      'too-many-proofs',
      `proofs.${type} holds ${jwts.length} proofs; one request may carry at most ${most}.`,
    );
  }
  const read = jwts.map((jwt: unknown, index) => {
    if (typeof jwt !== 'string') throw invalid('proof-malformed', `proofs.${type}[${index}] must be a compact JWT.`);
    if (!isProofText(jwt)) throw proofRefusal(dialect, 'proof-malformed', `proofs.${type}[${index}] ${notProofText}`);
    return jwt;
  });
  return { proofType: type, proofs: read };
}

function readProof(proof: unknown, dialect: RequestDialect): string {
  if (!isWireObject(proof)) throw invalid('proof-malformed', 'proof must be a JSON object with proof_type and jwt.');
  const type = member(proof, 'proof_type');
  if (type !== 'jwt') throw unknownType(dialect, type);
  const jwt = member(proof, 'jwt');
  if (!isProofText(jwt)) throw proofRefusal(dialect, 'proof-malformed', `proof.jwt ${notProofText}`);
  return jwt;
}

function unknownType(dialect: RequestDialect, type: unknown): OAuthError {
  const said =
    typeof type === 'string'
      ? quoting`The proof type '${type}' is not accepted; jwt is expected.`
      : 'A proof without proof_type is not accepted; jwt is expected.';
  return proofRefusal(dialect, 'proof-type-unknown', said);
}

function isProofText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_PROOF;
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_credential_request', description, { reason });
}
