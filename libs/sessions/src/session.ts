import type { HeldRole } from './roles';

/** Milliseconds for which a session goes on without anything that its person does. */
export const idleFor = 30 * 60_000;
/** Seconds after which a session ends in any case. */
export const longestSession = 10 * 60 * 60;
/** Where the provider gives no refresh token, nothing tells that a role was taken away: seconds after which one signs in again. */
export const longestWithoutRefresh = 60 * 60;
/** Milliseconds for which roles are believed. */
export const rolesBelievedFor = 15 * 60_000;

/** What a session keeps that its browser alone can open. */
export interface SealedSession {
  /** As the provider calls the person. */
  readonly name: string;
  readonly idToken?: string;
  readonly refreshToken?: string;
}

export interface NewSession {
  readonly hash: Buffer;
  readonly id: string;
  /** `oauth:<issuer>|<sub>`, as of an access token of the same person. */
  readonly subject: string;
  readonly sidHash: Buffer | null;
  readonly roles: readonly HeldRole[];
  /** Seconds since 1970 by the provider; null where it does not say. */
  readonly authenticatedAt: Date | null;
  /** From now on. */
  readonly seconds: number;
  readonly sealed: string;
}

/** A session that was read. */
export interface StoredSession extends Omit<NewSession, 'seconds'> {
  readonly tenant: string;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly endedAt: Date | null;
  readonly seenAt: Date;
  readonly rolesReadAt: Date;
  /** By the database's clock. */
  readonly now: Date;
  /** False when the row was changed, or added, from outside the service. */
  readonly isProven: boolean;
}

/** How much one clock may be behind itself before a session is not believed. */
const mostBehind = 60_000;

/** Why a session is not accepted any more; undefined while it is. @param now by the database's clock */
export function sessionEnd(session: StoredSession, now: Date): 'altered' | 'ended' | 'idle' | 'over' | undefined {
  if (!session.isProven) return 'altered';
  if (session.endedAt !== null) return 'ended';
  const at = now.getTime();
  // The clock went back: how old the session is cannot be told.
  if (session.createdAt.getTime() > at + mostBehind || session.seenAt.getTime() > at + mostBehind) return 'over';
  if (session.endsAt.getTime() <= at) return 'over';
  return session.seenAt.getTime() + idleFor <= at ? 'idle' : undefined;
}

/** All of a session that decides whose it is and what it opens; not when it was used last. */
export function sessionContent(session: Omit<StoredSession, 'isProven' | 'now' | 'seenAt' | 'rolesReadAt'>): Buffer {
  const { hash, id, tenant, subject, sidHash, roles, authenticatedAt, createdAt, endsAt, endedAt, sealed } = session;
  return Buffer.from(
    JSON.stringify([
      ...[hash.toString('hex'), id, tenant, subject, sidHash?.toString('hex') ?? null, roles],
      ...[authenticatedAt, createdAt, endsAt, endedAt, sealed],
    ]),
  );
}
