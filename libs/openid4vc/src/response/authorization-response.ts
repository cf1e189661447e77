import { readParameters } from '../wire/form-parameters';
import { OAuthError, type Quoting } from '../wire/oauth-error';
import type { RefusalReason } from '../wire/refusal-reason';
import { readSubmission, type SubmissionTerms } from './presentation-submission';
import { type PresentationsByQueryId, readDcqlVpToken } from './vp-token';
import { isWireObject, member, type WireObject } from '../wire/wire-object';
import type { DcqlQuery } from '../dcql/dcql-query';
import { RESPONSE_ENCRYPTION } from '../request/client-metadata';
import { readJweHeader } from '../wire/jwe-header';

/** What the request of the answered variant asked for. */
export interface ExpectedResponse {
  /** Absent over the Digital Credentials API: such a request has none. */
  readonly state?: string;
  /** No `vp_token` was asked for when absent. `submission`: by a presentation definition. */
  readonly presentations?:
    { readonly by: 'dcql'; readonly query: DcqlQuery } | ({ readonly by: 'submission' } & SubmissionTerms);
  readonly idToken: boolean;
  /** The response mode is direct_post.jwt or dc_api.jwt: the `enc` values announced, see `RESPONSE_ENCRYPTION`. */
  readonly encryption?: readonly string[];
}

/** Nothing in it is verified yet. */
export interface PresentationResponse {
  readonly kind: 'presentations';
  readonly byQueryId: PresentationsByQueryId;
  readonly idToken?: string;
}

/** The wallet's own words: any text, to be escaped wherever it is shown. */
export interface WalletErrorResponse {
  readonly kind: 'error';
  readonly code: string;
  readonly description?: string;
}

/** To be decrypted with this variant's key, then read by `parseDecryptedResponse`. */
export interface EncryptedResponse {
  readonly kind: 'encrypted';
  readonly jwe: string;
  readonly keyId?: string;
  /** The right state came next to it, so it is optional inside. */
  readonly stateSeen: boolean;
}

const LONGEST: Readonly<Record<string, number>> = {
  vp_token: 1_048_576,
  response: 1_500_000,
  presentation_submission: 65_536,
  id_token: 65_536,
  error_description: 16_384,
};
const LONGEST_ERROR_TEXT = 2_000;

/**
 * Reads the form a wallet posts (OpenID4VP 1.0 §8.2 and §8.3.1, drafts 18 to 24 alike, SIOPv2 draft 13 §10.2).
 * @throws OAuthError invalid_request.
 */
export function parseAuthorizationResponse(
  parameters: Iterable<readonly [string, string]>,
  expected: ExpectedResponse,
): PresentationResponse | WalletErrorResponse | EncryptedResponse {
  const form = readParameters(parameters, LONGEST);
  const state = form.get('state');
  if (state !== undefined) requireState(state, expected);
  const encrypted = readEncrypted(Object.fromEntries(form), expected, state !== undefined);
  if (encrypted) return encrypted;
  if (state === undefined) throw invalid('state-missing', 'state is missing.');
  return readResponse(fromForm(form, expected), expected);
}

/**
 * Reads the `data` that a wallet returns over the Digital Credentials API (OpenID4VP 1.0 appendix A.4).
 * @throws OAuthError invalid_request.
 */
export function parseDigitalCredentialData(
  data: WireObject,
  expected: Omit<ExpectedResponse, 'state'>,
): PresentationResponse | WalletErrorResponse | EncryptedResponse {
  return readEncrypted(data, expected, true) ?? readResponse(data, expected);
}

/** The encrypted response where one was asked for, or else nothing. An error may come without encryption. */
function readEncrypted(
  response: WireObject,
  { encryption }: ExpectedResponse,
  stateSeen: boolean,
): EncryptedResponse | undefined {
  const jwe = member(response, 'response');
  if (member(response, 'error') !== undefined) {
    if (jwe !== undefined) throw invalid('error-with-token', 'error and response exclude each other.');
    return undefined;
  }
  if (encryption === undefined) {
    if (jwe !== undefined) throw invalid('response-not-asked-for', 'An encrypted response was not asked for.');
    return undefined;
  }
  if (member(response, 'vp_token') !== undefined || member(response, 'id_token') !== undefined)
    throw invalid('response-not-encrypted', 'The response must be encrypted as asked for.');
  if (jwe === undefined) throw invalid('response-missing', 'response is missing.');
  if (typeof jwe !== 'string') throw invalid('jwe-malformed', 'response must be a compact JWE.');
  return { kind: 'encrypted', jwe, ...checkEncryptedResponse(jwe, encryption), stateSeen };
}

/**
 * Reads the plaintext of an encrypted response.
 * @throws OAuthError invalid_request.
 */
export function parseDecryptedResponse(
  plaintext: string,
  { stateSeen }: EncryptedResponse,
  expected: ExpectedResponse,
): PresentationResponse | WalletErrorResponse {
  const response = parseJson(plaintext, 'The decrypted response');
  if (!isWireObject(response)) throw invalid('not-an-object', 'The decrypted response must be a JSON object.');
  const state = member(response, 'state');
  if (state === undefined && !stateSeen) throw invalid('state-missing', 'state is missing.');
  if (state !== undefined && expected.state !== undefined) requireState(state, expected);
  return readResponse(response, expected);
}

