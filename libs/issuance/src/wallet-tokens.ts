import type { GrantName } from '@app/grants';
import { hashOfSecret, SealedTokens } from '@app/keys';
import { OAuthError, parseBearerToken } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { SingleUse } from '@app/event-store';

const hashLength = 32;
const nonceLength = 32;
const notificationLength = 2;
const epoch = new Date(0);

/** Seconds. OpenID4VCI 1.0 §13: a bearer token that lives longer must be sender-constrained. */
export const accessTokenLifetime = 300;
/** Seconds. */
export const nonceLifetime = 300;
/** Seconds; longer than any access token, which a notification needs as well. */
const notificationLifetime = 24 * 60 * 60;

export interface AccessToken {
  readonly grant: GrantName;
  /** Of the `client_id` it was given to; absent when the token request was anonymous. */
  readonly clientHash?: Buffer;
  readonly expiresAt: Date;
}

/**
 * The values a wallet carries between its requests. All are authenticated and hold their own expiry, so that any
 * replica reads them without asking; what was used is recorded in the event store. They name a pre-authorized code grant
 * by its bare hash, as those of earlier releases do.
 */
@Injectable()
export class WalletTokens {
  constructor(private readonly tokens: SealedTokens) {}

  /** @param clientId given to this client, or to anyone */
  issueAccessToken(grant: GrantName, now: Date, clientId: string | undefined): string {
    const body = clientId === undefined ? grant.hash : Buffer.concat([grant.hash, hashOfSecret(clientId)]);
    return this.tokens.issue('access-token', body, after(now, accessTokenLifetime));
  }

  /** The token in an `Authorization` header; its expiry is left to the caller. Throws `OAuthError`. */
  bearer(authorization: string | undefined): AccessToken {
    const token = this.readAccessToken(parseBearerToken(authorization));
    if (!token) throw new OAuthError('invalid_token', 'The access token was not issued here.');
    return token;
  }

  /** Expiry is left to the caller, who knows the clock of the database. */
  private readAccessToken(token: string): AccessToken | undefined {
    const anonymous = this.tokens.read('access-token', token, hashLength, epoch);
    if (typeof anonymous !== 'string') return { grant: nameIn(anonymous.body), expiresAt: anonymous.expiresAt };
    const read = this.tokens.read('access-token', token, 2 * hashLength, epoch);
    if (typeof read === 'string') return undefined;
    const { body, expiresAt } = read;
    return { grant: nameIn(body.subarray(0, hashLength)), clientHash: body.subarray(hashLength), expiresAt };
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

  /** @param index place of the credential in its grant */
  issueNotificationId(index: number, grant: GrantName, now: Date): string {
    const body = Buffer.alloc(notificationLength);
    body.writeUInt16BE(index);
    return this.tokens.issue('notification', body, after(now, notificationLifetime), grant.hash.toString('hex'));
  }

  /** The place of the credential in the grant; `undefined` for an id of another grant, or that was not issued here. */
  readNotificationId(id: string, grant: GrantName, now: Date): number | undefined {
    const read = this.tokens.read('notification', id, notificationLength, now, grant.hash.toString('hex'));
    return typeof read === 'string' ? undefined : read.body.readUInt16BE();
  }
}

function nameIn(hash: Buffer): GrantName {
  return { kind: 'pre-authorized_code', hash };
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
