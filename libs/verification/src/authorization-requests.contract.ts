import {
  About,
  Check,
  closed,
  component,
  dateTime,
  HasNoFaults,
  Holds,
  IsAddressable,
  IsDuration,
  IsText,
  linkMediaTypes,
  linkOperations,
  ListQuery,
  Optional,
  pageOf,
  pictures,
  resource,
  Rules,
  text,
  textOrNull,
  texts,
  timeline,
  walletLink,
} from '@app/contract';
import { DcqlQueryError, parseDcqlQuery, type ResponseMode, type ResponseType } from '@app/openid4vc';
import { validationFailed, type Violation } from '@app/problem-details';
import { IsIn } from 'class-validator';
import { publicStatuses } from './authorization-request';
import type { PresentationInput } from './presentation-input';

const mostDays = 7;
const oneOf = (values: readonly string[]) => ({ message: `must be one of ${values.join(', ')}` });
const responseTypes: readonly ResponseType[] = ['vp_token', 'vp_token id_token', 'id_token'];
const responseModes: readonly ResponseMode[] = ['direct_post', 'direct_post.jwt'];
const prefixes = ['decentralized_identifier', 'redirect_uri'] as const;
const notRedirectable = 'must be an absolute https URL without a fragment';
const linkMembers = ['authorizationRequest', 'variants', 'links'];

const summary = {
  state: text,
  status: {
    enum: publicStatuses,
    description:
      'A `rejected` request can still be answered until it expires: a wallet was refused or declined, which anyone who ' +
      'has the link can do. `verified` is final.',
  },
  responseType: { enum: responseTypes },
  responseMode: { enum: responseModes },
  createdAt: dateTime,
  expiresAt: dateTime,
};
const summaryExample = {
  state: 'checkout-4711',
  status: 'pending',
  responseType: 'vp_token',
  responseMode: 'direct_post',
  createdAt: '2026-11-20T10:00:00.000Z',
  expiresAt: '2026-11-20T11:00:00.000Z',
};
const { state: stateExample } = summaryExample;
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
const linkExample =
  'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example&request_uri=' +
  'https%3A%2F%2Fverifier.example%2Fopenid4vp%2Ffinal%2FfR3nGm1t%2Frequest';

const askedRequest = component(
  'AskedRequest',
  closed({
    state: text,
    'authorizationRequest?': walletLink,
    'variants?': {
      type: 'object',
      description: 'A link for each generation of wallets, null where it cannot express the question.',
      properties: { unavailable: { type: 'object', additionalProperties: text } },
      required: ['unavailable'],
      additionalProperties: textOrNull,
    },
    'links?': pictures,
    expiresAt: dateTime,
    'warnings?': texts,
  }),
  {
    state: stateExample,
    authorizationRequest: linkExample,
    variants: {
      siopv2: null,
      '1.0': linkExample,
      unavailable: { siopv2: 'the request asks for credentials' },
    },
    links: {
      qrSvg: '/v0/authorization_requests/checkout-4711/qr.svg',
      qrPng: '/v0/authorization_requests/checkout-4711/qr.png',
      page: '/v0/authorization_requests/checkout-4711/page',
    },
    expiresAt: summaryExample.expiresAt,
  },
);
const listedRequest = component('AuthorizationRequestSummary', closed(summary), summaryExample);
const failure = closed({ check: text, reason: text, 'credentialId?': text });
const request = component(
  'AuthorizationRequest',
  closed({
    ...summary,
    vp_token: { type: ['object', 'null'], description: 'Not null exactly when everything asked for was verified.' },
    id_token: textOrNull,
    subject: textOrNull,
    credentials: { type: 'array', items: { type: 'object' } },
    failure: { anyOf: [failure, { type: 'null' }] },
    timeline: timeline(['ok', 'rejected', 'verified'], {}),
  }),
  {
    ...summaryExample,
    vp_token: null,
    id_token: null,
    subject: null,
    credentials: [],
    failure: null,
    timeline: [{ at: summaryExample.createdAt, step: 'requested', outcome: 'ok', detail: ['1.0'] }],
  },
);

