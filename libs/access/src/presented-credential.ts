import type { IncomingMessage } from 'node:http';

/** What a caller presents to be let in: nothing, one key or token, or something that is neither. */
export type PresentedCredential =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'credential' } & PresentedText)
  | { readonly kind: 'unusable'; readonly reason: 'malformed' | 'several-credentials' | 'proof-alone' };

export interface PresentedText {
  readonly text: string;
  /** `DPoP` says that a proof comes with it; a text in `X-API-Key` counts as that of a bearer. */
  readonly scheme: 'Bearer' | 'DPoP';
}

/**
 * Reads `Authorization: Bearer <text>` (RFC 6750 §2.1), `Authorization: DPoP <text>` (RFC 9449 §7.1) and
 * `X-API-Key: <text>`. Another scheme counts as nothing (RFC 6750 §3.1 has no error for it); the same text in both places
 * counts once.
 */
export function readPresentedCredential({
  headersDistinct: headers,
}: Pick<IncomingMessage, 'headersDistinct'>): PresentedCredential {
  const { authorization: [authorization = ''] = [], 'x-api-key': apiKeys = [] } = headers;
  const [, named, inScheme = ''] = /^(bearer|dpop)(?:\s+(.*))?$/i.exec(authorization) ?? [];
  const scheme = named?.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer';
  const given = new Set([...(named === undefined ? [] : [inScheme.trim()]), ...apiKeys]);
  const [text] = given;
  if (text === undefined) return headers['dpop'] ? { kind: 'unusable', reason: 'proof-alone' } : { kind: 'none' };
  if (given.size > 1) return { kind: 'unusable', reason: 'several-credentials' };
  return /^[\x21-\x7e]+$/.test(text) ? { kind: 'credential', text, scheme } : { kind: 'unusable', reason: 'malformed' };
}
