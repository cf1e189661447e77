import { Problem } from '@app/primitives/problems';
import { CLOCK_SKEW_SECONDS } from '@app/primitives/time';
import { scopes as allScopes, scopesOfTenants, type Principal, type Scope } from '@app/http';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { tokenFault, type TokenFault } from './token-fault';
import type { TokenKeys } from './token-keys';

/** RFC 7638, SHA-256 in base64url. */
const thumbprintForm = /^[\w-]{43}$/;
/** Other ways to be bound (RFC 7800 §3). What says more of the `jkt`, as Keycloak's `kc-jkt-type` does, is none. */
const unknownHere = ['jwk', 'jwe', 'kid', 'jku', 'osc'];

/** RFC 9068 §2.1 wants an asymmetric signature; these are the ones in use, and never `none`. */
export const tokenAlgorithms = ['ES256', 'PS256', 'RS256', 'EdDSA'];

export type TokenVerdict =
  | {
      readonly accepted: true;
      readonly principal: Principal;
      /** RFC 7638 thumbprint of the key whose possession has to be proven; absent for a token of whoever bears it. */
      readonly boundTo?: string;
      /** The id of the tenant whose caller it is. */
      readonly tenantId?: string;
    }
  | { readonly accepted: false; readonly fault: TokenFault };

/** What an access token must say. */
export interface TokenConditions {
  readonly issuer: string;
  readonly audience: string;
  /** `JWT`: also tokens of this `typ`, beside those of RFC 9068. */
  readonly tokenType: 'at+jwt' | 'JWT';
  /** The claim that names a tenant; none when empty. */
  readonly tenantClaim: string;
}

/** Judges OAuth 2.0 access tokens in the JWT profile (RFC 9068) of one authorization server. */
export class AccessTokens {
  constructor(
    private readonly conditions: TokenConditions,
    private readonly keys: Pick<TokenKeys, 'find'>,
  ) {}

  /** Rejects with the problem `unavailable` when the keys cannot be fetched. */
  async verify(token: string): Promise<TokenVerdict> {
    const { issuer, audience, tokenType } = this.conditions;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, (header, input) => this.keys.find(header, input), {
        issuer,
        audience,
        algorithms: tokenAlgorithms,
        clockTolerance: CLOCK_SKEW_SECONDS,
        requiredClaims: ['exp'],
      });
      if (!isAccessToken(protectedHeader.typ, payload, tokenType)) return refused('claim-typ', typeWords[tokenType]);
      return verdictOn(payload, this.conditions);
    } catch (error) {
      if (error instanceof Problem) throw error;
      return this.refusalFor(error);
    }
  }

  private refusalFor(error: unknown): TokenVerdict {
    if (error instanceof errors.JWTExpired) return refused('expired', 'it has expired');
    if (error instanceof errors.JWTClaimValidationFailed) {
      const { issuer, audience } = this.conditions;
      const words: Record<string, string> = {
        iss: `its iss must be ${issuer}`,
        aud: `its aud must hold ${audience}`,
        nbf: 'its nbf must be a time that has come',
        exp: 'its exp must be a time',
      };
      return refused(`claim-${error.claim}`, words[error.claim] ?? `its ${error.claim} is not accepted`);
    }
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
      return refused('key-unknown', 'its issuer has published no key that fits its kid and alg');
    }
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      return refused('signature-wrong', 'its signature is not by a key of its issuer');
    }
    if (error instanceof errors.JOSEAlgNotAllowed) {
      return refused('algorithm-refused', `its alg must be one of ${tokenAlgorithms.join(', ')}`);
    }
    return refused('malformed', 'it is not a signed JWT');
  }
}

const typeWords = {
  'at+jwt': 'its typ must be at+jwt (RFC 9068); SERVICE__MANAGEMENT__TOKEN_TYPE=JWT lets this service take others',
  JWT: 'its typ must be at+jwt or JWT, and it must not be an ID token or have another use',
};
/** Of ID tokens (OpenID Connect Core 1.0 §2, §3.3.2.11) and of logout tokens (Back-Channel Logout 1.0 §2.4). */
const claimsOfOthers = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

