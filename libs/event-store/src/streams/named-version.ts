import { NewerVersionError } from '../errors';

const mark = /^([2-9]|[1-9]\d{1,2})~/;

/**
 * The version of the shape of each kind of value that others carry for this service, or that it keeps for them. A release that makes
 * one in another shape raises its number, and reads the versions before. See docs/operating.md.
 */
export const shapeVersions = {
  'pre-authorized-code': 1,
  'issuer-state': 1,
  'authorization-code': 1,
  'refresh-token': 1,
  'access-token': 1,
  'deferred-access-token': 1,
  'code-access-token': 1,
  'acceptance-token': 1,
  c_nonce: 1,
  notification: 1,
  transaction: 1,
  'attestation-challenge': 1,
  'dpop-nonce': 1,
  'authorization-session': 1,
  'identification-state': 1,
  'offer-handle': 1,
  'authorization-handle': 1,
  'presentation-handle': 1,
  'response-code': 1,
  browser: 1,
  'idempotent-answer': 1,
} as const satisfies Readonly<Record<string, number>>;

/** The version that a text names for its shape: `2~...`. The first one is not named, so that it costs nothing. */
export function shapeVersionOf(text: string): number {
  return Number(mark.exec(text)?.[1] ?? 1);
}

export function withVersion(version: number, text: string): string {
  return version === 1 ? text : `${version}~${text}`;
}

export function withoutVersion(text: string): string {
  return text.replace(mark, '');
}

/** Throws `NewerVersionError` for a text of a later version than this release knows. @param what the kind of value */
export function refuseNewer(what: string, text: string, known: number): void {
  if (shapeVersionOf(text) > known) throw new NewerVersionError(what);
}
