import { Problem } from '@app/primitives/problems';
import { toString } from 'qrcode';

// Medium correction: a link of about 150 characters stays readable on a dim screen.
const options = { errorCorrectionLevel: 'M', margin: 4 } as const;

/** Bytes that a QR code of medium correction holds at most (ISO/IEC 18004, version 40). */
const mostBytes = 2331;

/** Throws `not-acceptable` for a link that no QR code holds: an unsigned request carries its whole query. */
export function assertDrawable(link: string): void {
  if (isDrawable(link)) return;
  throw new Problem('not-acceptable', 'The link is too long for a QR code; give the link itself to the wallet.');
}

/** Whether a QR code of medium correction holds the link. */
export function isDrawable(link: string): boolean {
  return Buffer.byteLength(link) <= mostBytes;
}

export async function qrSvg(link: string): Promise<string> {
  assertDrawable(link);
  return toString(link, { ...options, type: 'svg' });
}
