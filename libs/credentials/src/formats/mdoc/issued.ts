import type { IssuedCredential } from '../../presentation/issued-credential';
import { Refusal } from '../../presentation-check';

/** Whether the text can be base64url of a CBOR map, which no JWT begins like: `{` of a header is no head of a map. */
export function isIssuerSigned(text: string): boolean {
  return /^[o-u][A-Za-z0-9_-]*$/.test(text);
}

/** Throws `Refusal`. */
export function readIssuedMdoc(): IssuedCredential {
  throw new Refusal('an mdoc cannot be read here');
}
