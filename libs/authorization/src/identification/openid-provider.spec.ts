import { Settings } from '@app/config';
import { walletUrls } from '@app/openid4vc';
import { type OutboundClient, OutboundError, type OutboundErrorReason } from '@app/outbound';
import { Logger } from '@nestjs/common';
import type { LoginKeys } from './login-keys';
import { OpenIdProvider } from './openid-provider';

const binding = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) };

async function provider(exchange: OutboundClient['exchange']): Promise<OpenIdProvider> {
  const openid = { issuer: 'https://login.example', clientId: 'c', clientSecret: '', scope: 'openid' };
  const settings = { identification: { openid: { ...openid, acrValues: [], maxAge: 0 } } } as unknown as Settings;
  const urls = walletUrls('https://issuer.example');
  const keys = {} as LoginKeys;
  return new OpenIdProvider(settings, { exchange } as OutboundClient, urls, await import('openid-client'), keys);
}

describe('the OpenID provider', () => {
  beforeAll(() => jest.spyOn(Logger.prototype, 'warn').mockImplementation());
  afterAll(() => {
    jest.restoreAllMocks();
  });

  it.each<OutboundErrorReason>(['timeout', 'connection-failed', 'busy', 'unexpected-status'])(
    'is unavailable when a request to it ends in %s, and asked again by the next login',
    async (reason) => {
      const exchange = jest.fn().mockRejectedValue(new OutboundError(reason, 'failed'));
      const unreachable = await provider(exchange);
      const unavailable = { refusal: { reason: 'login-unavailable' }, error: 'temporarily_unavailable' };
      await expect(unreachable.authorizationUrl(binding)).rejects.toMatchObject(unavailable);
      await expect(unreachable.authorizationUrl(binding)).rejects.toMatchObject(unavailable);
      await expect(unreachable.check()).rejects.toMatchObject(unavailable);
      expect(exchange).toHaveBeenCalledTimes(3);
    },
  );
});
