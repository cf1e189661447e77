import { signingKey } from '@app/primitives/fixtures/signing-key';
import { walletUrls } from '@app/openid4vc';
import type { OutboundClient } from '@app/outbound';
import { ClientAssertions } from './client-assertions';
import type { RegisteredClients } from './registered-clients';

const jwksUri = 'https://wallet.example/jwks.json';
const now = new Date('2026-03-01T12:00:00Z');
const urls = walletUrls('https://issuer.example');
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const forged = `${encoded({ alg: 'ES256' })}.${encoded({ iss: 'wallet', sub: 'wallet' })}.${'A'.repeat(86)}`;

function assertionsWith(get: () => Promise<unknown>): { assertions: ClientAssertions; asked: jest.Mock } {
  const asked = jest.fn(get);
  const client = { clientId: 'wallet', method: 'private_key_jwt', keys: jwksUri };
  const clients = { find: () => client } as unknown as RegisteredClients;
  const outbound = { get: asked } as unknown as OutboundClient;
  return { assertions: new ClientAssertions(clients, outbound, urls), asked };
}

describe('the keys of a client at a URL', () => {
  it('are asked for once, and once for newer ones, by assertions that come at once', async () => {
    const { jwk } = signingKey('ES256');
    const keys = { status: 200, body: Buffer.from(JSON.stringify({ keys: [jwk] })) };
    const { assertions, asked } = assertionsWith(() => Promise.resolve(keys));
    const attempts = Array.from({ length: 20 }, () => assertions.verify(forged, 'wallet', now));
    for (const { status } of await Promise.allSettled(attempts)) expect(status).toBe('rejected');
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('are not asked for again soon after their server failed', async () => {
    const { assertions, asked } = assertionsWith(() => Promise.resolve({ status: 500, body: Buffer.alloc(0) }));
    const attempt = (seconds: number) => assertions.verify(forged, 'wallet', new Date(now.getTime() + seconds * 1000));
    await expect(attempt(0)).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    await expect(attempt(4)).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    expect(asked).toHaveBeenCalledTimes(1);
    await expect(attempt(6)).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('are asked for again when a signature is by none of them, and kept while their server fails', async () => {
    const [first, second] = [signingKey('ES256'), signingKey('ES256')];
    const served = { status: 200, key: first.jwk };
    const { assertions } = assertionsWith(() =>
      Promise.resolve({ status: served.status, body: Buffer.from(JSON.stringify({ keys: [served.key] })) }),
    );
    const verified = (key: typeof first, seconds: number) => {
      const at = new Date(now.getTime() + seconds * 1000);
      const claims = {
        iss: 'wallet',
        sub: 'wallet',
        aud: urls.issuer,
        jti: `${seconds}`,
        exp: at.getTime() / 1000 + 60,
      };
      return assertions.verify(key.sign({}, claims), 'wallet', at);
    };
    await verified(first, 0);
    served.key = second.jwk;
    await verified(second, 1);
    served.key = first.jwk;
    await expect(verified(first, 5)).rejects.toMatchObject({ code: 'invalid_client' });
    await verified(first, 6);
    served.status = 500;
    await verified(first, 3600);
  });
});
