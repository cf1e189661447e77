import { Settings } from '@app/config';
import { type BareLink, shownLink, RateLimiter, formPagePolicy, HttpReply, pagePolicy } from '@app/http';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { perTenant } from '@app/primitives/context';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { html } from './html';
import { IssuerAppearance, fileVersionOf } from './issuer-appearance';
import { type Frame, renderPage, type ShownPage } from './layout';
import { browserScript, leaveScript, liveScript } from './scripts';
import { type PageState, StateStreams } from './state-streams';
import type { Texts } from './texts';
import { type Visit, visitOf } from './visit';

/** The state of a page whose link leads nowhere, whether it ever did or not. */
const invalid: PageState = { state: 'invalid', isFinal: true, streams: [] };

/**
 * What an address leads to. A person sees no difference between an address that leads nowhere and one that has expired; only
 * the former counts as an attempt to guess one.
 */
export type FoundPage<T> = T | 'expired' | undefined;

function isShown<T>(found: FoundPage<T>): found is T {
  return found !== undefined && found !== 'expired';
}

type Notice = keyof Texts['notices'];

/** Where the pages of an issuer find their files. */
interface Own {
  readonly base: string;
  readonly files: Omit<Frame['files'], 'logo'>;
}

function ownIn(applicationUrl: string, appearance: IssuerAppearance): Own {
  const base = new URL(applicationUrl).pathname.replace(/\/+$/, '');
  const files = {
    style: `${base}/pages/style.css?v=${fileVersionOf(appearance.style)}`,
    script: `${base}/pages/live.js?v=${fileVersionOf(liveScript)}`,
    browserScript: `${base}/pages/browser.js?v=${fileVersionOf(browserScript)}`,
    leaveScript: `${base}/pages/leave.js?v=${fileVersionOf(leaveScript)}`,
  };
  return { base, files };
}

/**
 * Answers with pages for people, their pictures and their live states. They are found by a random handle; a client that opens
 * many addresses that lead nowhere has to wait.
 */
@Injectable()
export class Pages {
  private readonly own: Own;

  constructor(
    settings: Settings,
    private readonly appearance: IssuerAppearance,
    private readonly limiter: RateLimiter,
    private readonly streams: StateStreams,
  ) {
    const own = (): Own => ownIn(settings.applicationUrl, appearance);
    this.own = perTenant(own(), own);
  }

  page(request: IncomingMessage, find: (visit: Visit) => Awaitable<FoundPage<ShownPage>>): Awaitable<HttpReply> {
    const visit = this.visitOf(request);
    return whenThere(
      this.limited(visit, () => find(visit)),
      (found) => {
        if (found instanceof HttpReply) return found;
        return isShown(found) ? this.rendered(found, visit) : this.notice(visit, 'invalid', 404);
      },
    );
  }

  /** @param find the link that the picture shows, in the chosen form */
  async picture(
    request: IncomingMessage,
    as: BareLink,
    find: (visit: Visit) => Promise<FoundPage<string>>,
  ): Promise<HttpReply> {
    const visit = this.visitOf(request);
    const link = await this.limited(visit, () => find(visit));
    if (link instanceof HttpReply) return link;
    if (!isShown(link)) return new HttpReply(404, undefined, { 'Cache-Control': 'no-store' });
    const { status, body, headers } = await shownLink(link, as);
    // Portals show the picture in pages of their own.
    const shared = { 'Cross-Origin-Resource-Policy': 'cross-origin', 'Cache-Control': 'no-store' };
    return new HttpReply(status, body, { ...headers, ...shared });
  }

  /** @param look the present state */
  async events(request: IncomingMessage, look: () => Promise<FoundPage<PageState>>): Promise<HttpReply> {
    const visit = this.visitOf(request);
    const first = await this.limited(visit, look);
    if (first instanceof HttpReply) return first;
    const stream = this.streams.openFor(visit.client, async () => {
      const present = await look();
      return isShown(present) ? present : invalid;
    });
    if (!stream) return new HttpReply(503, undefined, { 'Retry-After': '30' });
    return new HttpReply(200, stream, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Proxies that buffer answers would keep events back (nginx).
      'X-Accel-Buffering': 'no',
    });
  }

  /** A page about a failure. */
  failure(request: IncomingMessage, status: number, headers: Readonly<Record<string, string>> = {}): HttpReply {
    return this.notice(this.visitOf(request), status === 404 ? 'invalid' : 'unavailable', status, headers);
  }

  private visitOf(request: IncomingMessage): Visit {
    return visitOf(request, this.own.base, (language) => this.appearance.helpIn(language));
  }

  private limited<T>(visit: Visit, find: () => Awaitable<FoundPage<T>>): Awaitable<FoundPage<T> | HttpReply> {
    const seconds = this.limiter.secondsToWait('unknown-page', visit.client);
    if (seconds !== undefined) return this.notice(visit, 'tooMany', 429, { 'Retry-After': String(seconds) });
    return whenThere(find(), (found) =>
      found === undefined ? this.limiter.count('unknown-page', visit.client).then(() => found) : found,
    );
  }

  private notice(
    visit: Visit,
    notice: Notice,
    status: number,
    headers: Readonly<Record<string, string>> = {},
  ): HttpReply {
    const text = visit.texts.notices[notice];
    return this.rendered({ state: notice, text, content: html``, isLive: false, status }, visit, headers);
  }

  private rendered(shown: ShownPage, visit: Visit, headers: Readonly<Record<string, string>> = {}): HttpReply {
    const { logoPath } = this.appearance;
    const page = renderPage(shown, {
      ...visit,
      files: { ...this.own.files, logo: logoPath && this.own.base + logoPath },
      colours: `${this.own.base}/pages/colours/`,
    });
    return new HttpReply(shown.status ?? 200, page, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': visit.language,
      'Content-Security-Policy': policyOf(shown),
      'Cache-Control': 'no-store',
      Vary: 'Accept-Language',
      ...shown.headers,
      ...headers,
    });
  }
}

/** Own files only, and pictures that a template holds itself. */
const style = "style-src 'self'";
const pictures = "img-src 'self' data:";
const withScripts = [style, "script-src 'self'", pictures, "connect-src 'self'"];
const policyOfForms = formPagePolicy(style, pictures);
const policyOfFormsWithScripts = formPagePolicy(...withScripts);
const policy = pagePolicy(...withScripts);

function policyOf({ hasForm, asksBrowser, leaves }: ShownPage): string {
  if (!hasForm) return policy;
  return asksBrowser || leaves ? policyOfFormsWithScripts : policyOfForms;
}
