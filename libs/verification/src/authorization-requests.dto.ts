import { DcqlQuery, DcqlQueryError, parseDcqlQuery, type ResponseMode, type ResponseType } from '@app/openid4vc';
import { IsAddressable, IsOmissible } from '@app/http';
import { Problem } from '@app/problem-details';
import { isDuration, lastsAtMost } from '@app/time';
import { Allow, IsIn, IsString, Length } from 'class-validator';
import type { PresentationInput } from './presentation-input';

const mostDays = 7;

export class AskForPresentationBody {
  /** Yours, as it is, in every variant; a fresh one for each when absent. */
  @IsOmissible()
  @IsString()
  @Length(1, 512)
  readonly nonce?: string;

  @IsOmissible()
  @IsString()
  @Length(1, 256)
  @IsAddressable()
  readonly state?: string;

  // Has an error of its own with the place of every fault, see queryOf.
  @Allow()
  readonly dcql_query?: unknown;

  @IsOmissible()
  @IsIn(['vp_token', 'vp_token id_token', 'id_token'])
  readonly responseType?: ResponseType;

  @IsOmissible()
  @IsIn(['direct_post', 'direct_post.jwt'])
  readonly responseMode?: ResponseMode;

  @Allow()
  readonly expiresIn?: unknown;

  @IsOmissible()
  @IsString()
  @Length(1, 2048)
  readonly redirectUri?: string;

  @IsOmissible()
  @IsIn(['decentralized_identifier', 'redirect_uri'])
  readonly clientIdPrefix?: 'decentralized_identifier' | 'redirect_uri';
}

/** What a body asks for. Throws `invalid-dcql-query`, then `validation-failed`. @param isHttpAllowed as `redirectUri` */
export function presentationInputOf(body: AskForPresentationBody, isHttpAllowed: boolean): PresentationInput {
  const query = queryOf(body);
  const { state, nonce, responseMode = 'direct_post', clientIdPrefix = 'decentralized_identifier' } = body;
  return {
    requestId: state,
    query,
    nonce,
    responseType: responseTypeOf(body, query),
    responseMode,
    clientIdPrefix,
    redirectUri: redirectUriOf(body, isHttpAllowed),
    expiresIn: lifetimeOf(body),
  };
}

/** The query, or nothing for a SIOPv2 request. Throws `invalid-dcql-query` with every fault. */
function queryOf({ dcql_query: query }: AskForPresentationBody): DcqlQuery | undefined {
  if (query === undefined) return undefined;
  try {
    return parseDcqlQuery(query);
  } catch (error) {
    if (!(error instanceof DcqlQueryError)) throw error;
    const violations = error.violations.map(({ pointer, message }) => ({ pointer: `/dcql_query${pointer}`, message }));
    throw new Problem('invalid-dcql-query', `The query has ${violations.length} fault(s); see violations.`, violations);
  }
}

/** What the members of the body mean together. Throws `validation-failed`. */
function responseTypeOf(body: AskForPresentationBody, query: DcqlQuery | undefined): ResponseType {
  const { responseType = query ? 'vp_token' : 'id_token', responseMode, clientIdPrefix } = body;
  if (query && responseType === 'id_token') throw fault('/responseType', 'must ask for a vp_token beside dcql_query');
  if (!query && responseType !== 'id_token') throw fault('/responseType', 'must be id_token without dcql_query');
  if (!query && responseMode === 'direct_post.jwt') {
    throw fault('/responseMode', 'must be direct_post without dcql_query: SIOPv2 wallets do not encrypt');
  }
  if (!query && clientIdPrefix === 'redirect_uri')
    throw fault('/clientIdPrefix', 'belongs to requests with dcql_query');
  return responseType;
}

/** ISO 8601, at most seven days. Throws `validation-failed`. */
function lifetimeOf({ expiresIn }: AskForPresentationBody): string {
  if (expiresIn === undefined) return 'PT1H';
  if (isDuration(expiresIn) && lastsAtMost(expiresIn, mostDays)) return expiresIn;
  throw fault('/expiresIn', `must be an ISO 8601 duration of at most ${mostDays} days, for example PT10M`);
}

/** An absolute https URL of the relying party's front end, without a fragment. Throws `validation-failed`. */
function redirectUriOf({ redirectUri }: AskForPresentationBody, isHttpAllowed: boolean): string | undefined {
  if (redirectUri === undefined) return undefined;
  const protocol = URL.canParse(redirectUri) ? new URL(redirectUri).protocol : '';
  const isAllowed = protocol === 'https:' || (isHttpAllowed && protocol === 'http:');
  if (isAllowed && !redirectUri.includes('#')) return redirectUri;
  throw fault('/redirectUri', 'must be an absolute https URL without a fragment');
}

/** What works as it was asked but may surprise: a nonce outside the final specification, authorities that no credential can meet. */
export function warningsOf({ nonce, query }: PresentationInput): string[] {
  const warnings: string[] = [];
  if (nonce !== undefined && !/^[A-Za-z0-9\-._~]+$/.test(nonce)) {
    warnings.push('nonce: OpenID4VP 1.0 wallets may refuse a nonce with characters other than A-Z a-z 0-9 - . _ ~');
  }
  if (query?.credentials.some(({ trusted_authorities: authorities }) => authorities !== undefined)) {
    warnings.push('trusted_authorities: no trust anchors are configured here, so no credential can meet them');
  }
  return warnings;
}

function fault(pointer: string, message: string): Problem {
  return new Problem('validation-failed', `The body has a fault: ${pointer} ${message}.`, [{ pointer, message }]);
}
