import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Chromium as Debian, Ubuntu and Fedora install it; Google Chrome does as well. */
const usualPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const chromiumPath = [process.env['SERVICE_TEST_CHROMIUM'] ?? usualPlaces].flat().find((path) => existsSync(path));

// It runs pages of a service on loopback and has nothing to tell or to fetch from anybody else.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Facts that need a browser: one process for all of them, started before the first and ended after the last.
 * @param facts gets the browser when a fact asks for it
 */
export function describeInBrowser(name: string, facts: (browser: () => Browser) => void): void {
  const missing = 'skipped: there is no Chromium; install it or name it in SERVICE_TEST_CHROMIUM';
  if (chromiumPath === undefined) {
    describe.skip(`${name} (${missing})`, () => {
      facts(() => {
        throw new Error(missing);
      });
    });
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: chromiumPath, args: flags });
    });
    afterAll(() => browser?.close());
    facts(() => {
      if (!browser) throw new Error('the browser starts before the first fact');
      return browser;
    });
  });
}
