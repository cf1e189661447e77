import { decodeBase64Url } from '@app/jose';
import { timingSafeEqual } from 'node:crypto';
import type { Authenticator } from './authenticator';

const EXPIRY = 6;
// The whole of HMAC-SHA-256: conformance tools measure the entropy of what wallets see by its characters.
const MAC = 32;

/** Milliseconds; no token lives longer, unless its reader names another limit. */
const LONGEST_LIFETIME = 24 * 60 * 60 * 1000;

export type ReadToken = { readonly body: Buffer; readonly expiresAt: Date } | 'malformed' | 'forged' | 'expired';

/**
 * Values that prove by themselves that this service made them and until when they are valid: base64url of body, expiry
 * (6 bytes, milliseconds since 1970) and MAC. The body is readable by its bearer. Single use is recorded elsewhere.
 */
export class SealedTokens {
  constructor(private readonly authenticator: Authenticator) {}

  /** `boundTo` is authenticated and not contained: the reader must name the same, a client or a session for one. */
  issue(purpose: string, body: Buffer, expiresAt: Date, boundTo?: string): string {
    const expiry = Buffer.alloc(EXPIRY);
    expiry.writeUIntBE(expiresAt.getTime(), 0, EXPIRY);
    return Buffer.concat([body, expiry, macOf(this.authenticator, purpose, body, expiry, boundTo)]).toString(
      'base64url',
    );
  }

  /**
   * `bodyLength` in bytes; `now` is the database's clock. Another purpose or binding reads as forged.
   * @param longest milliseconds that tokens of this purpose live at most
   */
  read(
    purpose: string,
    token: string,
    bodyLength: number,
    now: Date,
    boundTo?: string,
    longest = LONGEST_LIFETIME,
  ): ReadToken {
    const bytes = decodeBase64Url(token);
    if (bytes?.length !== bodyLength + EXPIRY + MAC) return 'malformed';
    const body = bytes.subarray(0, bodyLength);
    const expiry = bytes.subarray(bodyLength, bodyLength + EXPIRY);
    const expiresAt = new Date(expiry.readUIntBE(0, EXPIRY));
    const isOurs = (authenticator: Authenticator): boolean =>
      timingSafeEqual(bytes.subarray(-MAC), macOf(authenticator, purpose, body, expiry, boundTo));
    if (!isOurs(this.authenticator) && !this.othersFor(expiresAt, longest).some(isOurs)) return 'forged';
    return now < expiresAt ? { body, expiresAt } : 'expired';
  }

  /** A former root key is accepted for what it can have made: tokens that expire no later than its last one. */
  private othersFor(expiresAt: Date, longest: number): Authenticator[] {
    return this.authenticator.others(new Date(expiresAt.getTime() - longest));
  }
}

function macOf(by: Authenticator, purpose: string, body: Buffer, expiry: Buffer, boundTo: string | undefined): Buffer {
  return by.mac(`token/${purpose}`, body, expiry, ...(boundTo === undefined ? [] : [boundTo]));
}