@Holds(faultsTogether)
@Rules({
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
export class AskForPresentationBody {
  @Optional('Yours, as it is, in every variant; a fresh one for each when absent.')
  @IsText(1, 512)
  readonly nonce?: string;

  @Optional('Your own name for the request; a random one when absent.')
  @IsText(1, 256)
  @IsAddressable()
  readonly state?: string;

  @Optional('What to present (OpenID4VP 1.0, section 6).', {
    type: 'object',
    properties: {
      credentials: { type: 'array', minItems: 1, items: { type: 'object', required: ['id', 'format'] } },
      credential_sets: { type: 'array', minItems: 1, items: { type: 'object', required: ['options'] } },
    },
    required: ['credentials'],
    examples: [dcqlQuery],
  })
  @HasNoFaults(faultsOfQuery, 'invalid-dcql-query')
  readonly dcql_query?: unknown;

  @Optional('`vp_token` with a query, `id_token` without one, when absent.')
  @IsIn(responseTypes, oneOf(responseTypes))
  readonly responseType?: ResponseType;

  @Optional('Whether wallets encrypt their answer; `direct_post` when absent.')
  @IsIn(responseModes, oneOf(responseModes))
  readonly responseMode: ResponseMode = 'direct_post';

  @Optional('ISO 8601 duration, at most 7 days; PT1H when absent.', { examples: ['PT1H', 'PT10M', 'P7D'] })
  @IsDuration(mostDays, 'PT10M')
  readonly expiresIn: string = 'PT1H';

  @Optional('Where a wallet on the same device goes afterwards, with a `response_code`.', {
    format: 'uri',
    examples: ['https://shop.example/back', 'https://shop.example/back?basket=1'],
  })
  @IsText(1, 2048)
  @Check(
    'isRedirectUri',
    notRedirectable,
    (value) => /^https?:$/.test(protocolOf(value)) && !String(value).includes('#'),
  )
  readonly redirectUri?: string;

  @Optional('How the service names itself; `decentralized_identifier` when absent.')
  @IsIn(prefixes, oneOf(prefixes))
  readonly clientIdPrefix: (typeof prefixes)[number] = 'decentralized_identifier';
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
    return [{ pointer: '/responseType', message: 'must ask for a vp_token beside dcql_query' }];
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

function protocolOf(value: unknown): string {
  return URL.canParse(String(value)) ? new URL(String(value)).protocol : '';
}

/** What a body says in the words of the domain. Throws `validation-failed`. @param isHttpAllowed as `redirectUri` */
export function presentationInputOf(body: AskForPresentationBody, isHttpAllowed: boolean): PresentationInput {
  const { state, dcql_query: given, redirectUri, responseType, ...others } = body;
  if (redirectUri !== undefined && protocolOf(redirectUri) !== 'https:' && !isHttpAllowed) {
    throw validationFailed([{ pointer: '/redirectUri', message: notRedirectable }]);
  }
  const query = given === undefined ? undefined : parseDcqlQuery(given);
  return {
    ...others,
    responseType: responseType ?? (query ? 'vp_token' : 'id_token'),
    requestId: state,
    query,
    redirectUri,
  };
}

class ResponseCodeBody {
  @About('The `response_code` that came with the person, once.')
  @IsText(1, 256)
  readonly responseCode!: string;
}

class AuthorizationRequestQuery extends ListQuery {
  @Optional(
    'Only those with this status, in order of expiry, the latest first. A request that expires without being ' +
      'verified is `expired`.',
  )
  @IsIn(publicStatuses, oneOf(publicStatuses))
  readonly status?: (typeof publicStatuses)[number];
}

const result = { description: 'The request, and what was presented once it is verified.', schema: request };

export const authorizationRequests = resource(
  {
    path: 'v0/authorization_requests',
    tag: 'Authorization requests',
    description: 'Questions to wallets: which credentials to present, or an ID Token.',
    parameters: { state: { description: 'The `state` of the request.', schema: text, example: stateExample } },
    links: { scope: 'verification:deliver', members: linkMembers },
  },
  {
    ask: {
      id: 'askForPresentation',
      route: 'POST',
      scope: 'verification:write',
      summary: 'Ask wallets to present',
      description:
        'Without `dcql_query` it is a SIOPv2 request. `Accept` chooses link or QR code. Without the scope ' +
        '`verification:deliver` the answer has no links, and is JSON only.',
      body: AskForPresentationBody,
      examples: { presentation: { state: stateExample, dcql_query: dcqlQuery }, signIn: { expiresIn: 'PT10M' } },
      idempotent: true,
      answers: {
        201: {
          description: 'The new request.',
          headers: ['Location'],
          schema: askedRequest,
          mediaTypes: linkMediaTypes,
        },
      },
      problems: ['invalid-dcql-query', 'state-already-used'],
    },
    list: {
      id: 'listAuthorizationRequests',
      route: 'GET',
      scope: 'verification:read',
      summary: 'List the authorization requests, the newest first',
      query: AuthorizationRequestQuery,
      answers: { 200: { description: 'One page.', schema: pageOf(listedRequest) } },
    },
    get: {
      id: 'getAuthorizationRequest',
      route: 'GET :state',
      scope: 'verification:read',
      summary: 'See what became of a request',
      conditional: true,
      answers: { 200: result },
    },
    ...linkOperations({
      id: 'AuthorizationRequest',
      name: 'a request',
      parameter: 'state',
      scope: 'verification:deliver',
      problems: ['not-acceptable'],
    }),
    redeem: {
      id: 'redeemResponseCode',
      route: 'POST :state/response_code',
      scope: 'verification:write',
      summary: 'Redeem the code that a wallet brought back to redirectUri',
      body: ResponseCodeBody,
      examples: { code: { responseCode: 'sX8kQ2v0' } },
      conditional: true,
      answers: { 200: result },
      problems: ['invalid-response-code', 'conflict'],
    },
  },
);
