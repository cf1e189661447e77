import { gzipSync } from 'node:zlib';
import { type Chapter, json } from './mistake';

const unsupported = { status: 415, problem: 'unsupported-media-type' } as const;
const malformed = { status: 400, problem: 'malformed-json' } as const;
const failed = { status: 400, problem: 'validation-failed' } as const;
const request = 'POST /v0/offers';
const valid = { offerId: 'order-4712' };
const latin1 = Buffer.from('{"offerId": "Bücher"}', 'latin1');

export const bodies: Chapter = {
  title: 'Bodies: media type, encoding, JSON',
  mistakes: [
    {
      what: 'The media type of a form, which curl sends unless told otherwise',
      request,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: JSON.stringify(valid),
      ...unsupported,
      says: ['application/x-www-form-urlencoded', 'Content-Type: application/json'],
    },
    {
      what: 'A form',
      request,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="offerId"\r\n\r\norder-4712\r\n--x--',
      ...unsupported,
      says: ['multipart/form-data', 'Content-Type: application/json'],
    },
    {
      what: 'No media type',
      request,
      headers: { 'content-type': '' },
      body: JSON.stringify(valid),
      ...unsupported,
      says: ['without a Content-Type', 'Content-Type: application/json'],
    },
    {
      what: 'A compressed body',
      request,
      headers: { ...json, 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify(valid)),
      shown: '(the body, compressed)',
      ...unsupported,
      says: ['Content-Encoding', 'uncompressed'],
    },
    {
      what: 'A comma after the last member',
      request,
      body: '{\n  "offerId": "order-4712",\n}',
      ...malformed,
      says: ['line 3, column 1'],
    },
    {
      what: 'Single quotation marks',
      request,
      body: "{'offerId': 'order-4712'}",
      ...malformed,
      says: ['line 1, column 2'],
    },
    {
      what: 'A name without quotation marks',
      request,
      body: '{offerId: "order-4712"}',
      ...malformed,
      says: ['line 1, column 2'],
    },
    {
      what: 'A body that ends too early',
      request,
      body: '{"offerId": "order-4712", "templateIds": ["membership"',
      ...malformed,
      says: ['line 1, column 55', 'ends'],
    },
    {
      what: 'A text that is not closed',
      request,
      body: '{\n  "offerId": "order-4712\n}',
      ...malformed,
      says: ['line 2, column 14'],
    },
    {
      what: 'A comment',
      request,
      body: '{\n  // for the fair\n  "offerId": "order-4712"\n}',
      ...malformed,
      says: ['line 2, column 3'],
    },
    {
      what: 'A number that JSON does not have',
      request: 'POST /v0/credentials',
      body: '{"credential": {"credentialSubject": {"level": NaN}}}',
      ...malformed,
      says: ['line 1, column 48'],
    },
    {
      what: 'A list',
      request,
      body: [valid],
      ...malformed,
      says: ['one JSON object', 'an array'],
    },
    {
      what: 'JSON in a JSON text',
      request,
      body: JSON.stringify(JSON.stringify(valid)),
      ...malformed,
      says: ['one JSON object', 'a string'],
    },
    {
      what: 'A member twice',
      request,
      body: '{"offerId": "order-4712", "offerId": "order-4713"}',
      ...malformed,
      says: ['line 1, column 27', 'name'],
    },
    {
      what: 'Another encoding than UTF-8',
      request,
      body: latin1,
      shown: '{"offerId": "B�cher"}',
      ...malformed,
      says: ['UTF-8'],
    },
    {
      what: 'A byte order mark',
      request,
      body: `\uFEFF${JSON.stringify(valid)}`,
      ...malformed,
      says: ['byte order mark'],
    },
    {
      what: 'A nesting that is too deep',
      request,
      body: `{"offerId": ${'['.repeat(40)}${']'.repeat(40)}}`,
      ...malformed,
      says: ['32'],
    },
    {
      what: 'A number that would be changed by reading it',
      request: 'POST /v0/credentials',
      body: '{"templateId": "membership", "credential": {"credentialSubject": {"level": 12345678901234567890}}}',
      ...failed,
      says: ['/credential/credentialSubject/level', 'as text'],
    },
    {
      what: 'A character that cannot be stored',
      request,
      body: '{"offerId": "order\\u0000"}',
      ...failed,
      says: ['/offerId', 'U+0000'],
    },
    {
      what: 'A body that is too large',
      request,
      body: JSON.stringify({ offerId: 'x'.repeat(300_000) }),
      shown: '{"offerId": "xxx... (300,000 characters)"}',
      status: 413,
      problem: 'payload-too-large',
      says: ['256 KiB'],
    },
    {
      what: 'A media type that is not offered',
      request,
      headers: { ...json, accept: 'application/xml' },
      body: valid,
      status: 406,
      problem: 'not-acceptable',
      says: ['application/json'],
    },
  ],
};
