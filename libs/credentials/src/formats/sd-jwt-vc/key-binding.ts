import {
  type DecodedJws,
  decodeJws,
  type JwsAlgorithm,
  parsePublicJwk,
  type PublicJwk,
  verifyJws,
} from '@app/primitives/jose';
import type { JsonObject } from '@app/primitives/json';
import { hash } from 'node:crypto';
import type { ResolveDidKey } from '../../issuers/did-document';
import { checkSignedJustNow, checkValidNow, readTimes } from '../../jwt-times';
import { demand } from '../../presentation-check';
import type { ParsedSdJwt } from './sd-jwt';

/** Decodes a key binding JWT (RFC 9901 §4.3) without verifying it. Throws `JwsError`. */
export function decodeKeyBinding(jwt: string): DecodedJws {
  return decodeJws(jwt);
}

/**
 * Verifies that the holder's key signed just this presentation just now (RFC 9901 §7.3 step 5); nonce and audience
 * are checks of their own. Throws `Refusal` or `JwsError`.
 */
export function verifyKeyBinding(
  keyBinding: DecodedJws,
  sdJwt: ParsedSdJwt,
  { holderKey, algorithms, now }: { holderKey: PublicJwk; algorithms: readonly JwsAlgorithm[]; now: Date },
): void {
  const { header, payload } = keyBinding;
  demand(header['typ'] === 'kb+jwt', 'the typ of the key binding JWT is not kb+jwt');
  verifyJws(keyBinding, holderKey, algorithms);
  const times = readTimes(payload);
  demand(times.iat !== undefined, 'the key binding JWT has no iat');
  checkValidNow(times, now, 'the key binding JWT');
  checkSignedJustNow(times, now, 'the key binding JWT');
  demand(
    payload['sd_hash'] === hash(sdJwt.hashAlgorithm, sdJwt.presented, 'base64url'),
    'the sd_hash of the key binding JWT does not fit what is presented',
  );
}

/**
 * The key a credential is bound to (RFC 7800): `cnf.jwk`, else the key that the DID URL `cnf.kid` names. `did` is the
 * DID of `cnf.kid`, next to a `jwk` as the issuer states it. Throws `Refusal`, `PublicJwkError` or `DidError`.
 */
export async function readConfirmation(
  payload: JsonObject,
  resolveKey: ResolveDidKey,
): Promise<{ readonly jwk: PublicJwk; readonly did?: string }> {
  const cnf = payload['cnf'];
  demand(typeof cnf === 'object' && cnf !== null && !Array.isArray(cnf), 'the credential is bound to no key');
  const { jwk, kid } = cnf;
  const did = typeof kid === 'string' && kid.startsWith('did:') ? kid.split('#', 1)[0] : undefined;
  if (jwk !== undefined) return { jwk: parsePublicJwk(jwk), ...(did !== undefined && { did }) };
  demand(
    typeof kid === 'string' && did !== undefined,
    'the cnf of the credential has neither a jwk nor the kid of a DID',
  );
  return { jwk: await resolveKey(kid, 'authentication'), did };
}
