import type { Pages } from '@app/pages';
import type { RateLimiter } from '@app/rate-limits';
import { HttpReply } from '@app/web';
import type { AuthorizationPage } from '../authorize/identification-method';
import type { IdentificationStates } from './identification-states';
import { OpenIdLogin } from './openid-login';
import type { OpenIdProvider } from './openid-provider';

const cookie = { 'Set-Cookie': 'authorization=value' };
const page = { request: { ip: '203.0.113.1' }, authorization: {}, session: { headers: cookie } };

function login(secondsToWait: number | undefined) {
  const authorizationUrl = jest.fn().mockResolvedValue(new URL('https://login.example/authorize'));
  const count = jest.fn().mockResolvedValue(undefined);
  const limiter = { secondsToWait: () => secondsToWait, count } as unknown as RateLimiter;
  const pages = {
    failure: (_request: unknown, status: number, headers: Record<string, string>) =>
      new HttpReply(status, undefined, headers),
  };
  const states = { issue: () => 'state', bindingOf: () => ({}) } as unknown as IdentificationStates;
  const provider = { authorizationUrl } as unknown as OpenIdProvider;
  const method = new OpenIdLogin(provider, states, limiter, pages as unknown as Pages);
  return { authorizationUrl, count, begun: method.begin(page as unknown as AuthorizationPage) };
}

it('a login is counted by the address of the browser', async () => {
  const { count, begun } = login(undefined);
  await expect(begun).resolves.toMatchObject({ status: 303 });
  expect(count.mock.calls).toEqual([['login', '203.0.113.1']]);
});

it('too many logins ask nothing of the provider; the page can be opened again when the time is over', async () => {
  const { authorizationUrl, begun } = login(17);
  await expect(begun).resolves.toMatchObject({ status: 429, headers: { ...cookie, 'Retry-After': '17' } });
  expect(authorizationUrl).not.toHaveBeenCalled();
});
