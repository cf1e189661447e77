import {
  closed,
  component,
  dateTime,
  eg,
  inOrder,
  is,
  linkMediaTypes,
  linkOperations,
  listOf,
  ListQuery,
  namesIn,
  picturesOf,
  resource,
  text,
  textOrNull,
  texts,
  timeline,
  walletLink,
} from '@app/contract';
import { refusedStatuses } from '@app/credentials';
import { DcqlQueryError, parseDcqlQuery, type ResponseMode, type ResponseType } from '@app/openid4vc';
import { validationFailed, type Violation } from '@app/problem-details';
import { publicStatuses } from './authorization-request';
import type { PresentationInput } from './presentation-input';
import { presentedCredential } from './presented-credential';
import { isRetention, retentionMessage } from './retention';

const mostDays = 7;
const responseTypes: readonly ResponseType[] = ['vp_token', 'vp_token id_token', 'id_token'];
const responseModes: readonly ResponseMode[] = ['direct_post', 'direct_post.jwt'];
const prefixes = ['decentralized_identifier', 'redirect_uri'] as const;
const notRedirectable = 'must be an absolute https URL without a fragment';

const stateExample = 'checkout-4711';
const link =
  'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example&request_uri=' +
  'https%3A%2F%2Fverifier.example%2Fopenid4vp%2Ffinal%2FfR3nGm1t%2Frequest';
const createdAt = '2026-11-20T10:00:00.000Z';
const state = eg(stateExample);
const expiresAt = eg('2026-11-20T11:00:00.000Z', dateTime);
const dcqlQuery = {
  credentials: [
    {
      id: 'membership',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['https://credentials.example/membership'] },
      claims: [{ path: ['given_name'] }],
    },
  ],
};

const links = {
  'authorizationRequest?': eg(link, walletLink),
  'variants?': eg(
    { siopv2: null, '1.0': link, unavailable: { siopv2: 'the request asks for credentials' } },
    {
      type: 'object',
      description: 'A link for each generation of wallets, null where it cannot express the question.',
      properties: { unavailable: { type: 'object', additionalProperties: text } },
      required: ['unavailable'],
      additionalProperties: textOrNull,
    },
  ),
  'links?': picturesOf(`/v0/authorization_requests/${stateExample}`),
};
const linkMembers = namesIn(links);
const askedRequest = component('AskedRequest', closed({ state, ...links, expiresAt, 'warnings?': texts }));

const summary = {
  state,
  status: eg('pending', {
    enum: publicStatuses,
    description:
      'A `rejected` request can still be answered until it expires: a wallet was refused or declined, which anyone who ' +
      'has the link can do. `verified` is final.',
  }),
  responseType: eg('vp_token', { enum: responseTypes }),
  responseMode: eg('direct_post', { enum: responseModes }),
  createdAt: eg(createdAt, dateTime),
  expiresAt,
  'eraseAt?': { ...dateTime, description: 'When what was asked and presented is erased, by its `retention`.' },
  'erasedAt?': dateTime,
};
const listedRequest = component('AuthorizationRequestSummary', closed(summary));
const failure = closed({
  check: text,
  reason: text,
  'status?': { description: 'Of a failed check `status`.', enum: refusedStatuses },
  'credentialId?': text,
});
const presented = 'Not null exactly when everything asked for was verified.';
const request = component(
  'AuthorizationRequest',
  closed({
    ...summary,
    vp_token: eg(null, { type: ['object', 'null'], description: presented }),
    id_token: eg(null, textOrNull),
    subject: eg(null, textOrNull),
    credentials: eg([], { type: 'array', items: presentedCredential }),
    failure: eg(null, { anyOf: [failure, { type: 'null' }] }),
    timeline: eg(
      [{ at: createdAt, step: 'requested', outcome: 'ok', detail: ['1.0'] }],
      timeline(['ok', 'rejected', 'verified'], {}),
    ),
  }),
);

