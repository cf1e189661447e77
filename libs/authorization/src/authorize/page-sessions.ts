import { Settings } from '@app/config';
import { Authenticator, hashOfSecret, SealedTokens } from '@app/keys';
import { OwnCookies } from '@app/http';
import { Injectable } from '@nestjs/common';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AnsweredAuthorization, OpenAuthorization } from '../authorization-requests';
import { AuthorizationSecrets } from '../authorization-secrets';

const purpose = 'authorization-session';
/** Bytes. */
const length = 32;

/** A browser that has opened the page of an authorization in time. */
export interface PageSession {
  /** What is kept of it. */
  readonly name: string;
  /** Comes back with every form of the page. */
  readonly formToken: string;
  /** Makes a browser that is new here keep it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Binds an authorization to the browser that opened its page. The cookie proves that by itself, so nothing is stored of it. */
@Injectable()
export class PageSessions {
  private readonly cookies: OwnCookies;

  constructor(
    settings: Settings,
    private readonly tokens: SealedTokens,
    private readonly authenticator: Authenticator,
    private readonly secrets: AuthorizationSecrets,
  ) {
    this.cookies = new OwnCookies(settings.applicationUrl);
  }

  /** The session of this browser; a new one when the page may still be opened for the first time. */
  open(request: IncomingMessage, authorization: OpenAuthorization): PageSession | undefined {
    const present = this.find(request, authorization);
    return present || authorization.now >= authorization.openableUntil ? present : this.renewed(authorization);
  }

  /** Another session of a browser that has one: what was found out in that is known in this one no more. */
  renewed(authorization: OpenAuthorization): PageSession {
    const expiresAt = new Date(authorization.completableUntil);
    const value = this.tokens.issue(purpose, randomBytes(length), expiresAt, this.boundTo(authorization));
    const age = Math.ceil((expiresAt.getTime() - authorization.now.getTime()) / 1000);
    const headers = this.cookies.keeping(this.cookieOf(authorization), value, age);
    return { ...this.sessionOf(value, authorization), headers };
  }

  /** The session of a browser that has opened the page before. */
  find(request: IncomingMessage, authorization: OpenAuthorization | AnsweredAuthorization): PageSession | undefined {
    const value = this.cookies.find(request, this.cookieOf(authorization));
    if (value === undefined) return undefined;
    const read = this.tokens.read(purpose, value, length, authorization.now, this.boundTo(authorization));
    return typeof read === 'string' ? undefined : this.sessionOf(value, authorization);
  }

  private sessionOf(value: string, { handleSalt }: { readonly handleSalt: string }): PageSession {
    const formToken = this.authenticator.macOfSalt('authorization-form', handleSalt, value).toString('base64url');
    return { name: hashOfSecret(value).toString('base64url'), formToken, headers: {} };
  }

  /** One for each authorization, so that a person can have the pages of two open. */
  private cookieOf(authorization: { readonly handleSalt: string }): string {
    return `authorization-${this.boundTo(authorization).slice(0, 8)}`;
  }

  private boundTo(authorization: { readonly handleSalt: string }): string {
    return this.secrets.handles.hashOf(authorization).toString('hex');
  }
}

/** Whether a form came from the page of this session. */
export function isFormOf({ formToken }: PageSession, given: string | null): boolean {
  const wanted = Buffer.from(formToken);
  const sent = Buffer.from(given ?? '');
  return sent.length === wanted.length && timingSafeEqual(sent, wanted);
}
