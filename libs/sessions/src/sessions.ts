import type { SessionDirectory } from '@app/access';
import { LoginFailure } from '@app/authorization';
import { EventStore } from '@app/event-store';
import { currentPrincipal, currentRequest, freshFor, OwnCookies, type Principal, type Scope } from '@app/http';
import { hashOfSecret, Sealer } from '@app/keys';
import { Metrics } from '@app/observability';
import { apart, currentMark, currentTenant, ofTenant } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';
import { Injectable, Logger } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { ConsoleAddress } from './console-address';
import { ConsoleProvider, type SignedIn } from './console-provider';
import { faultOfOrigin } from './request-origin';
import { rightsOf } from './roles';
import {
  sessionEnd,
  idleFor,
  longestSession,
  longestWithoutRefresh,
  rolesBelievedFor,
  type SealedSession,
  type StoredSession,
} from './session';
import { SessionRecords } from './session-records';

type Asking = Pick<IncomingMessage, 'headers' | 'method'>;

/** As of API keys: what was read is believed for so long, so that a call costs no question to the database. */
const believedMs = 5_000;
const mostBelieved = 1_000;
const touchedEveryMs = 60_000;

const cookie = 'console';
const cookieForm = /^[\w-]{43}$/;

interface Believed {
  readonly session: Promise<StoredSession | undefined>;
  readonly until: number;
  readonly readAt: number;
}

/** A session with what only its browser can open. */
export interface OpenSession {
  readonly session: StoredSession;
  readonly sealed: SealedSession;
  /** By the database's clock, now. */
  readonly now: Date;
}

/** The sessions of the console: begun, known by their cookie, ended. What a browser keeps is a random number, and no token of the provider. */
@Injectable()
export class Sessions implements SessionDirectory {
  private readonly logger = new Logger('Console');
  private readonly believed = new Map<string, Believed>();
  private readonly touched = new Map<string, number>();
  /** Nothing brings a session back that has ended; a row that says so was put back. */
  private readonly ended = new Set<string>();
  private readonly reading = new Map<string, Promise<StoredSession | undefined>>();
  private readonly open = new WeakMap<Principal, OpenSession>();

  constructor(
    private readonly records: SessionRecords,
    private readonly provider: ConsoleProvider,
    private readonly address: ConsoleAddress,
    private readonly sealer: Sealer,
    private readonly store: EventStore,
    private readonly metrics: Metrics,
  ) {}

  hasSession(request: Asking): boolean {
    return this.valueIn(request) !== undefined;
  }

  async callerOf(request: Asking): Promise<Principal> {
    const value = this.valueIn(request) ?? '';
    const found = await this.find(value);
    if (found === undefined) throw this.refusal('session-ended');
    const fault = faultOfOrigin(request, this.address.origin);
    if (fault !== undefined) {
      this.note(fault.reason);
      throw new Problem('forbidden', fault.detail);
    }
    if (request.headers['x-console'] === '1') this.touch(found.session);
    return this.principalOf(found);
  }

  /** By the roles that the provider gave them last. */
  async allows(subject: string, scope: Scope, templateId: string): Promise<boolean | undefined> {
    const session = await this.records.latest(subject);
    if (session === undefined) return undefined;
    const { scopes, templates } = rightsOf(session.isProven ? session.roles : [], currentTenant() !== undefined);
    return scopes.has(scope) && templates.get(scope)?.has(templateId) !== false;
  }

  /** The session of the present caller. */
  current(): OpenSession | undefined {
    const principal = currentPrincipal();
    return principal && this.open.get(principal);
  }

  /** Whose browser it is, where that has a session which is accepted. */
  async knownBy(request: Asking): Promise<OpenSession | undefined> {
    const value = this.valueIn(request);
    return value === undefined ? undefined : this.find(value);
  }

  /** @returns the header that makes the browser keep it */
  async begin(person: SignedIn): Promise<Readonly<Record<string, string>>> {
    const value = randomBytes(32).toString('base64url');
    const id = randomBytes(12).toString('base64url');
    const seconds = person.refreshToken === undefined ? longestWithoutRefresh : longestSession;
    await this.records.insert({
      hash: hashOfSecret(value),
      id,
      subject: person.subject,
      sidHash: person.sid === undefined ? null : hashOfSecret(person.sid),
      roles: person.roles,
      authenticatedAt: person.authenticatedAt,
      seconds,
      sealed: this.seal(value, id, person),
    });
    await this.record('sessions.begin', person.subject, id);
    return this.cookies.keeping(cookie, value, seconds);
  }

