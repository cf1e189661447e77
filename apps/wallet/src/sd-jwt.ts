import { createHash } from 'node:crypto';
import { WalletFailure } from './failure';

interface Disclosure {
  readonly digest: string;
  readonly content: readonly unknown[];
}

/** Names an issuer may never hide (SD-JWT VC §3.2.2.2), and the two that SD-JWT itself reserves (RFC 9901 §4.2.1). */
const neverDisclosed = new Set(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', '_sd', '...']);

/** Splits `<JWT>~<disclosure>~...~` as an issuer hands it out. Throws when the trailing `~` or a part is wrong. */
export function splitSdJwt(sdJwt: string): { jwt: string; disclosures: string[] } {
  const parts = sdJwt.split('~');
  const [jwt, ...rest] = parts;
  // RFC 9901 §4: without a key binding JWT the last part is empty.
  if (!jwt || rest.pop() !== '') throw new WalletFailure('The SD-JWT does not end with a tilde.');
  return { jwt, disclosures: rest };
}

/**
 * Puts disclosed claims back into the signed payload (RFC 9901 §7.1) and returns the claims as the holder sees them.
 * Throws on a disclosure that no digest refers to, is used twice, has the wrong shape, or overrides a signed claim.
 */
export function disclosedClaims(payload: Record<string, unknown>, disclosures: string[]): Record<string, unknown> {
  const algorithm = payload['_sd_alg'] ?? 'sha-256';
  if (algorithm !== 'sha-256') throw new WalletFailure('The SD-JWT uses a hash algorithm other than sha-256.');
  const unused = new Map(disclosures.map(parseDisclosure).map((disclosure) => [disclosure.digest, disclosure]));
  if (unused.size !== disclosures.length) throw new WalletFailure('The SD-JWT repeats a disclosure.');
  const claims = Object.entries(withDisclosures(payload, unused) as object).filter(([name]) => name !== '_sd_alg');
  if (unused.size > 0) throw new WalletFailure('The SD-JWT carries a disclosure that its signature does not cover.');
  return Object.fromEntries(claims);
}

function parseDisclosure(encoded: string): Disclosure {
  const digest = createHash('sha256').update(encoded, 'ascii').digest('base64url');
  const content: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  if (!Array.isArray(content)) throw new WalletFailure('A disclosure is not a JSON array.');
  return { digest, content };
}

function take(digest: unknown, length: 2 | 3, unused: Map<string, Disclosure>): readonly unknown[] | undefined {
  if (typeof digest !== 'string') throw new WalletFailure('A digest in the SD-JWT is not a string.');
  const disclosure = unused.get(digest);
  // A digest without a disclosure is a decoy or withheld.
  if (!disclosure) return undefined;
  unused.delete(digest);
  if (disclosure.content.length !== length) throw new WalletFailure('A disclosure has the wrong number of members.');
  return disclosure.content;
}

function withDisclosures(value: unknown, unused: Map<string, Disclosure>): unknown {
  if (Array.isArray(value)) return value.flatMap((item) => arrayItem(item, unused));
  if (typeof value !== 'object' || value === null) return value;
  const { _sd: digests = [], ...open } = value as Record<string, unknown>;
  if (!Array.isArray(digests)) throw new WalletFailure('_sd in the SD-JWT is not an array.');
  const members = new Map(Object.entries(open).map(([name, member]) => [name, withDisclosures(member, unused)]));
  for (const digest of digests) {
    const content = take(digest, 3, unused);
    if (!content) continue;
    const [, name, member] = content;
    if (typeof name !== 'string' || neverDisclosed.has(name) || members.has(name)) {
      throw new WalletFailure(`The SD-JWT discloses ${String(name)}, which may not be disclosed there.`);
    }
    members.set(name, withDisclosures(member, unused));
  }
  return Object.fromEntries(members);
}

function arrayItem(item: unknown, unused: Map<string, Disclosure>): unknown[] {
  if (typeof item !== 'object' || item === null || !('...' in item)) return [withDisclosures(item, unused)];
  const content = take(item['...'], 2, unused);
  return content ? [withDisclosures(content[1], unused)] : [];
}
