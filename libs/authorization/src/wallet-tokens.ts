import { longestDeferralDays, Settings } from '@app/config';
import type { GrantName } from '@app/offers';
import { hashOfSecret, SealedTokens } from '@app/keys';
import { parseAccessToken } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { SingleUse } from '@app/event-store';

const hashLength = 32;
const nonceLength = 32;
/** The place of a credential in its grant. */
const placeLength = 2;
/** Bytes of a time in seconds. */
const timeLength = 6;
/** Bytes with a bit for each place that a token covers. */
const coverageLength = 32;
/** Configurations of an authorization, so that a token can cover any part of them. */
export const mostConfigurations = 8 * coverageLength;
const epoch = new Date(0);

/** Seconds. OpenID4VCI 1.0 §13: a bearer token that lives longer must be sender-constrained. */
const accessTokenLifetime = 300;
/** Seconds. Data that comes in the last moment reaches a wallet that asks again a day later. */
const day = 24 * 60 * 60;
/** Milliseconds. */
const longestDeferral = (longestDeferralDays + 1) * day * 1000;
/** Seconds. */
export const nonceLifetime = 300;
/** Seconds; a notification needs the access token as well. */
const notificationLifetime = day;

export interface AccessToken {
  readonly grant: GrantName;
  /** Of the `client_id` it was given to; absent when the token request was anonymous. */
  readonly clientHash?: Buffer;
  /** Of the key it is bound to (RFC 7638, SHA-256); absent for a bearer token. */
  readonly thumbprint?: Buffer;
  /** Places of the configurations in the grant that it is for; absent: all of them. */
  readonly covers?: readonly number[];
  readonly expiresAt: Date;
  /** The proof of that key, used up with what is recorded of the request. */
  readonly uses?: readonly SingleUse[];
  /** Of a token for a deferred offer. Until then the portal may submit the data that its bearer waits for. */
  readonly submittableUntil: Date;
}

/**
 * The values a wallet carries between its requests. All are authenticated and hold their own expiry, so that any
 * replica reads them without asking; what was used is recorded in the event store. They name a pre-authorized code grant
 * by its bare hash.
 */
@Injectable()
export class WalletTokens {
  constructor(
    private readonly tokens: SealedTokens,
    private readonly settings: Settings,
  ) {}

  /** Seconds. A bearer who may have to wait for data needs the token until it is there: a pre-authorized code gives no refresh token. */
  lifetimeOfAccess(isDeferred: boolean): number {
    return isDeferred ? (this.settings.issuance.deferralDays + 1) * day : accessTokenLifetime;
  }

  issueAccessToken(grant: GrantName, now: Date, bearer: BearerOfToken, isDeferred: boolean): string {
    const purpose = isDeferred ? 'deferred-access-token' : purposeOf[grant.kind];
    return this.tokens.issue(purpose, bodyOfToken(grant, bearer), after(now, this.lifetimeOfAccess(isDeferred)));
  }

  /** `undefined` for what is no access token of ours. Expiry is left to the caller, who knows the clock of the database. */
  readAccessToken(token: string): AccessToken | undefined {
    for (const { purpose, kind, longest } of accessTokens) {
      for (const length of tokenLengths) {
        const read = this.tokens.read(purpose, token, length, epoch, undefined, longest);
        if (typeof read === 'string') continue;
        const { body, expiresAt } = read;
        return { ...accessTokenFor({ kind, hash: body.subarray(0, hashLength) }, expiresAt), ...bearerIn(body) };
      }
    }
    return undefined;
  }

  /** When a token of an authorization code or a refresh token was given out. */
  issuedAt({ expiresAt }: AccessToken): Date {
    return after(expiresAt, -accessTokenLifetime);
  }

  /** A nonce for anyone, or bound to the grant of an access token when the wallet has one. */
  issueNonce(now: Date, grant?: GrantName): string {
    const boundTo = grant?.hash.toString('hex');
    return this.tokens.issue('c_nonce', randomBytes(nonceLength), after(now, nonceLifetime), boundTo);
  }

