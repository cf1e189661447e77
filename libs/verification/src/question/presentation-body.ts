import { urlOf } from '@app/primitives/url';
import { duration, is } from '@app/http';
import { isJsonObject, type JsonObject, meant } from '@app/primitives/json';
import {
  CLIENT_ID_PREFIXES,
  type ClientIdPrefix,
  type DcqlQuery,
  DcqlQueryError,
  dcqlQuerySchema,
  faultsOfVerifierInfo,
  isDigitalMode,
  parseDcqlQuery,
  type ResponseMode,
  type ResponseType,
  type VerifierInfo,
  verifierInfoSchema,
} from '@app/openid4vc';
import { validationFailed, type Violation } from '@app/primitives/problems';
import { retentionRule } from '@app/primitives/time';
import { IsBoolean } from 'class-validator';
import type { PresentationInput } from './presentation-input';
import type { RequestDefaults } from './request-defaults';
import {
  faultsOfTransactionData,
  faultsWithQuery,
  transactionDataSchema,
  transactionsOf,
} from './transaction-data-body';
import { faultsOfText, type GivenText, translatedText } from '../request/translated-text';

const mostOrigins = 20;
const longestOrigin = 256;

const originsMessage =
  'must be origins as browsers write them: https:// and the host in lower case, a port only when it is not 443, and no slash at the end';

const originSchema = {
  type: 'string',
  maxLength: longestOrigin,
  pattern: '^https?://([a-z0-9_.-]+|\\[[0-9a-f:.]+\\])(:[1-9][0-9]{0,4})?$',
};
const originForm = new RegExp(originSchema.pattern);

/** The serialized origin of a page with https; with http where that is allowed, in development. */
function isOrigin(value: unknown, isHttpAllowed: boolean): boolean {
  if (typeof value !== 'string' || !originForm.test(value) || urlOf(value) === undefined) return false;
  const { origin, protocol } = new URL(value);
  return origin === value && (protocol === 'https:' || (isHttpAllowed && protocol === 'http:'));
}

const retention = retentionRule(['keep'], 'PT1H');
const mostDays = 7;
/** Characters: three or four lines on a phone. */
const mostPurpose = 300;
export const responseTypes: readonly ResponseType[] = ['vp_token', 'vp_token id_token', 'id_token'];
export const responseModes: readonly ResponseMode[] = ['direct_post', 'direct_post.jwt', 'dc_api', 'dc_api.jwt'];
const digitalModes = responseModes.filter(isDigitalMode);
const notRedirectable =
  'must be an absolute https URL without user name, password and fragment, in which blanks and invisible characters are percent-encoded';
/** What no URI has (RFC 3986 §2) and parsers of URLs leave out or change; other characters they percent-encode. */
const unwritable = '\\x00-\\x20"#<>\\\\^`{|}\\x7f-\\xa0\\xad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff';
const redirectPattern = `^[Hh][Tt][Tt][Pp][Ss]?://[^${unwritable}@/?]+([/?][^${unwritable}]*)?$`;
const redirectable = new RegExp(redirectPattern);

export const dcqlQuery = {
  credentials: [
    {
      id: 'membership',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['https://credentials.example/membership'] },
      claims: [{ path: ['given_name'] }],
    },
  ],
};

