import { createHash, randomUUID } from 'node:crypto';
import type { Json } from '../http/requests';
import { base64url, type Holder, newHolder, signatureOf } from './key-proofs';

/** The key by which a wallet shows that a token is its own. */
export type DpopKey = Holder;

export function newDpopKey(): DpopKey {
  return newHolder('ES256', 'jwk');
}

/** What a test changes of a valid proof; `undefined` leaves a member out. */
export interface DpopChanges {
  readonly header?: Json;
  readonly claims?: Json;
}

/** A DPoP proof (RFC 9449 §4.2) for a POST. @param accessToken that comes with it */
export function dpopProof(
  key: DpopKey,
  url: string,
  accessToken?: string,
  { header = {}, claims = {} }: DpopChanges = {},
): string {
  const ath = accessToken === undefined ? undefined : createHash('sha256').update(accessToken).digest('base64url');
  const input = [
    { typ: 'dpop+jwt', alg: key.algorithm, ...key.header, ...header },
    { jti: randomUUID(), htm: 'POST', htu: url, iat: Math.floor(Date.now() / 1000), ath, ...claims },
  ]
    .map((part) => base64url(JSON.stringify(part)))
    .join('.');
  return `${input}.${signatureOf(key, input).toString('base64url')}`;
}
