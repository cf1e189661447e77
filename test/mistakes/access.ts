import type { Chapter } from './mistake';

const unauthorized = { status: 401, problem: 'unauthorized' } as const;
const request = 'GET /v0/offers';

export const access: Chapter = {
  title: 'Keys and scopes',
  mistakes: [
    {
      what: 'No key',
      request,
      headers: { 'x-forwarded-for': '192.0.2.7' },
      ...unauthorized,
      says: ['Authorization: Bearer <key>', 'X-API-Key: <key>'],
    },
    {
      what: 'A key that is not known',
      request,
      headers: { authorization: 'Bearer sw_wrong' },
      ...unauthorized,
      says: ['`sealwright api-keys create`'],
    },
    {
      what: 'User name and password',
      request,
      headers: { authorization: 'Basic cG9ydGFsOnNlY3JldA==', 'x-forwarded-for': '192.0.2.7' },
      ...unauthorized,
      says: ['Bearer <key>'],
    },
    {
      what: 'A key without `Bearer`',
      request,
      headers: { authorization: '<key>', 'x-forwarded-for': '192.0.2.7' },
      ...unauthorized,
      says: ['Bearer <key>'],
    },
    {
      what: 'Two different keys',
      request,
      headers: { authorization: 'Bearer <key>', 'x-api-key': 'other' },
      ...unauthorized,
      says: ['X-API-Key'],
    },
    {
      what: 'A key in the address',
      request: 'GET /v0/offers?api_key=secret',
      headers: { 'x-forwarded-for': '192.0.2.7' },
      ...unauthorized,
      says: ['X-API-Key: <key>'],
    },
    {
      what: 'A key without the scope',
      request: 'POST /v0/offers',
      headers: { 'x-api-key': '<key>' },
      body: { offerId: 'order-4712' },
      status: 403,
      problem: 'forbidden',
      says: ['offers:write'],
    },
  ],
};