  /** @returns the header that makes the browser forget it */
  forgotten(): Readonly<Record<string, string>> {
    return this.cookies.keeping(cookie, '', 0);
  }

  /** The session with this hash, where it is accepted. */
  async byHash(hash: Buffer): Promise<StoredSession | undefined> {
    const session = await this.records.find(hash);
    return session && sessionEnd(session, session.now) === undefined ? session : undefined;
  }

  async end(session: StoredSession): Promise<void> {
    this.ended.add(session.id);
    this.forget(session.hash);
    // First the record, by which a row that is put back is known.
    await this.record('sessions.end', session.subject, session.id);
    await this.records.end(session);
  }

  /** Of somebody who may not go on. What they have asked others to approve is not done either. */
  async shutOut(session: StoredSession): Promise<void> {
    const without = { roles: [], sealed: session.sealed };
    await this.records.renew(session, without);
    await this.end({ ...session, ...without });
  }

  /** @param only which of them; all when absent */
  async endAllOf(subject: string, only: (session: StoredSession) => boolean = () => true): Promise<number> {
    const sessions = (await this.records.ofSubject(subject)).filter(only);
    for (const session of sessions) await this.end(session);
    return sessions.length;
  }

  /** Those of a person at the issuer at hand. */
  endAllHere(subject: string): Promise<number> {
    const here = currentMark();
    return this.endAllOf(subject, ({ tenant }) => tenant === here);
  }

  /** Those that began with one session at the provider. */
  async endAllAt(sidHash: Buffer): Promise<void> {
    for (const session of await this.records.ofProviderSession(sidHash)) await this.end(session);
  }

  /** Those that are accepted now, of the issuer at hand. */
  async list(): Promise<readonly StoredSession[]> {
    return (await this.records.list()).filter((session) => sessionEnd(session, session.now) === undefined);
  }

  /** Makes the session go on, and reads when it ends. */
  async extend({ session }: OpenSession): Promise<StoredSession | undefined> {
    await this.records.touch(session.hash);
    this.forget(session.hash);
    return this.byHash(session.hash);
  }

  private get cookies(): OwnCookies {
    return new OwnCookies(this.address.base, 'Strict');
  }

  private valueIn(request: Asking): string | undefined {
    if (request.headers.cookie === undefined) return undefined;
    const value = this.cookies.find(request, cookie);
    return value !== undefined && cookieForm.test(value) ? value : undefined;
  }

  private async find(value: string): Promise<OpenSession | undefined> {
    const hash = hashOfSecret(value);
    const { session: read, readAt } = this.read(hash);
    const session = await read;
    if (session === undefined || this.ended.has(session.id)) return undefined;
    const now = new Date(session.now.getTime() + performance.now() - readAt);
    const end = sessionEnd(session, now);
    if (end === 'altered') {
      this.metrics.rowAltered('console_sessions');
      this.logger.error({ event: 'console.session-altered', session: session.id });
    }
    const sealed = end === undefined ? this.unseal(value, session) : undefined;
    if (sealed === undefined) return undefined;
    const isDue = now.getTime() - session.rolesReadAt.getTime() >= rolesBelievedFor;
    if (!isDue || sealed.refreshToken === undefined) return { session, sealed, now };
    const renewed = await this.readRoles(value, session, sealed.refreshToken);
    return renewed && { session: renewed, sealed, now };
  }

  private read(hash: Buffer): Believed {
    const key = ofTenant(hash.toString('base64'));
    const known = this.believed.get(key);
    if (known && known.until > performance.now()) return known;
    const readAt = performance.now();
    const asked = this.records.find(hash);
    const session = apart(() => asked.then((found) => found));
    // Cookies that were made up must not push the real ones out for long.
    if (this.believed.size >= mostBelieved) this.believed.clear();
    const believed = { session, readAt, until: readAt + believedMs };
    this.believed.set(key, believed);
    session.catch(() => this.believed.delete(key));
    return believed;
  }

  private forget(hash: Buffer): void {
    this.believed.delete(ofTenant(hash.toString('base64')));
  }

