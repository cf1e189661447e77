import type { Chapter } from './mistake';

const notFound = { status: 404, problem: 'not-found' } as const;
const notAllowed = { status: 405, problem: 'method-not-allowed' } as const;

export const addresses: Chapter = {
  title: 'Addresses and methods',
  mistakes: [
    { what: 'The name is singular', request: 'GET /v0/offer', ...notFound, says: ['Did you mean /v0/offers?'] },
    { what: 'Another version', request: 'GET /v1/offers', ...notFound, says: ['Did you mean /v0/offers?'] },
    { what: 'No version', request: 'GET /offers', ...notFound, says: ['Did you mean /v0/offers?'] },
    { what: 'Upper case', request: 'GET /v0/Offers', ...notFound, says: ['Did you mean /v0/offers?'] },
    {
      what: 'A hyphen in place of an underscore',
      request: 'GET /v0/authorization-requests',
      ...notFound,
      says: ['Did you mean /v0/authorization_requests?'],
    },
    {
      what: 'Camel case',
      request: 'GET /v0/credentialConfigurations',
      ...notFound,
      says: ['Did you mean /v0/credential_configurations?'],
    },
    {
      what: 'Another word for an operation',
      request: 'POST /v0/credentials/card-1/revok',
      body: {},
      ...notFound,
      says: ['Did you mean /v0/credentials/card-1/revoke?'],
    },
    {
      what: 'The opposite of an operation, in another word than the one it has',
      request: 'POST /v0/credentials/card-1/unsuspend',
      body: {},
      ...notFound,
      says: ['Did you mean /v0/credentials/card-1/reinstate?'],
    },
    {
      what: 'A plural that no operation has',
      request: 'POST /v0/credentials/batches',
      body: {},
      ...notAllowed,
      says: ['Did you mean POST /v0/credentials/batch?'],
    },
    {
      what: 'An id that does not exist',
      request: 'GET /v0/offers/order-9999',
      status: 404,
      problem: 'missing-credential-offer',
      says: ['order-9999', 'GET /v0/offers', 'POST /v0/offers'],
    },
    {
      what: 'An id of something else',
      request: 'GET /v0/credentials/order-4711',
      status: 404,
      problem: 'not-found',
      says: ['order-4711', 'the id in it', 'GET /v0/credentials'],
    },
    {
      what: 'PUT in place of PATCH',
      request: 'PUT /v0/templates/membership',
      body: { title: 'Gold' },
      ...notAllowed,
      says: ['DELETE, GET, PATCH'],
    },
    {
      what: 'GET for an operation that changes something',
      request: 'GET /v0/templates/membership/publish',
      ...notAllowed,
      says: ['POST'],
    },
    {
      what: 'DELETE of what cannot be deleted',
      request: 'DELETE /v0/credentials/card-1',
      ...notAllowed,
      says: ['GET'],
    },
    {
      what: 'An address with a stray percent sign',
      request: 'GET /v0/offers/100%',
      status: 400,
      problem: 'validation-failed',
      says: ['%25'],
    },
  ],
};
