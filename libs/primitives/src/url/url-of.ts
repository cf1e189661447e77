/**
 * The URL that a text is, or undefined. Not by `URL.canParse`: once it is compiled, that of Node.js 20 takes `https://münchen.example` for
 * none.
 */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
