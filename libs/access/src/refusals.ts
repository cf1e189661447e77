import { Problem } from '@app/problem-details';
import type { Scope } from '@app/web';

// RFC 6750 §3 wants a parameter in every challenge.
const challenge = 'Bearer realm="management API"';

/** The refusal of a caller who presented nothing. @param hint where a key comes from */
export function credentialMissing(hint: string, headers: Readonly<Record<string, string>> = {}): Problem {
  const detail = `Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>". ${hint}`;
  return new Problem('unauthorized', detail, [], { 'WWW-Authenticate': challenge, ...headers });
}

/** The one refusal of what was presented: who tries keys does not learn which of them exist, or existed. */
export function credentialRefused(headers: Readonly<Record<string, string>> = {}): Problem {
  const detail = 'The key or token is not accepted: it is unknown, malformed, expired or revoked.';
  return new Problem('unauthorized', detail, [], {
    'WWW-Authenticate': `${challenge}, error="invalid_token"`,
    ...headers,
  });
}

/** The refusal of what was presented, when too much from the same address was refused in this minute. */
export function tooManyRefused(seconds: number, headers: Readonly<Record<string, string>> = {}): Problem {
  const detail = `Too many wrong keys or tokens came from your address: try again in ${seconds} s.`;
  return new Problem('rate-limited', detail, [], { 'Retry-After': String(seconds), ...headers });
}

/** The refusal of a caller whose key or token lacks a scope. */
export function scopeMissing(scope: Scope): Problem {
  return new Problem('forbidden', `Your key or token lacks the scope ${scope}.`, [], {
    'WWW-Authenticate': `${challenge}, error="insufficient_scope", scope="${scope}"`,
  });
}
