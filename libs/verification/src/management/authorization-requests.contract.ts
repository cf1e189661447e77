import {
  anyObject,
  closed,
  component,
  dateTime,
  eg,
  timesInOrder,
  is,
  linkMediaTypes,
  listOf,
  ListQuery,
  namesIn,
  pageLinksOf,
  pageRedirects,
  resource,
  text,
  textOrNull,
  texts,
  timeline,
  timelineSteps,
  walletLinkSchema,
} from '@app/http';
import { refusedStatuses, type AcceptedStatus, type AcceptedType } from '@app/credentials';
import { digitalCredentialProtocols, credentialFormats } from '@app/openid4vc';
import { requestStatuses } from '../request/authorization-request';
import { AskForPresentationBody, dcqlQuery, responseModes, responseTypes } from '../question/presentation-body';
import { requestEvents } from '../request/request-events';
import { transactionDataExample } from '../question/transaction-data-body';
import { linkNames } from '../request/variant-names';

const inheritance: readonly AcceptedType['by'][] = ['aka_vcts', 'extends'];
const acceptedStatuses: readonly AcceptedStatus[] = ['valid', 'none', 'undetermined'];
/** What a relying party gets of one credential. */
const presentedCredential = component(
  'PresentedCredential',
  closed({
    id: eg('membership', { type: 'string', description: 'That of the query.' }),
    format: { enum: credentialFormats },
    issuer: eg('did:web:issuer.example'),
    type: eg(['https://credentials.example/membership'], texts),
    'acceptedAs?': {
      ...closed({ type: eg('urn:eudi:pid:1'), by: { enum: inheritance } }),
      description:
        'The type of the query that the credential answers, when that is not its own: its issuer says that it is of that type ' +
        'too (`aka_vcts`), or the metadata of its type do (`extends`). The issuer is trusted for that type.',
    },
    claims: eg({ given_name: 'Erika' }, anyObject),
    holder: eg(
      { thumbprint: 'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s' },
      { anyOf: [closed({ thumbprint: text, 'did?': text }), { type: 'null' }] },
    ),
    status: eg('valid', {
      enum: acceptedStatuses,
      description:
        '`none`: the issuer gave the credential no status. `undetermined`: it could not be found out, and the settings ' +
        'accept that. A suspended or revoked credential is rejected, which `failure` says.',
    }),
    trust: eg('trusted', { enum: ['trusted', 'accepted-in-development'] }),
    'trustAnchor?': {
      ...closed({
        name: eg('PID root', { type: 'string', description: 'As the settings name it.' }),
        subject: eg('CN=PID root, O=Example'),
        fingerprint: eg('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', {
          type: 'string',
          description: 'SHA-256 of the certificate.',
        }),
      }),
      description:
        'The certificate authority that vouches for the issuer; absent when the issuer is trusted by its name.',
    },
    'issuedAt?': dateTime,
    'expiresAt?': dateTime,
  }),
);

const stateExample = 'checkout-4711';
const link =
  'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example&request_uri=' +
  'https%3A%2F%2Fverifier.example%2Fopenid4vp%2Ffinal%2FfR3nGm1t%2Frequest';
const createdAt = '2026-11-20T10:00:00.000Z';
const state = eg(stateExample);
const expiresAt = eg('2026-11-20T11:00:00.000Z', dateTime);

const links = {
  'authorizationRequest?': eg(link, walletLinkSchema),
  'variants?': eg(
    { siopv2: null, '1.0': link, unavailable: { siopv2: 'the request asks for credentials' } },
    {
      ...closed({
        ...Object.fromEntries(Object.values(linkNames).map((name) => [`${name}?`, textOrNull])),
        unavailable: { type: 'object', description: 'Why, for each that is null.', additionalProperties: text },
      }),
      description: 'A link for each generation of wallets, null where it cannot express the question.',
    },
  ),
  'digitalCredential?': eg(
    {
      requests: [
        { protocol: 'openid4vp-v1-unsigned', data: { response_type: 'vp_token', response_mode: 'dc_api.jwt' } },
      ],
    },
    {
      ...closed({
        requests: { type: 'array', items: closed({ protocol: { enum: digitalCredentialProtocols }, data: anyObject }) },
      }),
      description:
        'With `dc_api` and `dc_api.jwt`: for `navigator.credentials.get({ digital: digitalCredential })` on your page. Signed as ' +
        'well, when the service has a certificate for requests.',
    },
  ),
  'responseUrl?': eg('https://verifier.example/r/fR3nGm1t/digital_credential', {
    ...text,
    description:
      'Where your page, or your server for it, posts `protocol` and `data` of what the browser returned, as JSON. Its answer has ' +
      '`redirect_uri` when the request has a `redirectUri`.',
  }),
  'links?': pageLinksOf('https://verifier.example/r/fR3nGm1t'),
};
const linkMembers = namesIn(links);
const askedRequest = component('AskedRequest', closed({ state, ...links, expiresAt, 'warnings?': texts }));

