import { hasAtMost, hiddenFault, meant } from '@app/primitives/json';
import { hashOfSecret } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { apart, ofTenant } from '@app/primitives/context';
import { type Scope, scopes as allScopes } from '@app/http';
import { Injectable } from '@nestjs/common';
import { timingSafeEqual } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { ApiKey, StoredApiKey } from './api-key';
import { ApiKeyRecords, keyPlaceOf } from './api-key-records';
import { apiKeyIdOf, newApiKey } from './api-key-text';
import { clientFault, clientFrom } from './client';

/** A requested key. */
export interface ApiKeyRequest {
  /** For people: what the key is for, 1 to 100 characters that can be seen. */
  readonly name: string;
  /**
   * The portal it belongs to: 1 to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`, or a client that has a key already. Derived from
   * the name when absent.
   */
  readonly client?: string | undefined;
  /** One or more. */
  readonly scopes: readonly Scope[];
  /** In the future; never when absent. */
  readonly expiresAt?: Date | undefined;
}

/** A new key with its text, which is shown this once and cannot be had again. */
export interface CreatedApiKey extends ApiKey {
  readonly text: string;
}

export type ApiKeyRefusal = 'key-malformed' | 'key-unknown' | 'key-altered' | 'key-expired' | 'key-revoked';

/** `keyId` is absent when the text names none. */
export type ApiKeyVerdict =
  | { readonly accepted: true; readonly keyId: string; readonly client: string; readonly scopes: readonly Scope[] }
  | { readonly accepted: false; readonly reason: ApiKeyRefusal; readonly keyId?: string };

/** A request for a key that cannot be made; the message says why, in one sentence. */
export class ApiKeyRequestError extends Error {
  override readonly name = 'ApiKeyRequestError';
}

/**
 * How long what was read of a key is believed, so that a management call costs no question to the database. A revoked
 * or expired key is therefore refused after five seconds at the latest, on the replica that revoked it at once.
 */
const believedMs = 5_000;
const mostBelieved = 10_000;
/** A key that was used so lately is read again with the others, so that callers who take turns find it read. */
const keptUpFor = 30_000;
const touchedEveryMs = 60_000;

interface Believed {
  stored: Awaitable<StoredApiKey | undefined>;
  until: number;
  usedAt: number;
}

interface Known extends Believed {
  readonly stored: StoredApiKey;
}

/** The API keys in the database: made, listed, revoked and checked. Any number may live at once, so that a caller can change over. */
@Injectable()
export class ApiKeys {
  private readonly believed = new Map<string, Believed>();
  private readonly touched = new Map<string, number>();
  /** Keys never come back from a revocation; a row that says so was put back. */
  private readonly revoked = new Set<string>();

  constructor(private readonly records: ApiKeyRecords) {}

  /** Makes a key. Rejects with {@link ApiKeyRequestError} when the request is wrong. */
  async create({ name, client, scopes, expiresAt }: ApiKeyRequest): Promise<CreatedApiKey> {
    const label = name.trim();
    if (label.length < 1 || !hasAtMost(label, 100))
      throw new ApiKeyRequestError('Give the key a name of 1 to 100 characters.');
    if (/\p{Cc}/u.test(label) || hiddenFault(label) !== undefined)
      throw new ApiKeyRequestError('Give the key a name without control characters and others that nobody sees.');
    const unknown = scopes.filter((scope) => !allScopes.includes(scope));
    if (scopes.length === 0 || unknown.length > 0) {
      const question = meant(unknown[0], allScopes) || '.';
      throw new ApiKeyRequestError(`Give the key one or more of the scopes ${allScopes.join(', ')}${question}`);
    }
    if (expiresAt && !(expiresAt.getTime() > Date.now())) {
      throw new ApiKeyRequestError('Choose an expiry in the future.');
    }
    const owner = client ?? clientFrom(label);
    const fault = clientFault(owner);
    if (fault !== undefined) throw new ApiKeyRequestError(fault);
    const { id, text } = newApiKey();
    const made = await this.records.insert({
      id,
      name: label,
      client: owner,
      hash: hashOfSecret(text),
      scopes: allScopes.filter((scope) => scopes.includes(scope)),
      expiresAt: expiresAt ?? null,
    });
    if (!made) throw new Error('The database did not return the key it stored.');
    return { ...made, text };
  }

  /** Every key there ever was, the oldest first; never a text. */
  list(): Promise<ApiKey[]> {
    return this.records.list();
  }

