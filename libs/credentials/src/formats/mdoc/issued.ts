import type { IssuedCredential } from '../../presentation/issued-credential';
import { Refusal } from '../../presentation-check';

/** Whether the text can be base64url of a CBOR map, as no JWT is: `{`, with which its header begins, is no head of a map. */
export function isEncodedMap(text: string): boolean {
  return /^[o-v][A-Za-z0-9_-]*$/.test(text);
}

/** Throws `Refusal`: a document is made for the key of its holder, which is not known before the wallet asks for it. */
export function readIssuedMdoc(): IssuedCredential {
  throw new Refusal('an mdoc that was signed elsewhere is not issued here; give its data elements instead');
}
