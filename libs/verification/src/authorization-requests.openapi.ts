import {
  closedObject,
  type ControllerDescription,
  dateTime,
  listOf,
  pageParameters,
  reference,
  timeline,
} from '@app/openapi';
import { publicStatuses } from './authorization-request';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const link = { type: 'string', description: 'What a QR code holds and what opens a wallet on the same device.' };

/** Of `AskedRequest`: only for callers with the scope `verification:deliver`. */
export const linkMembers = ['authorizationRequest', 'variants', 'links'];

const responseTypes = ['vp_token', 'vp_token id_token', 'id_token'];
const summary = {
  state: text,
  status: {
    enum: publicStatuses,
    description:
      'A `rejected` request can still be answered until it expires: a wallet was refused or declined, which anyone who ' +
      'has the link can do. `verified` is final.',
  },
  responseType: { enum: responseTypes },
  responseMode: { enum: ['direct_post', 'direct_post.jwt'] },
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

const query = {
  credentials: [
    {
      id: 'membership',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['https://credentials.example/membership'] },
      claims: [{ path: ['given_name'] }],
    },
  ],
};

const address = 'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example&request_uri=';
const asked = {
  state: 'checkout-4711',
  authorizationRequest: `${address}https%3A%2F%2Fverifier.example%2Fopenid4vp%2Ffinal%2FfR3nGm1t%2Frequest`,
  variants: {
    siopv2: null,
    '1.0': `${address}https%3A%2F%2Fverifier.example%2Fopenid4vp%2Ffinal%2FfR3nGm1t%2Frequest`,
    unavailable: { siopv2: 'the request asks for credentials' },
  },
  links: {
    qrSvg: '/v0/authorization_requests/checkout-4711/qr.svg',
    qrPng: '/v0/authorization_requests/checkout-4711/qr.png',
    page: '/v0/authorization_requests/checkout-4711/page',
  },
  expiresAt: '2026-11-20T11:00:00.000Z',
};

const result = {
  status: 200,
  description: 'The request, and what was presented once it is verified.',
  schema: reference('AuthorizationRequest'),
  example: {
    ...summaryExample,
    vp_token: null,
    id_token: null,
    subject: null,
    credentials: [],
    failure: null,
    timeline: [{ at: '2026-11-20T10:00:00.000Z', step: 'requested', outcome: 'ok', detail: ['1.0'] }],
  },
} as const;