  /** What the provider says of the person now; while it is away, what it said before. `undefined` when it lets them go on no more. */
  private readRoles(value: string, session: StoredSession, refreshToken: string): Promise<StoredSession | undefined> {
    const running = this.reading.get(session.id);
    if (running) return running;
    const reading = this.readRolesOnce(value, session, refreshToken).finally(() => this.reading.delete(session.id));
    this.reading.set(session.id, reading);
    return reading;
  }

  private async readRolesOnce(
    value: string,
    session: StoredSession,
    refreshToken: string,
  ): Promise<StoredSession | undefined> {
    if (!(await this.records.claimRoles(session.hash))) {
      this.forget(session.hash);
      return session;
    }
    try {
      const person = await this.provider.again(refreshToken, session.subject);
      if (!this.mayEnter(person)) throw new LoginFailure('login-not-accepted');
      const sealed = this.seal(value, session.id, { ...person, refreshToken: person.refreshToken ?? refreshToken });
      await this.records.renew(session, { roles: person.roles, sealed });
      this.forget(session.hash);
      return await this.byHash(session.hash);
    } catch (error) {
      if (!(error instanceof LoginFailure)) throw error;
      this.logger.warn({ event: 'console.roles-not-read', reason: error.fault, session: session.id, ...error.detail });
      this.forget(session.hash);
      if (error.fault !== 'login-code-refused' && error.fault !== 'login-not-accepted') return session;
      await this.shutOut(session);
      return undefined;
    }
  }

  /** Whether a person may enter the console of the issuer at hand. */
  mayEnter({ tenants }: Pick<SignedIn, 'tenants'>): boolean {
    const here = currentTenant()?.id;
    return tenants === undefined ? here === undefined : tenants.includes(here ?? '-');
  }

  private principalOf(found: OpenSession): Principal {
    const { session, sealed, now } = found;
    const age = session.authenticatedAt ? now.getTime() - session.authenticatedAt.getTime() : Infinity;
    const rights = rightsOf(session.roles, currentTenant() !== undefined);
    const principal: Principal = {
      id: session.subject,
      client: session.subject,
      scopes: rights.scopes,
      ...(rights.templates.size > 0 && { templates: rights.templates }),
      // A clock that went back makes nothing fresh.
      person: { name: sealed.name, isFresh: age < freshFor * 1000 && age > -60_000 },
    };
    this.open.set(principal, found);
    return principal;
  }

  private touch({ hash, id }: StoredSession): void {
    const now = performance.now();
    if (now - (this.touched.get(id) ?? -touchedEveryMs) < touchedEveryMs) return;
    if (this.touched.size >= mostBelieved) this.touched.clear();
    this.touched.set(id, now);
    // Not awaited: a call does not fail because its time could not be recorded.
    this.records.touch(hash).catch(() => this.touched.delete(id));
  }

  private seal(value: string, id: string, { name, refreshToken }: Pick<SignedIn, 'name' | 'refreshToken'>): string {
    const content: SealedSession = { name, ...(refreshToken !== undefined && { refreshToken }) };
    return this.sealer.seal(keyOf(value), JSON.stringify(content), `console-session/${id}`);
  }

  private unseal(value: string, { sealed, id }: StoredSession): SealedSession {
    return JSON.parse(
      this.sealer.open(keyOf(value), sealed, `console-session/${id}`).toString('utf8'),
    ) as SealedSession;
  }

  private async record(action: string, subject: string, object: string): Promise<void> {
    const { requestId = null } = currentRequest() ?? {};
    const principal = currentPrincipal();
    const { id, client } = principal ?? { id: subject, client: subject };
    await this.store.audit({ principal: id, client, action, object, outcome: 'ok', requestId });
  }

  private refusal(reason: string): Problem {
    this.note(reason);
    return new Problem('unauthorized', 'The session of the console has ended: sign in again.', [], {
      'WWW-Authenticate': 'Bearer realm="management API", error="invalid_token"',
      ...this.forgotten(),
    });
  }

  private note(reason: string): void {
    this.metrics.accessRefused(reason);
    const { requestId } = currentRequest() ?? {};
    this.logger.warn({ event: 'access.refused', reason, requestId });
  }
}

/** When a session ends by itself, by the database's clock. */
export function endsAt({ seenAt, endsAt: last }: StoredSession): Date {
  return new Date(Math.min(seenAt.getTime() + idleFor, last.getTime()));
}

/** 256 bits that follow from what the browser keeps, and from nothing that is stored. */
function keyOf(value: string): Buffer {
  return createHmac('sha256', value).update('console-session-key').digest();
}
