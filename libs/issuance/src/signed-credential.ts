import { decodeJws, JwsError } from '@app/credentials';
import type { CredentialFormat } from '@app/openid4vc';
import { Problem } from '@app/problem-details';
import type { SignedContent } from './build-credential';

/**
 * Takes a credential that was signed elsewhere. Its structure and format are checked; its signature and content are
 * the caller's. Throws `invalid-signed-credential-format` or `signed-credential-format-mismatch`.
 */
export function signedContentOf(signed: string, format: CredentialFormat): SignedContent {
  const found = formatOf(signed);
  if (found === format) return { signed };
  throw new Problem(
    'signed-credential-format-mismatch',
    `The signed credential is ${found} and the configuration issues ${format}.`,
  );
}

function formatOf(signed: string): CredentialFormat {
  const [jwt = '', ...disclosures] = signed.split('~');
  const { header, payload } = decode(jwt);
  if (disclosures.length === 0) {
    if (header['typ'] !== undefined && header['typ'] !== 'JWT') throw malformed('the typ of a W3C credential is JWT');
    if (!isObject(payload['vc'])) throw malformed('a W3C credential as JWT has a vc claim');
    return 'jwt_vc_json';
  }
  if (header['typ'] !== 'dc+sd-jwt' && header['typ'] !== 'vc+sd-jwt') {
    throw malformed('the typ of an SD-JWT VC is dc+sd-jwt');
  }
  if (typeof payload['vct'] !== 'string') throw malformed('an SD-JWT VC has a vct claim');
  // RFC 9901 §4: what an issuer hands out ends with a tilde; after it a holder would put a key binding.
  if (disclosures.pop() !== '') throw malformed('an SD-JWT VC ends with a tilde when it is issued');
  if (!disclosures.every((disclosure) => /^[\w-]+$/.test(disclosure))) throw malformed('a disclosure is not base64url');
  return 'dc+sd-jwt';
}

function decode(jwt: string) {
  try {
    return decodeJws(jwt);
  } catch (error) {
    if (error instanceof JwsError) throw malformed(error.message);
    throw error;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(message: string): Problem {
  return new Problem('invalid-signed-credential-format', `The signed credential cannot be read: ${message}.`, [
    { pointer: '/credential', message },
  ]);
}
