import { SDJwt } from '@sd-jwt/core';
import { hash } from 'node:crypto';
import { pathText, type ClaimPath } from './claim-path';
import { splitSdJwt } from './sd-jwt';

type Disclosure = NonNullable<SDJwt['disclosures']>[number];
type ByDigest = ReadonlyMap<string, Disclosure>;

/** A disclosure and the claim it reveals; array indexes count as the holder sees the array. */
interface Revealed {
  readonly disclosure: Disclosure;
  readonly path: ClaimPath;
}

export interface SelectedDisclosures {
  /** The SD-JWT with the chosen disclosures only, without a key binding JWT. */
  readonly sdJwt: SDJwt;
  /** The claims these disclosures reveal, for people; what only leads to another claim is left out. */
  readonly disclosed: readonly string[];
}

const hasher = (data: string | ArrayBuffer): Uint8Array => hash('sha256', data as string, 'buffer');

/**
 * Keeps the disclosures that the wanted claims need: the claim itself, what leads to it, and everything below it. By the
 * places of the claims: `@sd-jwt/core` itself selects by names joined with dots, which a name may contain.
 * The SD-JWT is one of this wallet's own, verified when it was received.
 */
export async function selectDisclosures(text: string, wanted: readonly ClaimPath[]): Promise<SelectedDisclosures> {
  splitSdJwt(text);
  const { jwt, disclosures = [] } = await SDJwt.fromEncode(text, hasher);
  const digests = await Promise.all(disclosures.map((one) => one.digest({ hasher, alg: 'sha-256' })));
  const byDigest = new Map(disclosures.map((one, at) => [digests[at] ?? '', one]));
  const chosen = revealed(jwt?.payload, [], byDigest).filter(({ path }) =>
    wanted.some((want) => onOneLine(want, path)),
  );
  return {
    sdJwt: new SDJwt({ ...(jwt && { jwt }), disclosures: chosen.map(({ disclosure }) => disclosure) }),
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

function revealed(value: unknown, at: ClaimPath, all: ByDigest): Revealed[] {
  if (Array.isArray(value)) return revealedInArray(value, at, all);
  if (typeof value !== 'object' || value === null) return [];
  const { _sd: digests, ...open } = value as Record<string, unknown>;
  const hidden = (Array.isArray(digests) ? digests : []).flatMap((digest) => {
    const disclosure = all.get(String(digest));
    if (!disclosure) return [];
    const path = [...at, String(disclosure.key)];
    return [{ disclosure, path }, ...revealed(disclosure.value, path, all)];
  });
  return [...Object.entries(open).flatMap(([name, member]) => revealed(member, [...at, name], all)), ...hidden];
}

function revealedInArray(items: unknown[], at: ClaimPath, all: ByDigest): Revealed[] {
  const found: Revealed[] = [];
  let index = 0;
  for (const item of items) {
    const digest = typeof item === 'object' && item !== null ? (item as Record<string, unknown>)['...'] : undefined;
    const disclosure = all.get(String(digest));
    // A digest without a disclosure is a decoy: the holder's array does not contain it.
    if (digest !== undefined && !disclosure) continue;
    const path = [...at, index];
    index += 1;
    if (disclosure) found.push({ disclosure, path });
    found.push(...revealed(disclosure ? disclosure.value : item, path, all));
  }
  return found;
}
