import { type RequestObject } from './authorization-request';
import { renderClientMetadata } from './client-metadata';
import { OAuthError, quoting, Quoting } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { type VerifierInfo } from './verifier-info';
import { isWireObject, member, type WireObject } from '../wire/wire-object';
import { type DigitalCredentialTerms } from './wire-request';

/** OpenID4VP 1.0 appendix A.1. */
export const digitalCredentialProtocols = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'] as const;
export type DigitalCredentialProtocol = (typeof digitalCredentialProtocols)[number];

/** One of the `requests` of `navigator.credentials.get({ digital: { requests } })`. */
export interface DigitalCredentialRequest {
  readonly protocol: DigitalCredentialProtocol;
  readonly data: Readonly<Record<string, unknown>>;
}

/** OpenID4VP 1.0 appendix A.2: such a request is known by the origin of the page alone, so it names no client. */
export function renderUnsignedDigitalRequest(terms: DigitalCredentialTerms): DigitalCredentialRequest {
  return { protocol: 'openid4vp-v1-unsigned', data: renderDigitalParameters(terms) };
}

/** What a signed request has besides. */
export interface SignedDigitalTerms {
  /** Complete with its prefix. */
  readonly clientId: string;
  readonly expectedOrigins: readonly string[];
  /** Seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly verifierInfo?: readonly VerifierInfo[];
}

/** The request object of OpenID4VP 1.0 appendix A.3.2, to be signed: no state, and no address of the verifier. */
export function renderDigitalRequestObject(terms: DigitalCredentialTerms, signed: SignedDigitalTerms): RequestObject {
  return {
    header: { typ: 'oauth-authz-req+jwt' },
    payload: {
      aud: 'https://self-issued.me/v2',
      iat: signed.issuedAt,
      exp: signed.expiresAt,
      client_id: signed.clientId,
      expected_origins: signed.expectedOrigins,
      ...renderDigitalParameters(terms),
      ...(signed.verifierInfo && { verifier_info: signed.verifierInfo }),
    },
  };
}

/** @param requestObject the signed JWT */
export function renderSignedDigitalRequest(requestObject: string): DigitalCredentialRequest {
  return { protocol: 'openid4vp-v1-signed', data: { request: requestObject } };
}

function renderDigitalParameters(terms: DigitalCredentialTerms): Record<string, unknown> {
  return {
    response_type: terms.responseType,
    response_mode: terms.encryption ? 'dc_api.jwt' : 'dc_api',
    nonce: terms.nonce,
    dcql_query: terms.query,
    ...(terms.transactionData && { transaction_data: terms.transactionData }),
    client_metadata: renderClientMetadata(terms),
  };
}

/** OpenID4VP 1.0 appendix A.4: whom presentations are for, however the request was made. */
export function digitalCredentialAudience(origin: string): string {
  return `origin:${origin}`;
}

/** What a page posts of the `DigitalCredential` that it got. */
export interface PostedDigitalCredential {
  readonly protocol: string;
  /** As `parseDigitalCredentialData` reads it. */
  readonly data: WireObject;
  /** Of the page, where it says so itself. */
  readonly origin?: string;
}

/** @throws OAuthError invalid_request. */
export function parsePostedDigitalCredential(body: unknown): PostedDigitalCredential {
  if (!isWireObject(body)) throw invalid('digital-credential-malformed', shape);
  const [protocol, data, origin] = ['protocol', 'data', 'origin'].map((name) => member(body, name));
  if (typeof protocol !== 'string' || !isWireObject(data)) throw invalid('digital-credential-malformed', shape);
  if (origin === undefined) return { protocol, data };
  if (typeof origin !== 'string') throw invalid('digital-credential-malformed', 'origin must be a string.');
  return { protocol, data, origin };
}

const shape =
  'The body must be a JSON object with protocol, a string, and data, an object: those of what navigator.credentials.get returned.';

/** @throws OAuthError invalid_request, when this answers no request that the page was given. */
export function requireOfferedProtocol(protocol: string, offered: readonly DigitalCredentialProtocol[]): void {
  if (offered.some((one) => one === protocol)) return;
  const answered = quoting`The protocol '${protocol.slice(0, 64)}' was not asked for`;
  const asked = `: protocol is one of ${offered.join(', ')}.`;
  throw invalid('protocol-not-asked-for', new Quoting(answered.text + asked, answered.withoutQuotations + asked));
}

/**
 * The origin of the page that got the answer. Browsers send it in a header; a server that passes the answer on for its page
 * names it in the body.
 * @throws OAuthError invalid_request, when it is none of the expected ones.
 */
export function requireExpectedOrigin(
  given: { readonly header: string | undefined; readonly body: string | undefined },
  expected: readonly string[],
): string {
  const { header, body } = given;
  const origin = header ?? body;
  if (origin === undefined) {
    throw invalid(
      'origin-missing',
      'The origin of the page is missing: in the header Origin, or as origin in the body.',
    );
  }
  const other = [origin, body ?? origin].find((one) => !expected.includes(one));
  if (other !== undefined) {
    throw invalid('origin-not-expected', quoting`The origin '${other.slice(0, 256)}' is none of expectedOrigins.`);
  }
  if (body !== undefined && body !== origin) {
    throw invalid('origin-not-expected', 'origin in the body is another one than that of the header Origin.');
  }
  return origin;
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
