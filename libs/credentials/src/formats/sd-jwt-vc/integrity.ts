import { type JsonValue } from '@app/primitives/json';
import { hash } from 'node:crypto';
import { demand } from '../../presentation-check';

/** The strongest first (W3C Subresource Integrity §3.2). */
const algorithms = ['sha512', 'sha384', 'sha256'] as const;
const longest = 1_024;

/**
 * Checks a document against the `#integrity` of whoever referred to it (SD-JWT VC §7): hashes in standard base64, of which
 * those by the strongest algorithm count, each an alternative. Throws `Refusal`.
 */
export function checkIntegrity(document: Uint8Array, integrity: JsonValue, what: string): void {
  demand(typeof integrity === 'string' && integrity.length <= longest, `the integrity of ${what} is not a text`);
  const stated = integrity.split(/\s+/).map((expression) => expression.split('?')[0] ?? '');
  const strongest = algorithms.find((algorithm) => stated.some((one) => one.startsWith(`${algorithm}-`)));
  demand(strongest !== undefined, `the integrity of ${what} is not a hash by sha256, sha384 or sha512`);
  const actual = `${strongest}-${hash(strongest, document, 'base64')}`;
  demand(stated.includes(actual), `${what} is not the one whose hash is stated`);
}
