/**
 * What a `fetchDocument` rejects with that had no room to ask anybody: it says nothing about the document or who named it.
 * Passes through every check, so that it is not mistaken for a refusal; the same request may succeed a moment later.
 */
export class FetchPostponed extends Error {
  override readonly name = 'FetchPostponed';
}
