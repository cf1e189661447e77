import { Settings } from '@app/config';
import { Authenticator, hashOfSecret, SealedTokens } from '@app/keys';
import { Injectable } from '@nestjs/common';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { OpenAuthorization } from '../authorization-requests';
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
  private readonly prefix: string;
  private readonly attributes: string;

  constructor(
    settings: Settings,
    private readonly tokens: SealedTokens,
    private readonly authenticator: Authenticator,
    private readonly secrets: AuthorizationSecrets,
  ) {
    const isSecure = settings.applicationUrl.startsWith('https:');
    // With this prefix no other host of the domain can set it (RFC 6265bis §4.1.3.2).
    this.prefix = isSecure ? '__Host-authorization' : 'authorization';
    // Lax: the person comes back from elsewhere with it; forms of other sites come without.
    this.attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ');
  }

  /** The session of this browser; a new one when the page may still be opened for the first time. */
  open(request: IncomingMessage, authorization: OpenAuthorization): PageSession | undefined {
    const present = this.find(request, authorization);
    if (present || authorization.now >= authorization.openableUntil) return present;
    const expiresAt = new Date(authorization.completableUntil);
    const value = this.tokens.issue(purpose, randomBytes(length), expiresAt, this.boundTo(authorization));
    const age = Math.ceil((expiresAt.getTime() - authorization.now.getTime()) / 1000);
    const cookie = `${this.cookieOf(authorization)}=${value}; Max-Age=${age}; ${this.attributes}`;
    return { ...this.sessionOf(value, authorization), headers: { 'Set-Cookie': cookie } };
  }

  /** The session of a browser that has opened the page before. */
  find({ headers }: IncomingMessage, authorization: OpenAuthorization): PageSession | undefined {
    const name = this.cookieOf(authorization);
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    if (value === undefined) return undefined;
    const read = this.tokens.read(purpose, value, length, authorization.now, this.boundTo(authorization));
    return typeof read === 'string' ? undefined : this.sessionOf(value, authorization);
  }

  private sessionOf(value: string, { handleSalt }: OpenAuthorization): PageSession {
    const formToken = this.authenticator.macOfSalt('authorization-form', handleSalt, value).toString('base64url');
    return { name: hashOfSecret(value).toString('base64url'), formToken, headers: {} };
  }

  /** One for each authorization, so that a person can have the pages of two open. */
  private cookieOf(authorization: OpenAuthorization): string {
    return `${this.prefix}-${this.boundTo(authorization).slice(0, 8)}`;
  }

  private boundTo(authorization: OpenAuthorization): string {
    return this.secrets.handles.hashOf(authorization).toString('hex');
  }
}

/** Whether a form came from the page of this session. */
export function isFormOf({ formToken }: PageSession, given: string | null): boolean {
  const wanted = Buffer.from(formToken);
  const sent = Buffer.from(given ?? '');
  return sent.length === wanted.length && timingSafeEqual(sent, wanted);
}
