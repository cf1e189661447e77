import type { VNode } from 'preact';
import { useState, useMemo } from 'preact/hooks';
import { create } from 'qrcode';
import { text } from '../texts';

/** Modules around the code (ISO/IEC 18004 §6.3.8). */
const quiet = 4;

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
          {text('common.openWallet')}
        </a>
        <button type="button" onClick={() => void copy(link).then(setCopied)}>
          {text('common.copyLink')}
        </button>
      </div>
      <p class="hint" role="status">
        {isCopied ? text('common.linkCopied') : ''}
      </p>
      <details>
        <summary>{text('common.link')}</summary>
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

/** The QR code of a link; nothing for a link that none can hold. */
function QrCode({ link, label }: { readonly link: string; readonly label: string }): VNode {
  const code = useMemo(() => pathOf(link), [link]);
  if (!code) return <p class="hint">{text('common.linkTooLong')}</p>;
  const side = code.size + 2 * quiet;
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={side} height={side} fill="#fff" />
      <path d={code.path} fill="#000" />
    </svg>
  );
}

function pathOf(link: string): { readonly size: number; readonly path: string } | undefined {
  try {
    const { size, data } = create(link, { errorCorrectionLevel: 'M' }).modules;
    const cells = [...data].flatMap((isDark, index) =>
      isDark ? [`M${(index % size) + quiet} ${Math.floor(index / size) + quiet}h1v1h-1z`] : [],
    );
    return { size, path: cells.join('') };
  } catch {
    return undefined;
  }
}
