import { type IdempotencyKeys, parseIdempotencyKey } from '../idempotency/idempotency-keys';
import { RawBody } from '../body/raw-body';
import { HttpReply } from '../context/http-reply';
import type { Received } from './input';
import { mediaTypeOf, type Operation, usualStatusOf } from './operation';

const usual = 'application/json';

/** Carries out an operation that accepts an `Idempotency-Key` once for each key, whatever happens meanwhile. */
export async function oncePerKey(
  keys: IdempotencyKeys,
  operation: Operation,
  { method, originalUrl, headers, body }: Received,
  work: () => unknown,
): Promise<unknown> {
  const header = headers['idempotency-key'];
  // An unread body is rejected by the code that reads it.
  if (operation.idempotent !== true || header === undefined || !(body instanceof RawBody) || !body.bytes) return work();
  // The stored answer has one media type, and is repeated only to a caller who asks for that one.
  const mediaType = mediaTypeOf(operation, headers.accept);
  const request = {
    ...parseIdempotencyKey(header),
    fingerprints: keys.fingerprintsOf(
      ...[method, originalUrl, body.mediaType, body.bytes],
      // Keys that were used before media types counted stay valid for JSON.
      ...(mediaType === usual ? [] : [mediaType]),
    ),
  };
  return keys.once(request, async () => {
    const result = await work();
    return result instanceof HttpReply ? result : new HttpReply(usualStatusOf(operation), result);
  });
}