@is.Holds(faultsTogether)
@is.Rules({
  if: { required: ['dcql_query'] },
  then: { properties: { responseType: { enum: ['vp_token', 'vp_token id_token'] } } },
  else: {
    properties: {
      responseType: { const: 'id_token' },
      responseMode: { const: 'direct_post' },
      clientIdPrefix: { const: 'decentralized_identifier' },
    },
  },
})
class AskForPresentationBody {
  @is.Optional('Yours, unchanged, in every variant; a new one for each when absent.', is.Text(1, 512))
  readonly nonce?: string;
  @is.Optional('Your own name for the request; a random one when absent.', is.Text(1, 256), is.Addressable())
  readonly state?: string;
  @is.Optional(
    'What to present (OpenID4VP 1.0, section 6).',
    is.Faultless(faultsOfQuery, { problem: 'invalid-dcql-query' }),
    is.Shown({
      type: 'object',
      properties: {
        credentials: { type: 'array', minItems: 1, items: { type: 'object', required: ['id', 'format'] } },
        credential_sets: { type: 'array', minItems: 1, items: { type: 'object', required: ['options'] } },
      },
      required: ['credentials'],
      examples: [dcqlQuery],
    }),
  )
  readonly dcql_query?: unknown;
  @is.Optional('`vp_token` with a query, `id_token` without one, when absent.', is.OneOf(responseTypes))
  readonly responseType?: ResponseType;
  @is.Optional('Whether wallets encrypt their answer; `direct_post` when absent.', is.OneOf(responseModes))
  readonly responseMode?: ResponseMode;
  @is.Optional(
    'ISO 8601 duration, at most 7 days; PT1H when absent.',
    is.Duration(mostDays, 'PT10M'),
    is.Shown({ examples: ['PT1H', 'PT10M', 'P7D'] }),
  )
  readonly expiresIn?: string;
  @is.Optional(
    'Where a wallet on the same device goes afterwards, with a `response_code`.',
    is.Text(1, 2048),
    is.Check('isRedirectUri', notRedirectable, isRedirectUri),
    is.Shown({ format: 'uri', examples: ['https://shop.example/back', 'https://shop.example/back?basket=1'] }),
  )
  readonly redirectUri?: string;
  @is.Optional(
    'How long what was asked and presented is kept: `keep` (when absent), or an ISO 8601 duration after the request was ' +
      'verified or expired.',
    is.Check('isRetention', retentionMessage, isRetention),
    is.Shown({ ...text, examples: ['keep', 'PT1H', 'P30D'] }),
  )
  readonly retention?: string;
  @is.Optional('How the service identifies itself; `decentralized_identifier` when absent.', is.OneOf(prefixes))
  readonly clientIdPrefix?: (typeof prefixes)[number];
}

function faultsOfQuery(value: unknown): readonly Violation[] {
  try {
    parseDcqlQuery(value);
    return [];
  } catch (error) {
    if (error instanceof DcqlQueryError) return error.violations;
    throw error;
  }
}

/** A question without `dcql_query` is one of SIOPv2. */
function faultsTogether(body: object): Violation[] {
  const { dcql_query: query, responseType, responseMode, clientIdPrefix } = body as AskForPresentationBody;
  const faults: Violation[] = [];
  if (query !== undefined) {
    if (responseType !== 'id_token') return [];
    return [{ pointer: '/responseType', message: 'must include vp_token when dcql_query is given' }];
  }
  if (responseType !== undefined && responseType !== 'id_token') {
    faults.push({ pointer: '/responseType', message: 'must be id_token without dcql_query' });
  }
  if (responseMode === 'direct_post.jwt') {
    const message = 'must be direct_post without dcql_query: SIOPv2 wallets do not encrypt';
    faults.push({ pointer: '/responseMode', message });
  }
  if (clientIdPrefix === 'redirect_uri') {
    faults.push({ pointer: '/clientIdPrefix', message: 'belongs to requests with dcql_query' });
  }
  return faults;
}

function isRedirectUri(value: unknown): boolean {
  if (typeof value !== 'string' || value.includes('#') || !URL.canParse(value)) return false;
  return /^https?:$/.test(new URL(value).protocol);
}