  /** The record that uses a nonce up; `undefined` when it is not ours, expired, or bound to another grant. */
  readNonce(nonce: string, grant: GrantName, now: Date): SingleUse | undefined {
    const free = this.tokens.read('c_nonce', nonce, nonceLength, now);
    const read =
      typeof free === 'string'
        ? this.tokens.read('c_nonce', nonce, nonceLength, now, grant.hash.toString('hex'))
        : free;
    if (typeof read === 'string') return undefined;
    return { kind: 'c_nonce', hash: hashOfSecret(nonce), expiresAt: read.expiresAt };
  }

  issueNotificationId({ index, issue }: NotifiedIssue, grant: GrantName, now: Date): string {
    const body = issue === 0 ? bodyOf(index) : Buffer.concat([bodyOf(index), bodyOf(issue)]);
    return this.tokens.issue('notification', body, after(now, notificationLifetime), grant.hash.toString('hex'));
  }

  /** `undefined` for an id of another grant, or that was not issued here. */
  readNotificationId(id: string, grant: GrantName, now: Date): NotifiedIssue | undefined {
    for (const length of [placeLength, 2 * placeLength]) {
      const read = this.tokens.read('notification', id, length, now, grant.hash.toString('hex'));
      if (typeof read === 'string') continue;
      const { body } = read;
      return { index: body.readUInt16BE(), issue: length === placeLength ? 0 : body.readUInt16BE(placeLength) };
    }
    return undefined;
  }

  /** Valid as long as the token. */
  issueTransactionId(
    { index, refreshedAt }: PlaceInGrant,
    { grant, expiresAt }: Pick<AccessToken, 'grant' | 'expiresAt'>,
  ): string {
    const body = refreshedAt ? Buffer.concat([bodyOf(index), bodyOfTime(refreshedAt)]) : bodyOf(index);
    return this.tokens.issue('transaction', body, expiresAt, grant.hash.toString('hex'));
  }

  /** By which a wallet of draft 11 asks for one credential. @param index place of the credential in the grant */
  issueAcceptanceToken(index: number, { grant, expiresAt }: Pick<AccessToken, 'grant' | 'expiresAt'>): string {
    return this.tokens.issue('acceptance-token', Buffer.concat([grant.hash, bodyOf(index)]), expiresAt);
  }

  /** The acceptance token in an `Authorization` header, if it is one; its expiry is left to the caller. Throws `OAuthError`. */
  acceptance(authorization: string | undefined): { readonly token: AccessToken; readonly index: number } | undefined {
    const { scheme, token: text } = parseAccessToken(authorization);
    // Draft 11, which has them, knows no other scheme.
    if (scheme === 'DPoP') return undefined;
    const read = this.tokens.read(
      'acceptance-token',
      text,
      hashLength + placeLength,
      epoch,
      undefined,
      longestDeferral,
    );
    if (typeof read === 'string') return undefined;
    const { body, expiresAt } = read;
    const grant = { kind: 'pre-authorized_code', hash: body.subarray(0, hashLength) } as const;
    return { token: accessTokenFor(grant, expiresAt), index: body.readUInt16BE(hashLength) };
  }

  /** `undefined` for an id of another grant, or that was not issued here. Expiry is left to the caller. */
  readTransactionId(
    id: string,
    { grant }: Pick<AccessToken, 'grant'>,
  ): (PlaceInGrant & { readonly expiresAt: Date }) | undefined {
    for (const length of [placeLength, placeLength + timeLength]) {
      const read = this.tokens.read('transaction', id, length, epoch, grant.hash.toString('hex'), longestDeferral);
      if (typeof read === 'string') continue;
      const time = read.body.subarray(placeLength);
      const refreshedAt = time.length > 0 && { refreshedAt: after(epoch, time.readUIntBE(0, timeLength)) };
      return { index: read.body.readUInt16BE(), ...refreshedAt, expiresAt: read.expiresAt };
    }
    return undefined;
  }
}

