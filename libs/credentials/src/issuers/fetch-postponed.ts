/**
 * What a `fetchDocument` rejects with that had no slot for a request: it says nothing about the document or its URL.
 * Passes through every check, so that it is not mistaken for a refusal; the same request may succeed a moment later.
 */
export class FetchPostponed extends Error {
  override readonly name = 'FetchPostponed';
}
