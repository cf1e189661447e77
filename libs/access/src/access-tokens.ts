import { Problem } from '@app/problem-details';
import { scopes as allScopes, type Principal, type Scope } from '@app/web';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { TokenKeys } from './token-keys';

/** RFC 9068 §2.1 wants an asymmetric signature; these are the ones in use, and never `none`. */
const algorithms = ['ES256', 'PS256', 'RS256', 'EdDSA'];
/** Seconds by which two clocks may differ. */
const leeway = 60;

export type TokenVerdict =
  | { readonly accepted: true; readonly principal: Principal }
  | { readonly accepted: false; readonly reason: `token-${string}` };

/** What an access token must say. */
export interface TokenConditions {
  readonly issuer: string;
  readonly audience: string;
}

/** Judges OAuth 2.0 access tokens in the JWT profile (RFC 9068) of one authorization server. */
export class AccessTokens {
  constructor(
    private readonly conditions: TokenConditions,
    private readonly keys: Pick<TokenKeys, 'find'>,
  ) {}

  /** Rejects with the problem `unavailable` when the keys cannot be fetched. */
  async verify(token: string): Promise<TokenVerdict> {
    try {
      const { payload } = await jwtVerify(token, (header, input) => this.keys.find(header, input), {
        ...this.conditions,
        algorithms,
        // Also `application/at+jwt` (RFC 9068 §4): no other token of the same server passes for an access token.
        typ: 'at+jwt',
        clockTolerance: leeway,
        requiredClaims: ['exp'],
      });
      return verdictOn(payload, this.conditions);
    } catch (error) {
      if (error instanceof Problem) throw error;
      return refused(reasonOf(error));
    }
  }
}

/** RFC 9068 §2.2 requires `client_id`; servers that leave it out say `azp`, as in ID Tokens, or only name the subject. */
function verdictOn({ iat, sub, client_id: id, azp, ...claims }: JWTPayload, { issuer }: TokenConditions): TokenVerdict {
  if (iat !== undefined && iat > Date.now() / 1000 + leeway) return refused('claim-iat');
  const client = id ?? azp ?? sub;
  if (typeof client !== 'string' || client === '') return refused('claim-client_id');
  const subject: unknown = sub ?? client;
  if (typeof subject !== 'string' || subject === '') return refused('claim-sub');
  const of = (name: string) => `oauth:${issuer}|${name}`;
  return { accepted: true, principal: { id: of(subject), client: of(client), scopes: scopesIn(claims) } };
}

/** From `scope` (RFC 9068 §2.2.3), or what other servers call it: `scp`, `roles`. Words we do not know mean nothing. */
function scopesIn({ scope, scp, roles }: JWTPayload): ReadonlySet<Scope> {
  const words = [scope, scp, roles].flatMap((claim): unknown[] => {
    if (typeof claim === 'string') return claim.split(' ');
    return Array.isArray(claim) ? claim : [];
  });
  return new Set(allScopes.filter((known) => words.includes(known)));
}

/** A word for the log; never anything out of the token but the name of a registered claim. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `claim-${error.claim}`;
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'key-unknown';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature-wrong';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm-refused';
  return 'malformed';
}

function refused(reason: string): TokenVerdict {
  return { accepted: false, reason: `token-${reason}` };
}
