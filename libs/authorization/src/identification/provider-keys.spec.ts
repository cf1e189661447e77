import { OutboundError } from '@app/outbound';
import { Logger } from '@nestjs/common';
import { ProviderKeys } from './provider-keys';

/** A provider as its keys are fetched, a clock, and how often it was asked. */
function provider() {
  const server = { text: '{"keys":[{"kid":"1"}]}', fails: false, asked: 0, now: 0 };
  const get = (url: string) => {
    server.asked++;
    if (server.fails) return Promise.reject(new OutboundError('timeout', 'late'));
    return Promise.resolve({ status: 200, contentType: 'application/json', url, body: Buffer.from(server.text) });
  };
  return { server, keys: new ProviderKeys('https://login.example/keys', { get }, () => server.now) };
}

describe('the keys of the OpenID provider', () => {
  beforeAll(() => jest.spyOn(Logger.prototype, 'warn').mockImplementation());
  afterAll(() => {
    jest.restoreAllMocks();
  });

  it('are fetched at once for an unknown one, and a flood of these costs a request in five seconds', async () => {
    const { server, keys } = provider();
    await keys.current();
    server.text = '{"keys":[{"kid":"2"}]}';
    for (let login = 0; login < 20; login++) expect(await keys.newer()).toEqual({ keys: [{ kid: '2' }] });
    expect(server.asked).toBe(2);
    server.now = 5_000;
    await Promise.all(Array.from({ length: 20 }, () => keys.newer()));
    expect(server.asked).toBe(3);
  });

  it('that are new cannot be had while they fail, and those before are kept', async () => {
    const { server, keys } = provider();
    await keys.current();
    server.fails = true;
    await expect(keys.newer()).rejects.toMatchObject({ reason: 'timeout' });
    await expect(keys.newer()).rejects.toMatchObject({ reason: 'timeout' });
    expect(server.asked).toBe(2);
    server.now = 60 * 60_000;
    expect(await keys.current()).toEqual({ keys: [{ kid: '1' }] });
  });

  it.each(['keys', '{"keys":"none"}', '{"keys":["none"]}', '[]'])('are none where %s is served', async (text) => {
    const { server, keys } = provider();
    server.text = text;
    await expect(keys.current()).rejects.toMatchObject({ reason: 'malformed-body' });
    server.text = '{"keys":[]}';
    expect(await keys.current()).toEqual({ keys: [] });
  });
});
