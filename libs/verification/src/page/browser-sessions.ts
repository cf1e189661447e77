import { Settings } from '@app/config';
import { refuseNewer, shapeVersions, withoutVersion } from '@app/event-store';
import { OwnCookies } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { RequestSecrets } from '../request/request-secrets';
import type { RequestTerms } from '../request/request-terms';

/** Seconds; each visit of a page begins them anew. */
const lifetime = 24 * 60 * 60;
const cookie = 'browser';

/**
 * Recognises the browser that had the page of a request open, by a cookie with a random value. There is one for all requests,
 * since a page can be left for another; of each request the wallets and the store see a value of its own.
 */
@Injectable()
export class BrowserSessions {
  private readonly cookies: OwnCookies;

  constructor(
    settings: Settings,
    private readonly secrets: RequestSecrets,
  ) {
    this.cookies = new OwnCookies(settings.applicationUrl);
  }

  /** The browser's secret; `undefined` where it has none of ours. Throws `NewerVersionError`. */
  secretOf(request: IncomingMessage): string | undefined {
    const value = this.cookies.find(request, cookie) ?? '';
    refuseNewer(cookie, value, shapeVersions.browser);
    return /^[\w-]{43}$/.test(withoutVersion(value)) ? value : undefined;
  }

  /** The session of a request in the browser that opens its page, with the header that makes the browser keep its secret. */
  begin(
    incoming: IncomingMessage,
    asked: RequestTerms,
  ): { readonly session: string; readonly headers: Readonly<Record<string, string>> } {
    const secret = this.secretOf(incoming) ?? this.secrets.newBrowserSecret();
    return { session: this.secrets.sessionOf(asked, secret), headers: this.cookies.keeping(cookie, secret, lifetime) };
  }
}
