import type { Chapter } from './mistake';

const failed = { status: 400, problem: 'validation-failed' } as const;
const badQuery = { status: 400, problem: 'invalid-dcql-query' } as const;
const request = 'POST /v0/authorization_requests';
const credential = {
  id: 'card',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['https://credentials.example/membership'] },
};
const asking = (changes: object): object => ({ dcql_query: { credentials: [{ ...credential, ...changes }] } });

export const presentations: Chapter = {
  title: 'Authorization requests',
  mistakes: [
    {
      what: 'Camel case where the specification has snake case',
      request,
      body: { dcqlQuery: { credentials: [credential] } },
      ...failed,
      says: ['Did you mean dcql_query?'],
    },
    {
      what: 'A query without credentials',
      request,
      body: { dcql_query: {} },
      ...badQuery,
      says: ['/dcql_query/credentials'],
    },
    {
      what: 'A credential without an id',
      request,
      body: asking({ id: undefined }),
      ...badQuery,
      says: ['/dcql_query/credentials/0/id', 'required'],
    },
    {
      what: 'A format that is not supported',
      request,
      body: asking({ format: 'mso_mdoc' }),
      ...badQuery,
      says: ['/dcql_query/credentials/0/format', 'dc+sd-jwt'],
    },
    {
      what: 'No types',
      request,
      body: asking({ meta: undefined }),
      ...badQuery,
      says: ['/dcql_query/credentials/0/meta', 'vct_values'],
    },
    {
      what: 'One type in place of a list',
      request,
      body: asking({ meta: { vct_values: 'https://credentials.example/membership' } }),
      ...badQuery,
      says: ['/dcql_query/credentials/0/meta/vct_values', 'array'],
    },
    {
      what: 'A claim as text',
      request,
      body: asking({ claims: ['given_name'] }),
      ...badQuery,
      says: ['/dcql_query/credentials/0/claims/0', 'path'],
    },
    {
      what: 'One value in place of a list',
      request,
      body: asking({ claims: [{ path: ['level'], value: 3 }] }),
      ...badQuery,
      says: ['/dcql_query/credentials/0/claims/0/value', 'Did you mean values?'],
    },
    {
      what: 'A path as text',
      request,
      body: asking({ claims: [{ path: 'given_name' }] }),
      ...badQuery,
      says: ['/dcql_query/credentials/0/claims/0/path', 'array'],
    },
    {
      what: 'A state that was used',
      request,
      body: { state: 'visit-1', ...asking({}) },
      status: 409,
      problem: 'state-already-used',
      says: ['Choose another `state`'],
    },
    {
      what: 'A way of answering that browsers have',
      request,
      body: { ...asking({}), responseMode: 'fragment' },
      ...failed,
      says: ['/responseMode', 'direct_post'],
    },
    {
      what: 'An address to return to without https',
      request,
      body: { ...asking({}), redirectUri: 'portal.example/back' },
      ...failed,
      says: ['/redirectUri', 'https'],
    },
    {
      what: 'Transaction data in the words of the specification',
      request,
      body: { ...asking({}), transactionData: [{ type: 'payment', credential_ids: ['card'] }] },
      ...failed,
      says: ['/transactionData/0/credential_ids', 'credentialIds'],
    },
    {
      what: 'Transaction data for a credential that is not asked for',
      request,
      body: { ...asking({}), transactionData: [{ type: 'payment', credentialIds: ['cards'] }] },
      ...failed,
      says: ['/transactionData/0/credentialIds/0', 'Did you mean card?'],
    },
    {
      what: 'A result of a request that does not exist',
      request: 'GET /v0/authorization_requests/visit-9',
      status: 404,
      problem: 'not-found',
      says: ['visit-9'],
    },
    {
      what: 'A response code in the words of the specification',
      request: 'POST /v0/authorization_requests/visit-1/response_code',
      body: { response_code: 'x' },
      ...failed,
      says: ['responseCode'],
    },
  ],
};
