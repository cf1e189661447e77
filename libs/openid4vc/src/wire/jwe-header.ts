import { isWireObject, type WireObject } from './wire-object';

/** Compact JWE (RFC 7516 §7.1); with ECDH-ES the second part is empty. */
const COMPACT_JWE = /^([\w-]+)\.[\w-]*\.[\w-]+\.[\w-]*\.[\w-]+$/u;
const LONGEST_HEADER = 4_096;

/** The protected header of a compact JWE, unverified; or what is wrong with it, about `what` ("The response"). */
export function readJweHeader(jwe: string, what: string): { header: WireObject } | { fault: string } {
  const encoded = COMPACT_JWE.exec(jwe)?.[1];
  if (encoded === undefined || encoded.length > LONGEST_HEADER) return { fault: `${what} must be a compact JWE.` };
  let header: unknown;
  try {
    header = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  } catch {
    return { fault: `The header of ${what.toLowerCase()} is not JSON.` };
  }
  return isWireObject(header) ? { header } : { fault: `The header of ${what.toLowerCase()} must be a JSON object.` };
}
