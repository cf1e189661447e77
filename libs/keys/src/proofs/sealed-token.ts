import { timingSafeEqual } from 'node:crypto';
import type { Authenticator } from './authenticator';
import { NamedShapes } from '../shapes';

const EXPIRY = 6;
// The whole of HMAC-SHA-256: conformance tools measure the entropy of what wallets see by its characters.
const MAC = 32;

/** Milliseconds; no token lives longer, unless its reader names another limit. */
const LONGEST_LIFETIME = 24 * 60 * 60 * 1000;

export type ReadToken = { readonly body: Buffer; readonly expiresAt: Date } | 'malformed' | 'forged' | 'expired';

/**
 * Values that prove by themselves that this service made them and until when they are valid: base64url of body, expiry
 * (6 bytes, milliseconds since 1970) and MAC. The body is readable by its bearer. Single use is recorded elsewhere. The version of
 * its shape is that of the purpose in `shapeVersions`.
 */
export class SealedTokens {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly shapes = new NamedShapes(authenticator),
  ) {}

  /** `boundTo` is authenticated and not contained: the reader must name the same, a client or a session for one. */
  issue(purpose: string, body: Buffer, expiresAt: Date, boundTo?: string): string {
    const expiry = Buffer.alloc(EXPIRY);
    expiry.writeUIntBE(expiresAt.getTime(), 0, EXPIRY);
    const version = this.shapes.versionFor(purpose);
    const mac = macOf(this.authenticator, purposeIn(version, purpose), body, expiry, boundTo);
    return this.shapes.render(purpose, Buffer.concat([body, expiry, mac]));
  }

  /**
   * `bodyLength` in bytes; `now` is the database's clock. Another purpose or binding reads as forged. Throws
   * `NewerVersionError` for what a newer release made.
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
    const shape = this.shapes.parse(purpose, token);
    if (shape?.bytes.length !== bodyLength + EXPIRY + MAC) return 'malformed';
    const { bytes, version } = shape;
    const body = bytes.subarray(0, bodyLength);
    const expiry = bytes.subarray(bodyLength, bodyLength + EXPIRY);
    const expiresAt = new Date(expiry.readUIntBE(0, EXPIRY));
    const made = purposeIn(version, purpose);
    const isOurs = (authenticator: Authenticator): boolean =>
      timingSafeEqual(bytes.subarray(-MAC), macOf(authenticator, made, body, expiry, boundTo));
    if (!isOurs(this.authenticator) && !this.othersFor(expiresAt, longest).some(isOurs)) return 'forged';
    return now < expiresAt ? { body, expiresAt } : 'expired';
  }

  /** The body of a token, its expiry and MAC, which are still to be checked by `read`. Throws `NewerVersionError`. */
  contentOf(purpose: string, token: string): Buffer | undefined {
    return this.shapes.parse(purpose, token)?.bytes;
  }

  /** A former root key is accepted for what it can have made: tokens that expire no later than its last one. */
  private othersFor(expiresAt: Date, longest: number): Authenticator[] {
    return this.authenticator.others(new Date(expiresAt.getTime() - longest));
  }
}

/** The version is authenticated with the purpose; the first one is that of the key itself. */
function purposeIn(version: number, purpose: string): string {
  return version === 1 ? purpose : `${purpose}/${version}`;
}

function macOf(by: Authenticator, purpose: string, body: Buffer, expiry: Buffer, boundTo: string | undefined): Buffer {
  return by.mac(`token/${purpose}`, body, expiry, ...(boundTo === undefined ? [] : [boundTo]));
}
