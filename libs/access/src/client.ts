/** The client of the keys in the settings, whichever of them is used. */
export const settingsClient = 'settings';
/** The client of who needs no key in development, and of the key that stands for it elsewhere. */
export const localClient = 'local';

const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Why a client of API keys cannot be called so. Clients of access tokens have a colon in their names, so that none of
 * them is taken for one of these.
 * @returns one sentence; undefined when nothing is wrong
 */
export function clientFault(name: string): string | undefined {
  if (name === settingsClient || name === localClient) {
    return `Choose another --client: "${name}" is reserved for callers without a key in the database.`;
  }
  if (pattern.test(name)) return undefined;
  return 'Give --client 1 to 64 of the characters A-Z, a-z, 0-9, ".", "_" and "-", the first a letter or digit.';
}

/** The client that a key belongs to when only its own name is given: "Town hall" is a key of `town-hall`. */
export function clientFrom(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9._]+/g, '-')
    .slice(0, 64)
    .replace(/^[^a-z0-9]+|-+$/g, '');
}
