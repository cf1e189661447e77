import { OutboundError } from '@app/outbound';
import { Problem } from '@app/primitives/problems';
import { Logger } from '@nestjs/common';
import { errors, exportJWK, generateKeyPair, type JWK } from 'jose';
import { TokenKeys } from './token-keys';

const minute = 60_000;

/** A server of keys as `TokenKeys` meets it, a clock, and how often it was asked. */
function serverOfKeys() {
  const server = { keys: [] as JWK[], body: undefined as string | undefined, fails: false, asked: 0, now: 0 };
  const get = (url: string) => {
    server.asked++;
    if (server.fails) return Promise.reject(new OutboundError('connection-failed', 'refused'));
    const body = Buffer.from(server.body ?? JSON.stringify({ keys: server.keys }));
    return Promise.resolve({ status: 200, contentType: 'application/json', url, body });
  };
  return { server, keys: new TokenKeys('https://login.example/keys', { get }, () => server.now) };
}

const find = (keys: TokenKeys, kid: string) => keys.find({ alg: 'ES256', kid }, { payload: '', signature: '' });

describe('the keys of access tokens', () => {
  let first: JWK;
  let second: JWK;
  beforeAll(async () => {
    const made = async (kid: string): Promise<JWK> => {
      const { publicKey } = await generateKeyPair('ES256', { extractable: true });
      return { ...(await exportJWK(publicKey)), kid };
    };
    first = await made('first');
    second = await made('second');
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  it('are fetched once, however many tokens come at once', async () => {
    const { server, keys } = serverOfKeys();
    server.keys = [first];
    await Promise.all(Array.from({ length: 10 }, () => find(keys, 'first')));
    await find(keys, 'first');
    expect(server.asked).toBe(1);
  });

  it('are fetched at once for a key id that is new, and not again within five seconds', async () => {
    const { server, keys } = serverOfKeys();
    server.keys = [first];
    await find(keys, 'first');
    server.keys = [second];
    await find(keys, 'second');
    server.keys = [first];
    for (let attempt = 0; attempt < 5; attempt++) {
      await expect(find(keys, 'first')).rejects.toThrow(errors.JWKSNoMatchingKey);
    }
    expect(server.asked).toBe(2);
    server.now += 5_000;
    await find(keys, 'first');
    expect(server.asked).toBe(3);
  });

  it('are not believed after ten minutes when their owner took them back', async () => {
    const { server, keys } = serverOfKeys();
    server.keys = [first];
    await find(keys, 'first');
    server.keys = [second];
    server.now += 10 * minute - 1;
    await find(keys, 'first');
    server.now += 1;
    await expect(find(keys, 'first')).rejects.toThrow(errors.JWKSNoMatchingKey);
  });

  it('are kept while their server fails', async () => {
    const { server, keys } = serverOfKeys();
    server.keys = [first];
    await find(keys, 'first');
    server.fails = true;
    for (let hour = 0; hour < 3; hour++) {
      server.now += 60 * minute;
      await find(keys, 'first');
      await find(keys, 'first');
      await expect(find(keys, 'second')).rejects.toThrow(errors.JWKSNoMatchingKey);
    }
    expect(server.asked).toBe(4);
  });

  it.each([
    ['does not answer', { fails: true }],
    ['answers no JSON', { body: 'keys' }],
    ['answers no JWK Set', { body: '{"keys":"none"}' }],
  ])('are unavailable when their server %s at first use, and asked for again', async (_what, state) => {
    const { server, keys } = serverOfKeys();
    Object.assign(server, state);
    const failure: unknown = await find(keys, 'first').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Problem);
    expect(failure).toMatchObject({ slug: 'unavailable', headers: { 'Retry-After': '5' } });
    Object.assign(server, { fails: false, body: undefined, keys: [first] });
    await find(keys, 'first');
  });
});
