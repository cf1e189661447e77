import type { Pages } from '@app/pages';
import { type RateLimiter, HttpReply } from '@app/http';
import type { OpenIdLogin } from '../identification/openid-login';
import type { PresentationInPage } from '../identification/presentation-in-page';
import type { DevelopmentLogin } from './development-login';
import type { AuthorizationPage } from './identification-method';
import { IdentificationMethods } from './identification-methods';

const cookie = { 'Set-Cookie': 'authorization=value' };
const page = { request: { ip: '203.0.113.1' }, session: { headers: cookie } } as unknown as AuthorizationPage;

function begun(method: 'openid' | 'presentation', secondsToWait?: number) {
  const begin = jest.fn().mockResolvedValue(new HttpReply(200, undefined));
  const one = { begin };
  const count = jest.fn().mockResolvedValue(undefined);
  const limiter = { secondsToWait: () => secondsToWait, count } as unknown as RateLimiter;
  const pages = {
    failure: (_request: unknown, status: number, headers: Record<string, string>) =>
      new HttpReply(status, undefined, headers),
  };
  const methods = new IdentificationMethods(
    one as unknown as DevelopmentLogin,
    one as unknown as OpenIdLogin,
    one as unknown as PresentationInPage,
    limiter,
    pages as unknown as Pages,
  );
  return { begin, count, reply: methods.begin({ method }, page) };
}

describe.each(['openid', 'presentation'] as const)('an identification by %s', (method) => {
  it('is counted by the address of the browser', async () => {
    const { count, reply } = begun(method);
    expect((await reply).status).toBe(200);
    expect(count.mock.calls).toEqual([['login', '203.0.113.1']]);
  });

  it('does not begin too often; the page can be opened again when the time is over', async () => {
    const { begin, reply } = begun(method, 17);
    expect(await reply).toMatchObject({ status: 429, headers: { ...cookie, 'Retry-After': '17' } });
    expect(begin).not.toHaveBeenCalled();
  });
});
