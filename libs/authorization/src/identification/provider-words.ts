/** Characters of what a provider says that are looked at, and of those that are kept. */
const readAtMost = 2_000;
const keptAtMost = 300;
/** RFC 6749 §5.2. */
const errorCode = /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,64}$/;
/** A token, a code, an id or an address of mail, as far as its form tells. */
const perhapsSecret = /[\w-]{16,}|[\w+/=-]{40,}|[^\s<>"'@]+@[^\s<>"'@]+/g;

/**
 * What a provider says in words, for the log: on one line, short, without the secrets that are known and without what looks like one.
 * @returns undefined when nothing is left
 */
export function wordsOf(text: unknown, secrets: readonly string[]): string | undefined {
  if (typeof text !== 'string') return undefined;
  // The part of a secret that a cut leaves is none that is known.
  const known = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const masked = known
    .reduce((words, secret) => words.replaceAll(secret, '…'), text)
    .slice(0, readAtMost)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll(perhapsSecret, (run) => (isName(run) ? run : '…'))
    .trim();
  if (masked === '') return undefined;
  return masked.length > keptAtMost ? `${masked.slice(0, keptAtMost)}…` : masked;
}

/** @returns undefined for what is no error code */
export function errorCodeOf(text: unknown, secrets: readonly string[]): string | undefined {
  return typeof text === 'string' && errorCode.test(text) ? wordsOf(text, secrets) : undefined;
}

/** A parameter or error code: long, but of words. */
function isName(run: string): boolean {
  return /^[a-z]+([_/-][a-z]+)*$/.test(run) || /^[A-Z]?[a-z]+$/.test(run);
}
