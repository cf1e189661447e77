import type { Settings } from '@app/config';
import type { IncomingMessage } from 'node:http';
import { BrowserSessions } from './browser-sessions';
import type { RequestSecrets } from '../request/request-secrets';
import type { RequestTerms } from '../request/request-terms';

const secret = 's'.repeat(43);
const secrets = {
  newBrowserSecret: () => secret,
  sessionOf: (asked: RequestTerms, browser: string) => `${asked.handleSalt}/${browser}`,
} as RequestSecrets;
const asked = { handleSalt: 'salt' } as RequestTerms;

function sessionsAt(applicationUrl: string): BrowserSessions {
  return new BrowserSessions({ applicationUrl } as Settings, secrets);
}

const coming = (cookie?: string) => ({ headers: { cookie } }) as IncomingMessage;

describe('the session of a browser', () => {
  const secure = sessionsAt('https://verifier.example/wallets');

  it('is kept by a cookie that no script, no form elsewhere and no other host of the domain can use', () => {
    const rules = 'Path=/; Max-Age=86400; HttpOnly; SameSite=Lax';
    expect(secure.begin(coming(), asked)).toEqual({
      session: `salt/${secret}`,
      headers: { 'Set-Cookie': `__Host-browser=${secret}; ${rules}; Secure` },
    });
    const local = sessionsAt('http://localhost:3033').begin(coming(), asked);
    expect(local.headers).toEqual({ 'Set-Cookie': `browser=${secret}; ${rules}` });
  });

  it('goes on with the secret that the browser has', () => {
    const own = 'o'.repeat(43);
    const { session, headers } = secure.begin(coming(`a=b; __Host-browser=${own};c=d`), asked);
    expect([session, headers['Set-Cookie']]).toEqual([`salt/${own}`, expect.stringContaining(`=${own};`)]);
  });

  it.each([
    ['no cookie', undefined],
    ['the cookie of another name', `browser=${secret}`],
    ['a name that ends alike', `x__Host-browser=${secret}`],
    ['a value of another length', `__Host-browser=${secret}s`],
    ['a value with other characters', `__Host-browser=${'%'.repeat(43)}`],
  ])('is not in %s', (_what, cookie) => {
    expect(secure.secretOf(coming(cookie))).toBeUndefined();
  });
});
