import { withoutHidden } from '@app/primitives/json';

/** HTML that is safe to send: only {@link html} makes it. */
export class Html {
  constructor(readonly text: string) {}
}

/** What was made here, and no one else can have written. */
export function trusted(text: string): Html {
  return new Html(text);
}

type Part = Html | string | number | undefined | readonly Html[];

/**
 * A template whose inserted values are escaped, unless they are HTML themselves; nothing is inserted for `undefined`. What nobody would
 * see and changes how the rest reads is seen as U+FFFD: names of wallets and claims can hold anything.
 */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(fixed.map((text, index) => text + rendered(parts[index])).join(''));
}

function rendered(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('\n');
  return withoutHidden(String(part)).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
