import { contentTag, representationConditions } from '../answers/conditions';
import { HttpReply } from '../context/http-reply';
import type { Received } from './input';
import type { Operation } from './operation';

/** What becomes of the answer of an operation's method. */
export type Change = (answer: unknown) => unknown;

/**
 * Gives the answer to a conditional GET an `ETag`, by its content where the method gave none, and leaves the answer out
 * when the caller has it already (RFC 9110 §13). Throws for a condition that cannot be read.
 */
export function conditionally({ method, conditional }: Operation, { headers }: Received): Change | undefined {
  if (!conditional || method !== 'GET') return undefined;
  const isPresent = representationConditions(headers['if-match'], headers['if-none-match']);
  return (answer) => {
    const { status, body, headers: others } = answer instanceof HttpReply ? answer : new HttpReply(200, answer);
    const tag = others['ETag'] ?? contentTag(body);
    if (isPresent(tag)) return new HttpReply(304, undefined, { ETag: tag });
    return new HttpReply(status, body, { ...others, ETag: tag });
  };
}