/** What a wallet gives notice of. */
export interface NotifiedIssue {
  /** Place of the credential in its grant. */
  readonly index: number;
  /** Number of its issue to different keys, from 0 on. */
  readonly issue: number;
}

/** Which credential of a grant is meant. */
export interface PlaceInGrant {
  readonly index: number;
  /** When the token was refreshed that gave it; absent for what the first token gave. */
  readonly refreshedAt?: Date;
}

/** To whom an access token is given. */
export interface BearerOfToken {
  /** Absent: to anyone. */
  readonly clientId?: string | undefined;
  /** RFC 7638 thumbprint, base64url, of the key that it is bound to. */
  readonly thumbprint?: string | undefined;
  /** Places of the configurations in the grant that it is for; absent: all of them. */
  readonly covers?: readonly number[] | undefined;
}

const purposeOf = { 'pre-authorized_code': 'access-token', authorization_code: 'code-access-token' } as const;

/** Those for deferred offers have a purpose of their own, because of their lifetime. */
const accessTokens = [
  { purpose: 'access-token', kind: 'pre-authorized_code', longest: undefined },
  { purpose: 'deferred-access-token', kind: 'pre-authorized_code', longest: longestDeferral },
  { purpose: 'code-access-token', kind: 'authorization_code', longest: undefined },
] as const;

/** Stands for the client, or the key, that a token is not bound to. */
const nobody = Buffer.alloc(hashLength);

const tokenLengths = [hashLength, 2 * hashLength, 3 * hashLength, 3 * hashLength + coverageLength];

/** The hash of the grant, then of the client, the thumbprint and the places; a release that does not know a part refuses that length. */
function bodyOfToken({ hash }: GrantName, { clientId, thumbprint, covers }: BearerOfToken): Buffer {
  const client = clientId === undefined ? undefined : hashOfSecret(clientId);
  const key = thumbprint === undefined ? undefined : Buffer.from(thumbprint, 'base64url');
  if (covers) return Buffer.concat([hash, client ?? nobody, key ?? nobody, coverageOf(covers)]);
  if (key) return Buffer.concat([hash, client ?? nobody, key]);
  return client ? Buffer.concat([hash, client]) : hash;
}

function bearerIn(body: Buffer): Pick<AccessToken, 'clientHash' | 'thumbprint' | 'covers'> {
  const [clientHash, thumbprint] = [1, 2].map((part) => body.subarray(part * hashLength, (part + 1) * hashLength));
  const coverage = body.subarray(3 * hashLength);
  return {
    ...(isSomebody(clientHash) && { clientHash }),
    ...(isSomebody(thumbprint) && { thumbprint }),
    ...(coverage.length > 0 && { covers: placesIn(coverage) }),
  };
}

function isSomebody(part: Buffer | undefined): part is Buffer {
  return part !== undefined && part.length > 0 && !part.equals(nobody);
}

function coverageOf(places: readonly number[]): Buffer {
  const coverage = Buffer.alloc(coverageLength);
  for (const place of places) coverage[place >> 3] = (coverage[place >> 3] ?? 0) | (1 << (place & 7));
  return coverage;
}

function placesIn(coverage: Buffer): readonly number[] {
  const places = Array.from({ length: mostConfigurations }, (_, place) => place);
  return places.filter((place) => ((coverage[place >> 3] ?? 0) & (1 << (place & 7))) !== 0);
}

function bodyOf(index: number): Buffer {
  const body = Buffer.alloc(placeLength);
  body.writeUInt16BE(index);
  return body;
}

function bodyOfTime(time: Date): Buffer {
  const body = Buffer.alloc(timeLength);
  body.writeUIntBE(Math.floor(time.getTime() / 1000), 0, timeLength);
  return body;
}

function accessTokenFor(grant: GrantName, expiresAt: Date): AccessToken {
  return { grant, expiresAt, submittableUntil: new Date(expiresAt.getTime() - day * 1000) };
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
