import { tokenFault, type TokenFault } from './token-fault';

/** RFC 7638, SHA-256 in base64url. */
const thumbprintForm = /^[\w-]{43}$/;
/** Other ways to be bound (RFC 7800 §3). What says more of the `jkt`, as Keycloak's `kc-jkt-type` does, is none. */
const unknownHere = ['jwk', 'jwe', 'kid', 'jku', 'osc'];

/**
 * The thumbprint of the key that a token is bound to (`jkt`, RFC 9449 §6.1), by its `cnf` (RFC 7800); `undefined` for a token
 * that is not bound. A binding that cannot be checked here is a fault: such a token must not pass for one of a bearer.
 */
export function keyBoundTo(cnf: unknown): string | TokenFault | undefined {
  if (cnf === undefined) return undefined;
  const members: Record<string, unknown> =
    typeof cnf === 'object' && cnf !== null && !Array.isArray(cnf) ? { ...cnf } : {};
  const { jkt } = members;
  if (Object.hasOwn(members, 'x5t#S256')) {
    const detail =
      'it is bound to a client certificate (x5t#S256), which this service does not see: have it bound to a key by DPoP (jkt), or to nothing';
    return tokenFault('bound-to-certificate', detail);
  }
  const isThumbprint = typeof jkt === 'string' && thumbprintForm.test(jkt);
  if (isThumbprint && !unknownHere.some((member) => Object.hasOwn(members, member))) return jkt;
  return tokenFault('claim-cnf', 'its cnf must be the thumbprint of a key that signs DPoP proofs (jkt), and no other');
}