/** What a body says in the words of the domain. Throws `validation-failed`. @param isHttpAllowed as `redirectUri` */
export function presentationInputOf(body: AskForPresentationBody, isHttpAllowed: boolean): PresentationInput {
  const { state, dcql_query: given, nonce, redirectUri } = body;
  const { responseMode = 'direct_post', expiresIn = 'PT1H', clientIdPrefix = 'decentralized_identifier' } = body;
  if (redirectUri !== undefined && new URL(redirectUri).protocol !== 'https:' && !isHttpAllowed) {
    throw validationFailed([{ pointer: '/redirectUri', message: notRedirectable }]);
  }
  const query = given === undefined ? undefined : parseDcqlQuery(given);
  const { responseType = query ? 'vp_token' : 'id_token' } = body;
  const { retention = 'keep' } = body;
  return {
    ...{ requestId: state, query, nonce, responseType, responseMode, clientIdPrefix, expiresIn, redirectUri },
    ...(retention !== 'keep' && { retention }),
  };
}

class ResponseCodeBody {
  @is.Required('The `response_code` that came with the person, once.', is.Text(1, 256))
  readonly responseCode!: string;
}

@is.Holds(inOrder(['createdAfter', 'createdBefore']))
class AuthorizationRequestQuery extends ListQuery {
  @is.Optional(
    'Only those with this status, in order of expiry, the latest first. A request that expires without being ' +
      'verified is `expired`.',
    is.OneOf(publicStatuses),
  )
  readonly status?: (typeof publicStatuses)[number];
  @is.Optional('Only those created at or after this time.', is.Moment('2027-06-30T00:00:00Z'))
  readonly createdAfter?: string;
  @is.Optional('Only those created before this time.', is.Moment('2027-07-01T00:00:00Z'))
  readonly createdBefore?: string;
}

const outcome = {
  description: 'The request, and what was presented once it is verified.',
  schema: request,
  etag: true,
} as const;

export const authorizationRequests = resource(
  {
    path: 'v0/authorization_requests',
    area: 'verification',
    tag: 'Authorization requests',
    description: 'Requests to wallets for credentials or an ID Token.',
    parameters: { state: { description: 'The `state` of the request.', schema: text, example: stateExample } },
    links: { scope: 'verification:deliver', members: linkMembers },
  },
  {
    ask: {
      id: 'askForPresentation',
      route: 'POST',
      summary: 'Ask wallets to present',
      description:
        'Without `dcql_query` it is a SIOPv2 request. `Accept` chooses link or QR code. Without the scope ' +
        '`verification:deliver` the answer has no links, and is JSON only.',
      body: AskForPresentationBody,
      examples: { presentation: { state: stateExample, dcql_query: dcqlQuery }, signIn: { expiresIn: 'PT10M' } },
      idempotent: true,
      answers: { 201: { description: 'The new request.', schema: askedRequest, mediaTypes: linkMediaTypes } },
      problems: ['invalid-dcql-query', 'state-already-used'],
    },
    list: listOf(
      'listAuthorizationRequests',
      'List the authorization requests, newest first',
      listedRequest,
      AuthorizationRequestQuery,
    ),
    get: {
      id: 'getAuthorizationRequest',
      route: 'GET :state',
      summary: 'Get the result of a request',
      answers: { 200: outcome },
    },
    ...linkOperations('AuthorizationRequest', 'a request', 'state', 'verification:deliver', 'not-acceptable'),
    redeem: {
      id: 'redeemResponseCode',
      route: 'POST :state/response_code',
      summary: 'Redeem the code that a wallet brought back to redirectUri',
      body: ResponseCodeBody,
      examples: { code: { responseCode: 'sX8kQ2v0' } },
      answers: { 200: outcome },
      problems: ['invalid-response-code'],
    },
    erase: {
      id: 'eraseAuthorizationRequestPersonalData',
      route: 'DELETE :state/personal_data',
      summary: 'Erase the personal data of a request permanently',
      description:
        'Destroys the key of what was presented and of what was asked for, so that both can be read nowhere any more; backups ' +
        'made before keep them until they expire. The request stays in lists with its timeline. One that is still open can ' +
        'no longer be answered. A repetition changes nothing.',
      answers: { 204: 'The personal data is erased.' },
    },
  },
);
