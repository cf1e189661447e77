import { isSecret, secretBytes, secretText, signedHeaders } from './signature';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('a signature', () => {
  // The example of the specification of Standard Webhooks.
  it('is the HMAC-SHA256 of id, timestamp and body', () => {
    const body = '{"test": 2432232314}';
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body };
    expect(signedHeaders(message, [secretBytes(secret)])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is there once for each secret', () => {
    const headers = signedHeaders({ id: '1', timestamp: 1, body: '' }, [Buffer.alloc(24), Buffer.alloc(24, 1)]);
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
  });
});

describe('a secret', () => {
  it.each(Array.from({ length: 41 }, (_, more) => 24 + more))('may have %d bytes', (length) => {
    const bytes = Buffer.alloc(length, 0xfb);
    expect(isSecret(secretText(bytes))).toBe(true);
    expect(secretBytes(secretText(bytes))).toEqual(bytes);
  });

  it.each([
    ['too few bytes', secretText(Buffer.alloc(23))],
    ['too many bytes', secretText(Buffer.alloc(65))],
    ['no prefix', secret.slice('whsec_'.length)],
    ['the prefix in upper case', secret.replace('whsec', 'WHSEC')],
    ['the letters of base64url', `whsec_${Buffer.alloc(24, 0xfb).toString('base64url')}`],
    ['bits that stand for nothing', `${secretText(Buffer.alloc(25)).slice(0, -3)}B==`],
    ['no padding where there is some', secretText(Buffer.alloc(25)).replaceAll('=', '')],
    ['white space', `${secret} `],
    ['a number', 7],
    ['nothing', undefined],
  ])('has not: %s', (_name, value) => {
    expect(isSecret(value)).toBe(false);
  });
});