@is.Holds(faultsTogether)
@is.Rules({
  if: { required: ['dcql_query'] },
  then: {
    properties: { responseType: { enum: ['vp_token', 'vp_token id_token'] } },
    if: { required: ['responseMode'], properties: { responseMode: { enum: digitalModes } } },
    then: { properties: { responseType: { const: 'vp_token' }, returnToPage: { const: false } } },
    else: { properties: { expectedOrigins: false } },
  },
  else: {
    properties: {
      transactionData: false,
      responseType: { const: 'id_token' },
      responseMode: { const: 'direct_post' },
      expectedOrigins: false,
      intendedUseId: false,
      clientIdPrefix: { const: 'decentralized_identifier' },
    },
    not: { required: ['verifierInfo'] },
  },
})
export class AskForPresentationBody {
  @is.Optional('Yours, unchanged, in every variant; a new one for each when absent.', is.Text(1, 512))
  readonly nonce?: string;
  @is.Optional('Your own name for the request; a random one when absent.', is.Text(1, 256), is.Addressable())
  readonly state?: string;
  @is.Optional(
    'What to present (OpenID4VP 1.0, section 6).',
    is.Faultless(faultsOfQuery, { problem: 'invalid-dcql-query' }),
    is.Shown({
      ...dcqlQuerySchema,
      examples: [dcqlQuery],
    }),
  )
  readonly dcql_query?: unknown;
  @is.Optional(
    'What the person confirms by presenting (OpenID4VP 1.0, sections 5.1 and 8.4), such as a payment. The type of an entry ' +
      'says which further members it has; they reach the wallet as they are. Only wallets of OpenID4VP 1.0 can be asked.',
    is.Faultless(faultsOfTransactionData),
    is.Shown(transactionDataSchema),
  )
  readonly transactionData?: unknown;
  @is.Optional('`vp_token` with a query, `id_token` without one, when absent.', is.OneOf(responseTypes))
  readonly responseType?: ResponseType;
  @is.Optional(
    'Whether wallets encrypt their answer (`.jwt`), and whether a page may also ask the wallet of its browser (`dc_api`, ' +
      '`dc_api.jwt`); `direct_post` when absent.',
    is.OneOf(responseModes),
  )
  readonly responseMode?: ResponseMode;
  @is.Optional(
    'Origins of your pages that ask over the Digital Credentials API, for `dc_api` and `dc_api.jwt`. The page of the request ' +
      'always may.',
    is.TextList(1, mostOrigins, [1, longestOrigin]),
    is.Check(
      'areOrigins',
      originsMessage,
      (value) => !Array.isArray(value) || value.every((one) => isOrigin(one, true)),
    ),
    is.Shown({ items: originSchema, examples: [['https://shop.example']] }),
  )
  readonly expectedOrigins?: readonly string[];
  @is.Optional(
    'ISO 8601 duration, at most 7 days; PT1H when absent.',
    is.Duration(mostDays, 'PT10M'),
    is.Shown({ examples: ['PT1H', 'PT10M', 'P7D'] }),
  )
  readonly expiresIn?: string;
  @is.Optional(
    'Where the wallet returns the person to afterwards, with `#response_code=...`. Until you have sent that code as ' +
      '`responseCode`, the result is `withheld`.',
    is.Text(1, 2048),
    is.Check('isRedirectUri', notRedirectable, isRedirectUri),
    is.Shown({
      format: 'uri',
      pattern: redirectPattern,
      examples: ['https://shop.example/back', 'https://shop.example/back?basket=1'],
    }),
  )
  readonly redirectUri?: string;
  @is.Optional(
    'Whether the wallet returns the person to the page of the request, in `links.page`: then the result is released to the ' +
      'browser in which the page was open, without any code in your portal, and only that page has links for wallets. ' +
      '`redirectUri` is where the page leads afterwards.',
    IsBoolean({ message: 'must be true or false' }),
  )
  readonly returnToPage?: boolean;
  @is.Optional(
    'Why you ask, in the words of the person: the page of the request shows it. A text, or one for each language, by its tag; ' +
      'people with another language read the English one, else the first.',
    is.Faultless((value) => faultsOfText(value, mostPurpose)),
    is.Shown({
      ...translatedText(mostPurpose),
      examples: [
        'To give you the student price.',
        { en: 'To give you the student price.', de: 'Für den Preis für Studierende.' },
      ],
    }),
  )
  readonly purpose?: GivenText;
  @is.Optional(
    'How long what was asked and presented is kept: `keep` (when absent), or an ISO 8601 duration of at most 36,600 days after ' +
      'the request was verified or expired.',
    is.Check('isRetention', retention.message, retention.allows),
    is.Shown({ anyOf: [{ const: 'keep' }, duration], examples: ['keep', 'PT1H', 'P30D'] }),
  )
  readonly retention?: string;
  @is.Optional(
    'How the service identifies itself to wallets of OpenID4VP 1.0 (section 5.9.3); when absent, as the setting ' +
      '`SERVICE__VERIFICATION__CLIENT_ID_PREFIX` says. `x509_hash` and `x509_san_dns` need a certificate for requests.',
    is.OneOf(CLIENT_ID_PREFIXES),
  )
  readonly clientIdPrefix?: ClientIdPrefix;
  @is.Optional(
    'What others attest about you, a registration certificate for one, passed on to wallets of OpenID4VP 1.0 as ' +
      '`verifier_info` (section 5.11), after what the service attests of itself; at most 65,536 characters.',
    is.Faultless(faultsOfVerifierInfo),
    is.Shown({
      ...verifierInfoSchema,
      examples: [[{ format: 'registration_cert', data: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' }]],
    }),
  )
  readonly verifierInfo?: readonly VerifierInfo[];
  @is.Optional(
    'For which registered use you ask, by the name in its registration certificate, which then goes to wallets of OpenID4VP ' +
      '1.0. When absent, it is the only one whose certificate lists all that the query asks for.',
    is.Text(1, 256),
  )
  readonly intendedUseId?: string;
}

/** The query, or what is wrong with it. */
function readQuery(value: unknown): DcqlQuery | { readonly faults: readonly Violation[] } {
  try {
    return parseDcqlQuery(value);
  } catch (error) {
    if (error instanceof DcqlQueryError) return { faults: error.violations };
    throw error;
  }
}

function faultsOfQuery(value: unknown): readonly Violation[] {
  const read = readQuery(value);
  return 'faults' in read ? read.faults : [];
}

/** A question without `dcql_query` is one of SIOPv2. */
function faultsTogether(body: object): Violation[] {
  const {
    dcql_query: query,
    responseType,
    responseMode,
    clientIdPrefix,
    transactionData,
    verifierInfo,
    intendedUseId,
  } = body as AskForPresentationBody;
  const faults: Violation[] = [...faultsOfPages(body)];
  if (intendedUseId !== undefined && (query === undefined || hasRegistration(verifierInfo))) {
    const message =
      query === undefined
        ? 'belongs to requests with dcql_query'
        : 'must be left out where verifierInfo has a registration certificate: wallets take one alone';
    faults.push({ pointer: '/intendedUseId', message });
  }
  faults.push(...faultsOfRegistrations(verifierInfo));
  if (query !== undefined) {
    const namesQuery = transactionData !== undefined || verifierInfo !== undefined;
    const read = namesQuery ? readQuery(query) : { faults: [] };
    if (!('faults' in read)) faults.push(...faultsOfConfirming(transactionData, read));
    if (responseType === 'id_token') {
      faults.push({ pointer: '/responseType', message: 'must include vp_token when dcql_query is given' });
    }
    return 'faults' in read ? faults : [...faults, ...faultsOfIds(verifierInfo, read)];
  }
  if (verifierInfo !== undefined) {
    faults.push({ pointer: '/verifierInfo', message: 'belongs to requests with dcql_query' });
  }
  if (responseType !== undefined && responseType !== 'id_token') {
    faults.push({ pointer: '/responseType', message: 'must be id_token without dcql_query' });
  }
  if (responseMode !== undefined && responseMode !== 'direct_post' && responseModes.includes(responseMode)) {
    const why = isDigitalMode(responseMode) ? 'are asked by links' : 'do not encrypt';
    const message = `must be direct_post without dcql_query: SIOPv2 wallets ${why}`;
    faults.push({ pointer: '/responseMode', message });
  }
  if (clientIdPrefix !== undefined && clientIdPrefix !== 'decentralized_identifier') {
    faults.push({ pointer: '/clientIdPrefix', message: 'belongs to requests with dcql_query' });
  }
  if (transactionData !== undefined) {
    const message = 'belongs to requests with dcql_query: it is confirmed by presenting a credential';
    faults.push({ pointer: '/transactionData', message });
  }
  return faults;
}

/** What belongs to the Digital Credentials API. */
function faultsOfPages(body: AskForPresentationBody): Violation[] {
  const { responseMode, responseType, expectedOrigins, returnToPage } = body;
  if (responseMode === undefined || !isDigitalMode(responseMode)) {
    if (expectedOrigins === undefined) return [];
    return [
      { pointer: '/expectedOrigins', message: `belongs to requests with responseMode ${digitalModes.join(' or ')}` },
    ];
  }
  const faults: Violation[] = [];
  if (responseType === 'vp_token id_token') {
    faults.push({ pointer: '/responseType', message: `must be vp_token with responseMode ${responseMode}` });
  }
  if (returnToPage) {
    const message = `must be left out with responseMode ${responseMode}: the page that asks gets the answer`;
    faults.push({ pointer: '/returnToPage', message });
  }
  return faults;
}

/** Of transaction data that has no faults by itself; those are named where they are. */
function faultsOfConfirming(transactionData: unknown, query: DcqlQuery): readonly Violation[] {
  if (faultsOfTransactionData(transactionData).length > 0) return [];
  return faultsWithQuery(transactionData as JsonObject[], query);
}

/** The same of what others attest about the relying party. */
function faultsOfIds(verifierInfo: unknown, { credentials }: DcqlQuery): readonly Violation[] {
  if (faultsOfVerifierInfo(verifierInfo).length > 0) return [];
  const known = credentials.map(({ id }) => id);
  return (verifierInfo as readonly VerifierInfo[]).flatMap(({ credential_ids: ids = [] }, index) => {
    const unknown = ids.find((id) => !known.includes(id));
    if (unknown === undefined) return [];
    const message = `must name credentials of dcql_query${meant(unknown, known)}`;
    return [{ pointer: `/verifierInfo/${index}/credential_ids`, message }];
  });
}

function faultsOfRegistrations(verifierInfo: unknown): readonly Violation[] {
  const entries: readonly unknown[] = Array.isArray(verifierInfo) ? verifierInfo : [];
  const [, ...others] = entries.flatMap((entry, index) => (isRegistration(entry) ? [index] : []));
  const message = 'must be left out: wallets take one registration certificate alone';
  return others.map((index) => ({ pointer: `/verifierInfo/${index}`, message }));
}

/** Whether the relying party brings a registration certificate of its own. */
export function hasRegistration(verifierInfo: unknown): boolean {
  return Array.isArray(verifierInfo) && (verifierInfo as unknown[]).some(isRegistration);
}

export function isRegistration(entry: unknown): boolean {
  return isJsonObject(entry) && entry['format'] === 'registration_cert';
}

function isRedirectUri(value: unknown): boolean {
  return typeof value === 'string' && redirectable.test(value) && urlOf(value) !== undefined;
}

/** What a body says in the words of the domain. Throws `validation-failed`. */
export function presentationInputOf(body: AskForPresentationBody, defaults: RequestDefaults): PresentationInput {
  const { state, dcql_query: given, nonce, redirectUri, purpose } = body;
  const { responseMode = 'direct_post', expiresIn = 'PT1H' } = body;
  if (redirectUri !== undefined && new URL(redirectUri).protocol !== 'https:' && !defaults.isHttpAllowed) {
    throw validationFailed([{ pointer: '/redirectUri', message: notRedirectable }]);
  }
  const { expectedOrigins = [] } = body;
  const faults = expectedOrigins.flatMap((origin, index) =>
    isOrigin(origin, defaults.isHttpAllowed) ? [] : [{ pointer: `/expectedOrigins/${index}`, message: originsMessage }],
  );
  if (faults.length > 0) throw validationFailed(faults);
  const query = given === undefined ? undefined : parseDcqlQuery(given);
  const transactionData =
    body.transactionData === undefined ? undefined : transactionsOf(body.transactionData as JsonObject[]);
  const { responseType = query ? 'vp_token' : 'id_token' } = body;
  const { retention = 'keep' } = body;
  const { clientIdPrefix = query ? defaults.clientIdPrefix : 'decentralized_identifier' } = body;
  const bringsRegistration = hasRegistration(body.verifierInfo);
  const ofService = defaults.verifierInfo.filter((entry) => !(bringsRegistration && isRegistration(entry)));
  const verifierInfo = query ? [...ofService, ...(body.verifierInfo ?? [])] : [];
  return {
    ...{ requestId: state, query, nonce, responseType, responseMode, clientIdPrefix, expiresIn, redirectUri, purpose },
    ...(transactionData && { transactionData }),
    ...(body.returnToPage === true && { returnToPage: true }),
    ...(retention !== 'keep' && { retention }),
    ...(isDigitalMode(responseMode) && { expectedOrigins: [...new Set([...expectedOrigins, defaults.ownOrigin])] }),
    ...(verifierInfo.length > 0 && { verifierInfo }),
    ...(body.intendedUseId !== undefined && { intendedUseId: body.intendedUseId }),
    ...(bringsRegistration && { bringsRegistration }),
  };
}