export const authorizationRequestsDescription: ControllerDescription = {
  tag: 'Authorization requests',
  description: 'Questions to wallets: which credentials to present, or an ID Token.',
  parameters: {
    state: { description: 'The `state` of the request.', schema: text, example: 'checkout-4711' },
  },
  schemas: {
    AskedRequest: closedObject(
      {
        state: text,
        authorizationRequest: link,
        variants: {
          type: 'object',
          description: 'A link for each generation of wallets, null where the question cannot be said.',
          properties: { unavailable: { type: 'object', additionalProperties: text } },
          required: ['unavailable'],
          additionalProperties: textOrNull,
        },
        links: reference('Links'),
        expiresAt: dateTime,
        warnings: { type: 'array', items: text },
      },
      [...linkMembers, 'warnings'],
    ),
    AuthorizationRequestSummary: closedObject(summary),
    AuthorizationRequest: closedObject({
      ...summary,
      vp_token: { type: ['object', 'null'], description: 'Not null exactly when everything asked for was verified.' },
      id_token: textOrNull,
      subject: textOrNull,
      credentials: { type: 'array', items: { type: 'object' } },
      failure: {
        anyOf: [closedObject({ check: text, reason: text, credentialId: text }, ['credentialId']), { type: 'null' }],
      },
      timeline: timeline(['ok', 'rejected', 'verified'], {}),
    }),
  },
  operations: {
    ask: {
      id: 'askForPresentation',
      summary: 'Ask wallets to present',
      description:
        'Without `dcql_query` it is a SIOPv2 request. `Accept` chooses link or QR code. Without the scope ' +
        '`verification:deliver` the answer has no links, and is JSON only.',
      body: {
        members: {
          nonce: { description: 'Yours, as it is, in every variant; a fresh one for each when absent.' },
          state: { description: 'Your own name for the request; a random one when absent.' },
          dcql_query: {
            description: 'What to present (OpenID4VP 1.0, section 6).',
            type: 'object',
            properties: {
              credentials: { type: 'array', minItems: 1, items: { type: 'object', required: ['id', 'format'] } },
              credential_sets: { type: 'array', minItems: 1, items: { type: 'object', required: ['options'] } },
            },
            required: ['credentials'],
            examples: [query],
          },
          responseType: { description: '`vp_token` with a query, `id_token` without one, when absent.' },
          responseMode: { description: 'Whether wallets encrypt their answer; `direct_post` when absent.' },
          expiresIn: {
            description: 'ISO 8601 duration, at most 7 days; PT1H when absent.',
            type: 'string',
            examples: ['PT1H', 'PT10M', 'P7D'],
          },
          redirectUri: {
            description: 'Where a wallet on the same device goes afterwards, with a `response_code`.',
            format: 'uri',
            examples: ['https://shop.example/back', 'https://shop.example/back?basket=1'],
          },
          clientIdPrefix: { description: 'How we name ourselves; `decentralized_identifier` when absent.' },
        },
        rules: {
          if: { required: ['dcql_query'] },
          then: { properties: { responseType: { enum: ['vp_token', 'vp_token id_token'] } } },
          else: {
            properties: {
              responseType: { const: 'id_token' },
              responseMode: { const: 'direct_post' },
              clientIdPrefix: { const: 'decentralized_identifier' },
            },
          },
        },
        examples: { presentation: { state: 'checkout-4711', dcql_query: query }, signIn: { expiresIn: 'PT10M' } },
      },
      answers: [
        {
          status: 201,
          description: 'The new request.',
          headers: ['Location'],
          schema: reference('AskedRequest'),
          example: asked,
          mediaTypes: ['text/plain', 'image/svg+xml', 'image/png'],
        },
      ],
      problems: ['invalid-dcql-query', 'state-already-used'],
    },
    list: {
      id: 'listAuthorizationRequests',
      summary: 'List the authorization requests, the newest first',
      query: {
        ...pageParameters,
        status: {
          description:
            'Only those with this status, in order of expiry, the latest first. A request that expires without being ' +
            'verified is `expired`.',
          schema: { enum: publicStatuses },
        },
      },
      answers: [
        {
          status: 200,
          description: 'One page.',
          schema: listOf(reference('AuthorizationRequestSummary')),
          example: { items: [summaryExample], nextCursor: null },
        },
      ],
    },
    get: {
      id: 'getAuthorizationRequest',
      summary: 'See what became of a request',
      answers: [result],
      problems: ['not-found'],
    },
    svg: {
      id: 'getAuthorizationRequestQrSvg',
      summary: 'The QR code of a request as SVG',
      answers: [{ status: 200, description: 'The image.', mediaTypes: ['image/svg+xml'] }],
      problems: ['not-found', 'not-acceptable'],
    },
    png: {
      id: 'getAuthorizationRequestQrPng',
      summary: 'The QR code of a request as PNG',
      answers: [{ status: 200, description: 'The image.', mediaTypes: ['image/png'] }],
      problems: ['not-found', 'not-acceptable'],
    },
    page: {
      id: 'getAuthorizationRequestPage',
      summary: 'A page with the QR code of a request, for a person',
      answers: [{ status: 200, description: 'The page.', mediaTypes: ['text/html'] }],
      problems: ['not-found'],
    },
    redeem: {
      id: 'redeemResponseCode',
      summary: 'Redeem the code that a wallet brought back to redirectUri',
      body: {
        members: { responseCode: { description: 'The `response_code` that came with the person, once.' } },
        examples: { code: { responseCode: 'sX8kQ2v0' } },
      },
      answers: [result],
      problems: ['not-found', 'invalid-response-code', 'conflict'],
    },
  },
};
