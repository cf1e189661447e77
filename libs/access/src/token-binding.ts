import { tokenFault, type TokenFault } from './token-fault';

/** RFC 7638, SHA-256 in base64url. */
const thumbprintForm = /^[\w-]{43}$/;

/**
 * The thumbprint of the key that a token is bound to (`jkt`, RFC 9449 §6.1), by its `cnf` (RFC 7800); `undefined` for a token
 * that is not bound. A binding that cannot be checked here is a fault: such a token must not pass for one of a bearer.
 */
export function keyBoundTo(cnf: unknown): string | TokenFault | undefined {
  if (cnf === undefined) return undefined;
  const { jkt, ...others }: Record<string, unknown> =
    typeof cnf === 'object' && cnf !== null && !Array.isArray(cnf) ? { ...cnf } : {};
  if (Object.hasOwn(others, 'x5t#S256')) {
    const detail =
      'it is bound to a client certificate (x5t#S256), which this service does not see: have it bound to a key by DPoP (jkt), or to nothing';
    return tokenFault('bound-to-certificate', detail);
  }
  if (Object.keys(others).length > 0) {
    return tokenFault('claim-cnf', 'its cnf has members that are unknown here: have it bound to a key by DPoP (jkt)');
  }
  if (typeof jkt === 'string' && thumbprintForm.test(jkt)) return jkt;
  return tokenFault('claim-cnf', 'its cnf does not have the thumbprint of a key as jkt');
}
