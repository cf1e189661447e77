import { WALLET_URLS } from '@app/identity';
import type { WalletUrls } from '@app/openid4vc';
import { Pages } from '@app/pages';
import type { HttpReply } from '@app/http';
import type { Awaitable } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { AuthorizationRequests, type OpenAuthorization } from '../authorization-requests';
import { endedPage, otherBrowserPage, unpushedPage } from './authorize-page';
import { type Mismatch, mismatchIn } from '../identification/identification-failure';
import { type AuthorizationPage, type Prompt, promptIn } from './identification-method';
import type { PageSession } from './page-sessions';
import { seeOther } from './see-other';
import { UnpushedRequests } from './unpushed-requests';

/** The pages of authorizations, by their addresses. */
@Injectable()
export class AuthorizationPages {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly pages: Pages,
    private readonly unpushed: UnpushedRequests,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /** @param about what the form or the way back says; the address, when absent */
  of(
    request: IncomingMessage,
    authorization: OpenAuthorization,
    session: PageSession,
    about: { readonly again: Prompt | undefined; readonly mismatch?: Mismatch | undefined } = aboutIn(queryOf(request)),
  ): AuthorizationPage {
    const { again, mismatch } = about;
    const named = { client_id: authorization.clientId, request_uri: this.requests.uriOf(authorization) };
    const { pathname } = new URL(this.urls.authorize);
    const chosen = queryOf(request).get('language');
    const language = new URLSearchParams(chosen === null ? {} : { language: chosen }).toString();
    const kept = again === undefined ? {} : { again };
    return {
      request,
      authorization,
      session,
      language: chosen,
      again,
      mismatch,
      address: addressOf(pathname, new URLSearchParams({ ...named, ...kept }).toString(), language),
      form: (action) => ({
        action: addressOf(`${pathname}/${action}`, language),
        hidden: { ...named, ...kept, ...(mismatch && { mismatch }), form_token: session.formToken },
      }),
    };
  }

  /** What the authorization endpoint answers to an address that leads to no request. */
  unknown(request: IncomingMessage): Awaitable<HttpReply> {
    const query = queryOf(request);
    const back = this.unpushed.wayBack(query);
    if (back !== undefined) return seeOther(back);
    const isUnpushed = query.has('client_id') && !query.has('request_uri');
    return isUnpushed ? this.pages.page(request, unpushedPage) : this.ended(request);
  }

  /** Whether the request never was, has expired or was answered. */
  ended(request: IncomingMessage): Awaitable<HttpReply> {
    return this.pages.page(request, endedPage);
  }

  ofOtherBrowser(request: IncomingMessage): Awaitable<HttpReply> {
    return this.pages.page(request, otherBrowserPage);
  }
}

/** What a page keeps in its address and its forms. */
export function aboutIn(parameters: URLSearchParams) {
  return { again: promptIn(parameters.get('again')), mismatch: mismatchIn(parameters.get('mismatch')) };
}

export function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams(rawQueryOf(request));
}

/** As it was sent, without the question mark. */
export function rawQueryOf({ url = '' }: IncomingMessage): string {
  return url.split('?').slice(1).join('?');
}

function addressOf(path: string, ...queries: readonly string[]): string {
  const query = queries.filter((part) => part !== '').join('&');
  return query === '' ? path : `${path}?${query}`;
}
