import { Settings } from '@app/config';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { RequestSecrets } from './request-secrets';
import type { RequestTerms } from './request-terms';

/** Seconds; each visit of a page begins them anew. */
const lifetime = 24 * 60 * 60;

/**
 * Recognises the browser that had the page of a request open, by a cookie with a random value. There is one for all requests,
 * since a page can be left for another; of each request the wallets and the store see a value of its own.
 */
@Injectable()
export class BrowserSessions {
  private readonly name: string;
  private readonly attributes: string;

  constructor(
    settings: Settings,
    private readonly secrets: RequestSecrets,
  ) {
    const isSecure = settings.applicationUrl.startsWith('https:');
    // With this prefix no other host of the domain can set it (RFC 6265bis §4.1.3.2).
    this.name = isSecure ? '__Host-browser' : 'browser';
    // Lax: links from portals come with it, so that the page does not take the browser for a new one; their forms do not.
    const rules = ['Path=/', `Max-Age=${lifetime}`, 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])];
    this.attributes = rules.join('; ');
  }

  /** The browser's secret; `undefined` where it has none of ours. */
  secretOf({ headers }: IncomingMessage): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(`${this.name}=`))?.slice(this.name.length + 1);
    return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
  }

  /** The session of a request in the browser that opens its page, with the header that makes the browser keep its secret. */
  begin(
    incoming: IncomingMessage,
    asked: RequestTerms,
  ): { readonly session: string; readonly headers: Readonly<Record<string, string>> } {
    const secret = this.secretOf(incoming) ?? this.secrets.newBrowserSecret();
    const headers = { 'Set-Cookie': `${this.name}=${secret}; ${this.attributes}` };
    return { session: this.secrets.sessionOf(asked, secret), headers };
  }
}
