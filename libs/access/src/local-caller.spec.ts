import type { Socket } from 'node:net';
import { isLocalCaller } from './local-caller';

/** A request that counts as local; each row changes one thing. */
const local = {
  remoteAddress: '127.0.0.1',
  localAddress: '127.0.0.1',
  httpVersion: '1.1',
  headers: { host: 'localhost:3033' } as Record<string, string>,
};

interface Change {
  readonly remoteAddress?: string;
  readonly localAddress?: string;
  readonly httpVersion?: string;
  readonly headers?: Record<string, string>;
}

function judged(change: Change): boolean {
  const { remoteAddress, localAddress, httpVersion, headers } = {
    ...local,
    ...change,
    headers: { ...local.headers, ...change.headers },
  };
  return isLocalCaller({ headers, httpVersion, socket: { remoteAddress, localAddress } as Socket }, 'portal.example');
}

describe('a caller of this machine itself', () => {
  it.each([
    {},
    { remoteAddress: '::1', localAddress: '::1' },
    { remoteAddress: '::ffff:127.0.0.1', localAddress: '::ffff:127.0.0.1' },
    { remoteAddress: '192.168.1.5', localAddress: '192.168.1.5' },
    { remoteAddress: '::ffff:192.168.1.5', localAddress: '::ffff:192.168.1.5' },
    { headers: { host: '127.0.0.1:3033' } },
    { headers: { host: '[::1]:3033' } },
    { headers: { host: '192.168.1.5:3033' } },
    { headers: { host: 'portal.example' } },
    { headers: { origin: 'http://localhost:3033' } },
    { headers: { host: '192.168.1.5:3033', origin: 'http://192.168.1.5:3033' } },
    { headers: { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-origin' } },
    { headers: { origin: 'https://portal.example', 'sec-fetch-site': 'same-origin' } },
  ])('is %j', (change) => {
    expect(judged(change)).toBe(true);
  });

  it.each([
    { remoteAddress: '192.168.1.6', localAddress: '192.168.1.5' },
    { remoteAddress: '', localAddress: '' },
    { httpVersion: '1.0', headers: { host: '127.0.0.1:3033' } },
    { headers: { forwarded: 'for=192.0.2.1' } },
    { headers: { 'x-forwarded-for': '127.0.0.1' } },
    { headers: { 'x-forwarded-proto': 'https' } },
    { headers: { 'webhook-id': '4711' } },
    { headers: { 'x-real-ip': '127.0.0.1' } },
    { headers: { via: '1.1 tunnel' } },
    { headers: { host: 'evil.example' } },
    { headers: { host: 'localhost.evil.example:3033' } },
    { headers: { host: '127.0.0.1.evil.example' } },
    { headers: { host: '' } },
    { headers: { host: 'two words' } },
    { headers: { origin: 'http://evil.example' } },
    { headers: { origin: 'null' } },
    { headers: { origin: 'http://192.168.1.66' } },
    { headers: { origin: 'http://192.168.1.66', 'sec-fetch-site': 'same-origin' } },
    { headers: { origin: 'http://localhost:5173' } },
    { headers: { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' } },
    { headers: { origin: 'https://portal.example', 'sec-fetch-site': 'cross-site' } },
    { headers: { host: '192.168.1.5:3033', origin: 'http://192.168.1.5:8080' } },
  ])('is not %j', (change) => {
    expect(judged(change)).toBe(false);
  });
});
