import { Problem } from '@app/problem-details';
import { pagePolicy } from '@app/web';
import { createHash } from 'node:crypto';
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

const style = `
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 2rem auto; padding: 0 1rem; text-align: center; }
svg { width: 100%; max-width: 22rem; height: auto; }
a { display: inline-block; padding: .6rem 1.2rem; border: 1px solid; border-radius: .4rem; text-decoration: none; }
`;

/** A page that shows the code to a person, with the link for a wallet on the same device. */
export async function qrPage(title: string, link: string): Promise<string> {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${isDrawable(link) ? `<p>Scan the code with your wallet.</p>\n${await qrSvg(link)}` : ''}
<p><a href="${escapeHtml(link)}">Open the wallet on this device</a></p>
</body>
</html>
`;
}

/** The page carries no script, loads nothing, and has no style but its own. */
export const qrPageHeaders = {
  'Content-Security-Policy': pagePolicy(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`),
  'Cache-Control': 'no-store',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
