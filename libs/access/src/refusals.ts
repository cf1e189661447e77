import { managementChallenge } from '@app/http';
import { ADVERTISED_DPOP_ALGORITHMS, dpopChallenge, quotable } from '@app/openid4vc';
import { Problem } from '@app/primitives/problems';
import type { PresentedCredential, PresentedText } from './presented-credential';
import type { TokenFault } from './token-fault';

const asKey = '"Authorization: Bearer <key>" or "X-API-Key: <key>"';

type Headers = Readonly<Record<string, string>>;

/** The refusal of a caller who presented nothing. @param hint where a key comes from @param takesTokens also access tokens */
export function credentialMissing(hint: string, takesTokens: boolean, headers: Headers = {}): Problem {
  const tokens = takesTokens
    ? ', or an access token as "Authorization: Bearer <token>", "Authorization: DPoP <token>" when it is bound to a key'
    : '';
  const dpop = takesTokens ? `, DPoP algs="${ADVERTISED_DPOP_ALGORITHMS.join(' ')}"` : '';
  return new Problem('unauthorized', `Send an API key as ${asKey}${tokens}. ${hint}`, [], {
    'WWW-Authenticate': `${managementChallenge}${dpop}`,
    ...headers,
  });
}

const unusable: Readonly<Record<(PresentedCredential & { kind: 'unusable' })['reason'] | 'scheme', string>> = {
  malformed: `What was sent as key or token is malformed: send an API key as ${asKey}, or an access token, without blanks.`,
  'several-credentials': 'Several keys or tokens were sent: send one, in Authorization or in X-API-Key.',
  'proof-alone': 'A DPoP proof came without an access token: send that as "Authorization: DPoP <token>".',
  scheme: `The scheme DPoP is for access tokens: send an API key as ${asKey}.`,
};

/**
 * The refusal of what is no access token. Of keys there is one only: who tries them does not learn which of them exist, or
 * existed. @param fault why it cannot be a key
 */
export function credentialRefused(headers: Headers = {}, fault?: keyof typeof unusable): Problem {
  const detail =
    fault === undefined
      ? 'The API key is not accepted: it is unknown, malformed, expired or revoked.'
      : unusable[fault];
  return new Problem('unauthorized', detail, [], {
    'WWW-Authenticate': `${managementChallenge}, error="invalid_token"`,
    ...headers,
  });
}

/** The refusal of an access token, with what is wrong with it (RFC 6750 §3, RFC 9449 §7.1). @param came by which it came */
export function tokenRefused(fault: TokenFault, came: PresentedText['scheme'], headers: Headers = {}): Problem {
  const { detail, error = 'invalid_token', scheme = came } = fault;
  const bearer = {
    'WWW-Authenticate': `${managementChallenge}, error="${error}", error_description="${quotable(detail)}"`,
  };
  return new Problem('unauthorized', detail, [], {
    ...(scheme === 'DPoP' ? dpopChallenge(error, detail) : bearer),
    ...headers,
  });
}

/** The refusal of what was presented, when too much from the same address was refused in this minute. */
export function tooManyRefused(seconds: number, headers: Headers = {}): Problem {
  const detail = `Too many wrong keys or tokens came from your address: try again in ${seconds} s.`;
  return new Problem('rate-limited', detail, [], { 'Retry-After': String(seconds), ...headers });
}

/** The refusal of a request by a browser that has signed in, which sends a key or token as well: it cannot be told who calls. */
export function severalCredentials(headers: Headers = {}): Problem {
  const detail = 'The cookie of the console came together with a key or token: send one of them.';
  return new Problem('several-credentials', detail, [], headers);
}
