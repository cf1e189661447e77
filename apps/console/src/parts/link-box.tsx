import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { QrCode } from './qr-code';

interface LinkBoxProps {
  readonly link: string;
  readonly label: string;
}

/** A link for wallets: to scan, to open on this device, to copy. */
export function LinkBox({ link, label }: LinkBoxProps): VNode {
  const [isCopied, setCopied] = useState(false);
  return (
    <div class="link-box">
      <QrCode link={link} label={label} />
      <div class="actions">
        <a class="button" href={link}>
          Open in a wallet here
        </a>
        <button type="button" onClick={() => void copy(link).then(setCopied)}>
          Copy the link
        </button>
      </div>
      <p class="hint" role="status">
        {isCopied ? 'The link is in the clipboard.' : ''}
      </p>
      <details>
        <summary>The link</summary>
        <code class="long">{link}</code>
      </details>
    </div>
  );
}

/** The clipboard is there for pages of this machine and of https only. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
