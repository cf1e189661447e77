import type { IncomingMessage } from 'node:http';

/** What a caller presents to be let in: nothing, one key or token, or something that is neither. */
export type PresentedCredential =
  | { readonly kind: 'none' }
  | { readonly kind: 'credential'; readonly text: string }
  | { readonly kind: 'unusable'; readonly reason: 'malformed' | 'several-credentials' };

/**
 * Reads `Authorization: Bearer <text>` (RFC 6750 §2.1) and `X-API-Key: <text>`. Another scheme counts as nothing
 * (RFC 6750 §3.1 has no error for it); the same text in both places counts once.
 */
export function presentedCredential({
  headersDistinct: headers,
}: Pick<IncomingMessage, 'headersDistinct'>): PresentedCredential {
  const { authorization: [authorization = ''] = [], 'x-api-key': apiKeys = [] } = headers;
  const isBearer = /^bearer(\s|$)/i.test(authorization);
  const given = new Set([...(isBearer ? [authorization.slice('bearer'.length).trim()] : []), ...apiKeys]);
  const [text] = given;
  if (text === undefined) return { kind: 'none' };
  if (given.size > 1) return { kind: 'unusable', reason: 'several-credentials' };
  return /^[\x21-\x7e]+$/.test(text) ? { kind: 'credential', text } : { kind: 'unusable', reason: 'malformed' };
}