/** RFC 9068 §4: no other token of the same server passes for an access token; without its `typ`, as far as its claims say. */
function isAccessToken(typ: string | undefined, payload: JWTPayload, accepted: TokenConditions['tokenType']): boolean {
  const named = typ?.toLowerCase().replace(/^application\//, '');
  if (named === 'at+jwt') return true;
  if (accepted !== 'JWT' || named !== 'jwt' || claimsOfOthers.some((claim) => claim in payload)) return false;
  // Keycloak says in the payload what the token is.
  return payload['typ'] === undefined || payload['typ'] === 'Bearer' || payload['typ'] === 'DPoP';
}

/** RFC 9068 §2.2 requires `client_id`; servers that leave it out say `azp`, as in ID Tokens, or only name the subject. */
function verdictOn(payload: JWTPayload, { issuer, tenantClaim }: TokenConditions): TokenVerdict {
  const { iat, sub, client_id: id, azp, cnf } = payload;
  if (iat !== undefined && iat > Date.now() / 1000 + CLOCK_SKEW_SECONDS) {
    return refused('claim-iat', 'its iat is in the future');
  }
  const client = id ?? azp ?? sub;
  if (typeof client !== 'string' || client === '') {
    return refused('claim-client_id', 'it names no client: it must have a client_id, azp or sub');
  }
  const subject: unknown = sub ?? client;
  if (typeof subject !== 'string' || subject === '') return refused('claim-sub', 'its sub must be a text');
  const boundTo = keyBoundTo(cnf);
  if (typeof boundTo === 'object') return { accepted: false, fault: boundTo };
  const of = (name: string) => `oauth:${issuer}|${name}`;
  const tenantId = tenantClaim === '' ? undefined : payload[tenantClaim];
  if (tenantId !== undefined && (typeof tenantId !== 'string' || tenantId === '')) {
    return refused('claim-tenant', `its ${tenantClaim} must be the id of a tenant`);
  }
  const own = scopesIn(payload);
  return {
    accepted: true,
    principal: { id: of(subject), client: of(client), scopes: tenantId === undefined ? own : ofTenants(own) },
    ...(tenantId !== undefined && { tenantId }),
    ...(boundTo !== undefined && { boundTo }),
  };
}

/** A tenant has nothing to do with tenants. */
function ofTenants(scopes: ReadonlySet<Scope>): ReadonlySet<Scope> {
  return new Set(scopesOfTenants.filter((scope) => scopes.has(scope)));
}

/** From `scope` (RFC 9068 §2.2.3), or what other servers call it: `scp`, `roles`. Words we do not know mean nothing. */
function scopesIn({ scope, scp, roles }: JWTPayload): ReadonlySet<Scope> {
  const words = [scope, scp, roles].flatMap((claim): unknown[] => {
    if (typeof claim === 'string') return claim.split(' ');
    return Array.isArray(claim) ? claim : [];
  });
  return new Set(allScopes.filter((known) => words.includes(known)));
}

function refused(reason: string, detail: string): TokenVerdict {
  return { accepted: false, fault: tokenFault(reason, detail) };
}

/**
 * The thumbprint of the key that a token is bound to (`jkt`, RFC 9449 §6.1), by its `cnf` (RFC 7800); `undefined` for a token
 * that is not bound. A binding that cannot be checked here is a fault: such a token must not pass for one of a bearer.
 */
function keyBoundTo(cnf: unknown): string | TokenFault | undefined {
  if (cnf === undefined) return undefined;
  const members: Record<string, unknown> =
    typeof cnf === 'object' && cnf !== null && !Array.isArray(cnf) ? { ...cnf } : {};
  const { jkt } = members;
  if (Object.hasOwn(members, 'x5t#S256')) {
    const detail =
      'it is bound to a client certificate (x5t#S256), which this service does not see: have it bound to a key by DPoP (jkt), or to nothing';
    return tokenFault('bound-to-certificate', detail);
  }
  const isThumbprint = typeof jkt === 'string' && thumbprintForm.test(jkt);
  if (isThumbprint && !unknownHere.some((member) => Object.hasOwn(members, member))) return jkt;
  return tokenFault('claim-cnf', 'its cnf must be the thumbprint of a key that signs DPoP proofs (jkt), and no other');
}
