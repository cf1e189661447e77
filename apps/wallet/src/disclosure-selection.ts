import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { pathText } from './claim-path';
import type { ClaimPath } from './claim-path';
import { splitSdJwt } from './sd-jwt';

/** A disclosure and the claim it reveals; array indexes count as the holder sees the array. */
interface Revealed {
  readonly encoded: string;
  readonly path: ClaimPath;
}

export interface SelectedDisclosures {
  /** The SD-JWT with the chosen disclosures only; ends with the tilde that a key binding JWT follows. */
  readonly sdJwt: string;
  /** The claims these disclosures reveal, for people; what only leads to another claim is left out. */
  readonly disclosed: readonly string[];
}

/**
 * Keeps the disclosures that the wanted claims need: the claim itself, what leads to it, and everything below it.
 * The SD-JWT is one of this wallet's own, verified when it was received.
 */
export function selectDisclosures(sdJwt: string, wanted: readonly ClaimPath[]): SelectedDisclosures {
  const { jwt, disclosures } = splitSdJwt(sdJwt);
  const unused = new Map(disclosures.map((encoded) => [digestOf(encoded), encoded]));
  const chosen = revealed(decodeJwt(jwt), [], unused).filter(({ path }) =>
    wanted.some((want) => onOneLine(want, path)),
  );
  return {
    sdJwt: [jwt, ...chosen.map(({ encoded }) => encoded), ''].join('~'),
    disclosed: chosen
      .filter(({ path }) => !chosen.some((other) => other.path.length > path.length && onOneLine(path, other.path)))
      .map(({ path }) => pathText(path)),
  };
}

/** Whether one path begins with the other; null stands for every index. */
function onOneLine(one: ClaimPath, other: ClaimPath): boolean {
  const length = Math.min(one.length, other.length);
  return one
    .slice(0, length)
    .every((step, at) => step === other[at] || (step === null && typeof other[at] === 'number'));
}

function revealed(value: unknown, at: ClaimPath, unused: Map<string, string>): Revealed[] {
  if (Array.isArray(value)) return revealedInArray(value, at, unused);
  if (typeof value !== 'object' || value === null) return [];
  const { _sd: digests, ...open } = value as Record<string, unknown>;
  const hidden = (Array.isArray(digests) ? digests : []).flatMap((digest) => {
    const encoded = unused.get(String(digest));
    if (encoded === undefined) return [];
    const [, name, member] = content(encoded);
    const path = [...at, String(name)];
    return [{ encoded, path }, ...revealed(member, path, unused)];
  });
  return [...Object.entries(open).flatMap(([name, member]) => revealed(member, [...at, name], unused)), ...hidden];
}

function revealedInArray(items: unknown[], at: ClaimPath, unused: Map<string, string>): Revealed[] {
  const found: Revealed[] = [];
  let index = 0;
  for (const item of items) {
    const digest = typeof item === 'object' && item !== null ? (item as Record<string, unknown>)['...'] : undefined;
    const encoded = unused.get(String(digest));
    // A digest without a disclosure is a decoy: the holder's array does not contain it.
    if (digest !== undefined && encoded === undefined) continue;
    const path = [...at, index];
    index += 1;
    if (encoded !== undefined) found.push({ encoded, path });
    found.push(...revealed(encoded === undefined ? item : content(encoded)[1], path, unused));
  }
  return found;
}

function content(encoded: string): unknown[] {
  return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) as unknown[];
}

function digestOf(encoded: string): string {
  return createHash('sha256').update(encoded, 'ascii').digest('base64url');
}