  /** Revokes a key permanently; a second time changes nothing. Undefined when there is no such key. */
  async revoke(id: string): Promise<ApiKey | undefined> {
    const revoked = await this.records.revoke(id);
    this.believed.delete(ofTenant(id));
    if (revoked) this.remember(revoked);
    return revoked;
  }

  /** Revokes every key of the issuer at hand. */
  async revokeAll(): Promise<void> {
    for (const { id, revokedAt } of await this.list()) if (!revokedAt) await this.revoke(id);
  }

  /** Judges the text of a key and notes its use. Rejects when the database is away. */
  verify(text: string): Awaitable<ApiKeyVerdict> {
    const keyId = apiKeyIdOf(text);
    if (keyId === undefined) return { accepted: false, reason: 'key-malformed' };
    return whenThere(this.read(keyId), (stored) => this.verdictOn(text, keyId, stored));
  }

  private verdictOn(text: string, keyId: string, stored: StoredApiKey | undefined): ApiKeyVerdict {
    if (!stored) return { accepted: false, reason: 'key-unknown', keyId };
    this.remember(stored);
    const isPutBack = !stored.revokedAt && this.revoked.has(keyId);
    if (!stored.isProven || isPutBack) return { accepted: false, reason: 'key-altered', keyId };
    // Who knows an id but not the key learns nothing of its state.
    if (!timingSafeEqual(stored.hash, hashOfSecret(text))) {
      return { accepted: false, reason: 'key-unknown', keyId };
    }
    if (stored.revokedAt) return { accepted: false, reason: 'key-revoked', keyId };
    if (stored.isExpired) return { accepted: false, reason: 'key-expired', keyId };
    this.touch(keyId);
    return { accepted: true, keyId, client: stored.client, scopes: stored.scopes };
  }

  /** Whether a key would be accepted now, and has this scope. */
  async allows(id: string, scope: Scope): Promise<boolean> {
    const stored = await this.records.find(id);
    return (
      stored !== undefined && stored.isProven && !stored.revokedAt && !stored.isExpired && stored.scopes.includes(scope)
    );
  }

  /** Whether any key would be accepted now. */
  async hasLive(): Promise<boolean> {
    return (await this.list()).some(({ isProven, revokedAt, isExpired }) => isProven && !revokedAt && !isExpired);
  }

  private remember({ id, isProven, revokedAt }: ApiKey): void {
    if (isProven && revokedAt) this.revoked.add(id);
  }

  private read(id: string): Awaitable<StoredApiKey | undefined> {
    const key = ofTenant(id);
    const before = this.believed.get(key);
    const now = performance.now();
    if (before && isThere(before)) {
      before.usedAt = now;
      if (before.until <= now) this.readAgain(now);
    }
    const known = this.believed.get(key);
    if (known && known.until > now) return known.stored;
    const asked = this.records.find(id);
    const stored = apart(() => asked.then((found) => found));
    // Ids that were made up must not push the real ones out for long.
    if (this.believed.size >= mostBelieved) this.believed.clear();
    const believed: Believed = { stored, until: now + believedMs, usedAt: now };
    this.believed.set(key, believed);
    this.settle(key, believed, stored);
    return stored;
  }

  /** Reads at once all keys that are believed no more, or not for long. */
  private readAgain(now: number): void {
    const due = [...this.believed].flatMap(([key, one]) => {
      const isDue = isThere(one) && one.until < now + believedMs / 2 && now - one.usedAt < keptUpFor;
      return isDue ? [{ key, one, known: one.stored }] : [];
    });
    const read = apart(() => this.records.findAgain(due.map(({ known }) => known)));
    for (const { key, one, known } of due) {
      const stored = read.then((found) => found.get(keyPlaceOf(known)));
      const believed: Believed = { ...one, stored, until: now + believedMs };
      this.believed.set(key, believed);
      this.settle(key, believed, stored);
    }
  }

  /** A failure, and a key that is not there yet, are asked for again. */
  private settle(key: string, believed: Believed, stored: Promise<StoredApiKey | undefined>): void {
    const drop = (): void => {
      if (this.believed.get(key) === believed) this.believed.delete(key);
    };
    void stored.then((found) => {
      if (found) believed.stored = found;
      else drop();
    }, drop);
  }

  private touch(id: string): void {
    const now = performance.now();
    if (now - (this.touched.get(id) ?? -touchedEveryMs) < touchedEveryMs) return;
    this.touched.set(id, now);
    // Not awaited: a call does not fail because its time could not be recorded.
    this.records.touch(id).catch(() => this.touched.delete(id));
  }
}

function isThere(believed: Believed): believed is Known {
  return !(believed.stored instanceof Promise) && believed.stored !== undefined;
}
