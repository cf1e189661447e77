import { readFile, stat } from 'node:fs/promises';

/** A secret as it is now. Its errors repeat nothing of it. */
export type Secret = () => Promise<string>;

/** The file of a secret cannot be read, or is empty. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';

  constructor(path: string) {
    super(`no secret can be read from ${path}`);
  }
}

/**
 * The text of a file without the white space around it, read again when the file has changed. What it held last counts while it is
 * missing or empty, as it is for a moment when it is written anew. Rejects with `SecretFileError`.
 */
export function secretFile(path: string): Secret {
  let known: { readonly state: string; readonly text: string } | undefined;
  return async () => {
    try {
      const { ino, size, mtimeMs } = await stat(path);
      const state = [ino, size, mtimeMs].join();
      if (known?.state !== state) {
        const text = (await readFile(path, 'utf8')).trim();
        if (text !== '') known = { state, text };
      }
    } catch {
      // Below.
    }
    if (!known) throw new SecretFileError(path);
    return known.text;
  };
}
