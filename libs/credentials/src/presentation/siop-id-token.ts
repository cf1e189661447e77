import {
  type DecodedJws,
  decodeJws,
  type JwsAlgorithm,
  parsePublicJwk,
  type PublicJwk,
  thumbprint,
  verifyJws,
} from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import type { ResolveDidKey } from '../issuers/did-document';
import { checkSignedJustNow, checkValidNow, readTimes } from '../jwt-times';
import { type CheckedResult, type CheckName, demand, runChecks } from '../presentation-check';
import { checkNonce } from './presentation-conditions';

export type ExpectedIdToken = {
  readonly nonce: string;
  /** The client id of the request. */
  readonly audience: string;
  readonly algorithms: readonly JwsAlgorithm[];
  readonly dids: { readonly resolveKey: ResolveDidKey };
  readonly now: Date;
};

/** Who answered. Other claims of a self-issued token are unverified statements of its sender and are not released. */
export type IdTokenSubject = { readonly sub: string; readonly did?: string; readonly thumbprint: string };

const CHECKS: readonly CheckName[] = ['structure', 'nonce', 'audience', 'times', 'key-binding'];
// A library that many wallets are built on writes an iat of 17 hours ago. The nonce, used once, and exp bound its use.
const MAX_AGE_SECONDS = 24 * 3600;
const THUMBPRINT_PREFIX = 'urn:ietf:params:oauth:jwk-thumbprint:sha-256:';

/** Verifies a Self-Issued ID Token (SIOPv2 draft 13 §11.1). */
export function verifyIdToken(
  idToken: string,
  expected: ExpectedIdToken,
): Promise<CheckedResult<{ readonly subject: IdTokenSubject }>> {
  return runChecks(CHECKS, async (run) => {
    const { jws, sub } = await run('structure', () => readIdToken(idToken));
    await run('nonce', () => {
      checkNonce(jws.payload['nonce'], expected.nonce);
    });
    await run('audience', () => {
      checkAudience(jws.payload['aud'], expected.audience);
    });
    await run('times', () => {
      checkTimes(jws.payload, expected.now);
    });
    const subject = await run('key-binding', async () => {
      const key = await readKey(jws, sub, expected.dids);
      verifyJws(jws, key, expected.algorithms);
      return { sub, ...(sub.startsWith('did:') && { did: sub }), thumbprint: thumbprint(key) };
    });
    return { subject };
  });
}

function readIdToken(idToken: string): { jws: DecodedJws; sub: string } {
  const jws = decodeJws(idToken);
  const { iss, sub } = jws.payload;
  demand(typeof sub === 'string' && sub !== '', 'the ID token has no sub');
  demand(iss === sub, 'the ID token is not self-issued: its iss and sub differ');
  return { jws, sub };
}

/** OpenID Connect allows further audiences; a token that is also for another party is rejected. */
function checkAudience(aud: JsonValue | undefined, audience: string): void {
  const single = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  demand(single === audience, 'the aud of the ID token is not the client id of the request');
}

function checkTimes(payload: JsonObject, now: Date): void {
  const times = readTimes(payload);
  demand(times.exp !== undefined && times.iat !== undefined, 'the ID token lacks exp or iat');
  checkValidNow(times, now, 'the ID token');
  checkSignedJustNow(times, now, 'the ID token', MAX_AGE_SECONDS);
}

/** The syntax of `sub` decides where the key comes from: a DID document, or `sub_jwk` with `sub` as its thumbprint. */
async function readKey(
  { header, payload }: DecodedJws,
  sub: string,
  dids: ExpectedIdToken['dids'],
): Promise<PublicJwk> {
  const subJwk = payload['sub_jwk'];
  if (sub.startsWith('did:')) {
    demand(subJwk === undefined, 'the ID token has a sub_jwk although its sub is a DID');
    const kid = header['kid'];
    demand(typeof kid === 'string' && kid.startsWith(`${sub}#`), 'the kid of the ID token is not a key of its sub');
    return dids.resolveKey(kid, 'authentication');
  }
  demand(subJwk !== undefined, 'the ID token has no sub_jwk');
  const hasCertificate = typeof subJwk === 'object' && subJwk !== null && ['x5c', 'x5u'].some((m) => m in subJwk);
  demand(!hasCertificate, 'the sub_jwk of the ID token is not a bare key');
  const key = parsePublicJwk(subJwk);
  const value = thumbprint(key);
  demand(
    sub === value || sub === THUMBPRINT_PREFIX + value,
    'the sub of the ID token is not the thumbprint of sub_jwk',
  );
  return key;
}