const summary = {
  state,
  status: eg('pending', {
    enum: requestStatuses,
    description:
      'A `rejected` request can still be answered until it expires: a wallet was refused or declined, which anyone who ' +
      'has the link can do. `verified` is final, unless the result is `withheld` and nobody comes back for it: then the ' +
      'request is `rejected` by the check `session`, which is final.',
  }),
  responseType: eg('vp_token', { enum: responseTypes }),
  responseMode: eg('direct_post', { enum: responseModes }),
  createdAt: eg(createdAt, dateTime),
  expiresAt: {
    ...expiresAt,
    description: 'Until when wallets can answer. While a result is `withheld`: until when the person can come back.',
  },
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
    ...links,
    vp_token: eg(null, { ...anyObject, type: ['object', 'null'], description: presented }),
    id_token: eg(null, textOrNull),
    subject: eg(null, textOrNull),
    credentials: eg([], { type: 'array', items: presentedCredential }),
    transactionData: eg([], {
      type: 'array',
      description: 'What the person confirmed, in the order of the request; empty when it had no `transactionData`.',
      items: closed({ type: text, confirmedBy: { ...text, description: 'The `id` of the credential in the query.' } }),
    }),
    withheld: eg(null, {
      ...textOrNull,
      description: 'Why what was presented to a `verified` request is not shown yet, and what to send to see it.',
    }),
    failure: eg(null, { anyOf: [failure, { type: 'null' }] }),
    timeline: eg(
      [{ at: createdAt, step: 'requested', outcome: 'ok', detail: ['1.0'] }],
      timeline(timelineSteps(requestEvents), ['ok', 'refused', 'rejected', 'verified'], {}),
    ),
  }),
);

class ResponseCodeBody {
  @is.Required(
    'The value of `response_code` in the fragment of the address that the wallet opened, once.',
    is.Text(1, 256),
  )
  readonly responseCode!: string;
}

@is.Holds(timesInOrder(['createdAfter', 'createdBefore']))
class AuthorizationRequestQuery extends ListQuery {
  @is.Optional(
    'Only those with this status, in order of expiry, the latest first. A request that expires without being ' +
      'verified is `expired`.',
    is.OneOf(requestStatuses),
  )
  readonly status?: (typeof requestStatuses)[number];
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
      makesNew: true,
      route: 'POST',
      summary: 'Ask wallets to present',
      description:
        'Without `dcql_query` it is a SIOPv2 request. `Accept` chooses link or QR code. Without the scope ' +
        '`verification:deliver` the answer has no links, and is JSON only.',
      body: AskForPresentationBody,
      examples: {
        presentation: { state: stateExample, dcql_query: dcqlQuery },
        confirmation: { dcql_query: dcqlQuery, transactionData: transactionDataExample },
        signIn: { expiresIn: 'PT10M' },
      },
      idempotent: true,
      answers: { 201: { description: 'The new request.', schema: askedRequest, mediaTypes: linkMediaTypes } },
      problems: ['invalid-dcql-query', 'state-already-used', 'request-certificate-missing', 'request-not-registered'],
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
      description: 'While a wallet can answer it also its links, for callers with the scope `verification:deliver`.',
      answers: { 200: outcome },
    },
    ...pageRedirects('AuthorizationRequest', 'a request', 'state', 'verification:deliver'),
    redeem: {
      id: 'redeemResponseCode',
      route: 'POST :state/response_code',
      summary: 'Redeem the response code with which a wallet returned the person to redirectUri',
      body: ResponseCodeBody,
      examples: { code: { responseCode: 'sX8kQ2v0' } },
      answers: { 200: outcome },
      problems: ['invalid-response-code'],
    },
    erase: {
      id: 'eraseAuthorizationRequestPersonalData',
      route: 'DELETE :state/personal_data',
      freshness: true,
      summary: 'Erase the personal data of a request permanently',
      description:
        'Destroys the key of what was presented and of what was asked for, so that both can be read nowhere any more; backups ' +
        'made before keep them until they expire. The request stays in lists with its timeline. One that is still open can ' +
        'no longer be answered. A repetition changes nothing.',
      answers: { 204: 'The personal data is erased.' },
    },
  },
);
