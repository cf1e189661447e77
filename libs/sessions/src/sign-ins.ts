import { type LoginBinding, LoginFailure } from '@app/authorization';
import { AlreadyConsumedError, EventStore } from '@app/event-store';
import { freshFor, OwnCookies } from '@app/http';
import { Authenticator, hashOfSecret } from '@app/keys';
import { Injectable, Logger } from '@nestjs/common';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ConsoleAddress } from './console-address';
import { ConsoleProvider, isUsable, type SignedIn } from './console-provider';
import type { StoredSession } from './session';
import { Sessions } from './sessions';

/** Why somebody did not get in, as the page is told. */
export type SignInFault = 'not-started' | 'cancelled' | 'failed' | 'unavailable' | 'not-here' | 'other-person';

/** Milliseconds in which one signs in at the provider. */
const patience = 10 * 60_000;
const cookie = 'console-login';
/** Whether it is a step-up, when it ends, chance, and the hash of the session that it comes after. */
const form = /^(login|again)\.(\d{13})\.([\w-]{43})(?:\.([\w-]{43}))?$/;

type Asking = Pick<IncomingMessage, 'headers' | 'method'>;
type Headers = Readonly<Record<string, string>>;

export class SignInRefused extends Error {
  constructor(readonly fault: SignInFault) {
    super(`Nobody was signed in: ${fault}.`);
  }
}

/** One browser goes to the provider and comes back. Nothing is stored of it but that it came back. */
@Injectable()
export class SignIns {
  private readonly logger = new Logger('Console');

  constructor(
    private readonly provider: ConsoleProvider,
    private readonly sessions: Sessions,
    private readonly address: ConsoleAddress,
    private readonly authenticator: Authenticator,
    private readonly store: EventStore,
  ) {}

  /** @param isAgain whether the person of a session is to prove who they are. Throws `SignInRefused`. */
  async begin(request: Asking, isAgain: boolean): Promise<{ readonly location: string; readonly headers: Headers }> {
    const before = await this.sessions.knownBy(request);
    if (isAgain && !before) throw new SignInRefused('not-started');
    const ends = this.store.clock().getTime() + patience;
    const parts = [isAgain ? 'again' : 'login', String(ends), randomBytes(32).toString('base64url')];
    const flow = [...parts, ...(before ? [before.session.hash.toString('base64url')] : [])].join('.');
    try {
      const { href } = await this.provider.address(this.bindingOf(flow), this.callback, isAgain ? freshFor : undefined);
      return { location: href, headers: this.cookies.keeping(cookie, flow, patience / 1000) };
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  /** @param query of the address that the browser came back to. Throws `SignInRefused`. */
  async comeBack(request: Asking, query: string): Promise<{ readonly isAgain: boolean; readonly headers: Headers }> {
    const flow = this.cookies.find(request, cookie) ?? '';
    const [, kind, ends, , hash] = form.exec(flow) ?? [];
    const binding = this.bindingOf(flow);
    const now = this.store.clock();
    const isOurs = isSame(new URLSearchParams(query).get('state') ?? '', binding.state);
    if (kind === undefined || !isOurs || Number(ends) <= now.getTime()) throw new SignInRefused('not-started');
    await this.useUp(flow, new Date(Number(ends)));
    const isAgain = kind === 'again';
    const person = await this.personAt(`${this.callback}?${query}`, binding, isAgain);
    const before = hash === undefined ? undefined : await this.sessions.byHash(Buffer.from(hash, 'base64url'));
    if (isAgain) this.assertSame(before, person);
    if (!this.sessions.mayEnter(person)) {
      if (isAgain && before) await this.sessions.shutOut(before);
      throw this.noted('not-here');
    }
    // Another session each time: what somebody knew of the one before is worth nothing.
    const headers = await this.sessions.begin(person);
    if (before) await this.sessions.end(before);
    return { isAgain, headers };
  }

  private assertSame(before: StoredSession | undefined, { subject }: SignedIn): void {
    if (!before) throw new SignInRefused('not-started');
    if (before.subject !== subject) throw this.noted('other-person');
  }

  private async personAt(address: string, binding: LoginBinding, isAgain: boolean): Promise<SignedIn> {
    try {
      const person = await this.provider.comeBack(new URL(address), binding, isAgain ? freshFor : undefined);
      if (!isUsable(person.subject)) throw new LoginFailure('login-not-accepted');
      return person;
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  /** The provider takes its code once, and so does this. */
  private async useUp(flow: string, expiresAt: Date): Promise<void> {
    try {
      await this.store.consume({ kind: 'console-login', hash: hashOfSecret(flow), expiresAt });
    } catch (error) {
      if (error instanceof AlreadyConsumedError) throw this.noted('not-started');
      throw error;
    }
  }

  private refusalOf(error: unknown): unknown {
    if (!(error instanceof LoginFailure)) return error;
    const { fault, detail } = error;
    if (fault === 'login-cancelled') return new SignInRefused('cancelled');
    this.logger.warn({ event: 'console.sign-in-failed', reason: fault, ...detail }, 'Nobody could sign in');
    return new SignInRefused(fault === 'login-unavailable' ? 'unavailable' : 'failed');
  }

  private noted(fault: SignInFault): SignInRefused {
    this.logger.warn({ event: 'console.sign-in-refused', reason: fault }, 'A sign-in was refused');
    return new SignInRefused(fault);
  }

  /** All that the provider sends back or is sent follows from what the browser keeps, and a key. */
  private bindingOf(flow: string): LoginBinding {
    const of = (what: string) => this.authenticator.mac(`console-login-${what}`, flow).toString('base64url');
    return { state: of('state'), nonce: of('nonce'), verifier: of('verifier') };
  }

  private get callback(): string {
    return `${this.address.base}/console/sign-in/callback`;
  }

  private get cookies(): OwnCookies {
    return new OwnCookies(this.address.base);
  }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
