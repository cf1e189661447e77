import { formats, unmarkedFormat } from './formats/registry';
import type { IssuedCredential } from './presentation/issued-credential';
import { refusalReason } from './presentation-check';

/**
 * Reads a credential of any format as its issuer issues it. `fault` says what is wrong, in words that
 * hold nothing of the text.
 */
export function readIssuedCredential(text: string): IssuedCredential | { readonly fault: string } {
  try {
    const format = formats.find((one) => one.isMarked(text)) ?? unmarkedFormat;
    return format.readIssued(text);
  } catch (error) {
    const fault = refusalReason(error);
    if (fault === undefined) throw error;
    return { fault };
  }
}