function readResponse(response: WireObject, expected: ExpectedResponse): PresentationResponse | WalletErrorResponse {
  const vpToken = member(response, 'vp_token');
  const idToken = member(response, 'id_token');
  const error = member(response, 'error');
  if (error !== undefined) {
    if (vpToken !== undefined || idToken !== undefined)
      throw invalid('error-with-token', 'An error response must not carry a token.');
    return readError(error, member(response, 'error_description'));
  }
  const id = readIdToken(idToken, expected);
  const byQueryId = readPresentations(vpToken, member(response, 'presentation_submission'), expected);
  return { kind: 'presentations', byQueryId, ...id };
}

function readPresentations(
  vpToken: unknown,
  submission: unknown,
  { presentations }: ExpectedResponse,
): PresentationsByQueryId {
  if (presentations === undefined) {
    if (vpToken !== undefined) throw invalid('vp-token-not-asked-for', 'vp_token was not asked for.');
    return {};
  }
  if (vpToken === undefined) throw invalid('vp-token-missing', 'vp_token is missing.');
  if (presentations.by === 'dcql') return readDcqlVpToken(vpToken, presentations.query);
  if (submission === undefined) throw invalid('submission-missing', 'presentation_submission is missing.');
  return readSubmission(vpToken, submission, presentations);
}

function readIdToken(idToken: unknown, { idToken: wanted }: ExpectedResponse): { idToken?: string } {
  if (!wanted) {
    if (idToken !== undefined) throw invalid('id-token-not-asked-for', 'id_token was not asked for.');
    return {};
  }
  if (typeof idToken !== 'string' || idToken === '')
    throw invalid('id-token-missing', 'id_token is missing or no string.');
  return { idToken };
}

function readError(code: unknown, description: unknown): WalletErrorResponse {
  if (typeof code !== 'string' || code === '') throw invalid('error-malformed', 'error must be a non-empty string.');
  const words = typeof description === 'string' ? description.slice(0, LONGEST_ERROR_TEXT) : '';
  return { kind: 'error', code: code.slice(0, LONGEST_ERROR_TEXT), ...(words === '' ? {} : { description: words }) };
}

/** The form as the JSON object it would be inside a JWE. */
function fromForm(form: ReadonlyMap<string, string>, { presentations }: ExpectedResponse): WireObject {
  const response: Record<string, unknown> = Object.fromEntries(form);
  const vpToken = form.get('vp_token');
  const submission = form.get('presentation_submission');
  if (presentations === undefined) return response;
  if (presentations.by === 'dcql') {
    return vpToken === undefined ? response : { ...response, vp_token: parseJson(vpToken, 'vp_token') };
  }
  // Draft 20 §6.1: a string is sent without JSON quotes; some wallets add them.
  const json = vpToken !== undefined && /^[["]/u.test(vpToken);
  return {
    ...response,
    ...(json ? { vp_token: parseJson(vpToken, 'vp_token') } : {}),
    ...(submission === undefined ? {} : { presentation_submission: parseJson(submission, 'presentation_submission') }),
  };
}

function parseJson(text: string, named: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('not-json', `${named} is not JSON.`);
  }
}

function requireState(state: unknown, { state: wanted }: ExpectedResponse): void {
  if (typeof state !== 'string' || wanted === undefined || !sameText(state, wanted)) {
    throw invalid('state-wrong', 'state is not the one of this authorization request.');
  }
}

/** Takes the same time wherever the texts differ. */
function sameText(text: string, wanted: string): boolean {
  let difference = text.length ^ wanted.length;
  for (let at = 0; at < wanted.length; at++) difference |= text.charCodeAt(at) ^ wanted.charCodeAt(at);
  return difference === 0;
}

/**
 * Checks the protected header of an encrypted response before anything is decrypted: only what the request
 * announced is accepted, and no compression.
 * @param encValues the content encryption the request announced.
 * @returns the `kid` of the key it is encrypted to, when the wallet names it.
 * @throws OAuthError invalid_request.
 */
function checkEncryptedResponse(jwe: string, encValues: readonly string[]): { keyId?: string } {
  const read = readJweHeader(jwe, 'The response');
  if ('fault' in read) throw invalid('jwe-malformed', read.fault);
  const { header } = read;
  const enc = member(header, 'enc');
  const keyId = member(header, 'kid');
  if (member(header, 'alg') !== RESPONSE_ENCRYPTION.algorithm) {
    throw invalid(
      'jwe-not-as-asked',
      `The response must be encrypted with the algorithm ${RESPONSE_ENCRYPTION.algorithm}.`,
    );
  }
  if (typeof enc !== 'string' || !encValues.includes(enc)) {
    throw invalid('jwe-not-as-asked', `The content encryption of the response must be one of ${encValues.join(', ')}.`);
  }
  if (member(header, 'zip') !== undefined) throw invalid('jwe-not-as-asked', 'Compressed responses are not accepted.');
  if (keyId !== undefined && typeof keyId !== 'string')
    throw invalid('jwe-malformed', 'The kid of the response must be a string.');
  return keyId === undefined ? {} : { keyId };
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_request', description, { reason });
}
