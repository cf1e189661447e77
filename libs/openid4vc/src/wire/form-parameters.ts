import { OAuthError, Quoting, quoting } from './oauth-error';
import { type RefusalReason } from './refusal-reason';

/**
 * Reads a form once: RFC 6749 §3.2, no parameter may appear twice, and one without a value counts as omitted.
 * @param longest characters allowed for single parameters; 2,048 for any other.
 * @throws OAuthError invalid_request.
 */
export function readParameters(
  parameters: Iterable<readonly [string, string]>,
  longest: Readonly<Record<string, number>>,
): ReadonlyMap<string, string> {
  const limits = new Map(Object.entries(longest));
  const seen = new Set<string>();
  const values = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (seen.has(name)) throw invalid('parameter-repeated', quoting`The parameter '${name}' appears more than once.`);
    seen.add(name);
    const limit = limits.get(name) ?? LONGEST_OTHER;
    if (value.length > limit) throw invalid('parameter-too-long', tooLong(name, limit));
    if (value !== '') values.set(name, value);
  }
  return values;
}

function tooLong(name: string, limit: number): Quoting {
  const rest = `is longer than ${limit} characters.`;
  return new Quoting(`The parameter '${name}' ${rest}`, `The parameter '...' ${rest}`);
}

const LONGEST_OTHER = 2_048;

/** RFC 6749 appendix A: codes and client identifiers are visible ASCII. Throws `OAuthError` invalid_request. */
export function assertVisibleAscii(name: string, value: string): void {
  if (!/^[\x20-\x7e]*$/u.test(value)) throw invalid('not-ascii', `${name} holds characters outside visible ASCII.`);
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
