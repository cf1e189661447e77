import { Authenticator, hashOfSecret, SealedTokens } from '@app/keys';
import { Injectable } from '@nestjs/common';
import { randomBytes, randomInt } from 'node:crypto';
import type { Offer, TransactionCode } from './offer';

const handleLength = 16;
const codePurpose = 'pre-authorized-code';
/** A code lives this long from the moment a wallet fetches the offer, and never longer than the offer. */
const codeLifetime = 10 * 60 * 1000;
// Without 0 O 1 I L: a person reads the code to another one.
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

export interface TransactionCodeWish {
  readonly inputMode: 'numeric' | 'text';
  readonly length: number;
  readonly description?: string;
}

/**
 * The secrets around an offer. None is stored: the public handle follows from a random salt and a key, the
 * pre-authorized code is an authenticated value that carries the handle and its own expiry, and of a transaction code
 * only a keyed digest is kept.
 */
@Injectable()
export class OfferSecrets {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly tokens: SealedTokens,
  ) {}

  newSalt(): string {
    return randomBytes(16).toString('base64url');
  }

  /** The 128-bit public handle of an offer. */
  handleOf(offer: { readonly handleSalt: string }): Buffer {
    return this.authenticator.mac('offer-handle', offer.handleSalt).subarray(0, handleLength);
  }

  /** Under this hash the store finds the offer of a handle. */
  hashOfHandle(handle: Buffer): Buffer {
    return hashOfSecret(handle);
  }

  /** The handle in the path of a credential offer; `undefined` for anything that cannot be one. */
  readHandle(text: string): Buffer | undefined {
    const handle = Buffer.from(text, 'base64url');
    return handle.length === handleLength && handle.toString('base64url') === text ? handle : undefined;
  }

  issueCode(offer: Offer, now: Date): string {
    const expiresAt = new Date(Math.min(now.getTime() + codeLifetime, Date.parse(offer.expiresAt)));
    return this.tokens.issue(codePurpose, this.handleOf(offer), expiresAt);
  }

  /** The handle a genuine code names, with the end of its life; `undefined` for any other text. */
  readCode(code: string): { readonly handle: Buffer; readonly expiresAt: Date } | undefined {
    // Expiry is judged later, by the clock of the database.
    const read = this.tokens.read(codePurpose, code, handleLength, new Date(0));
    return typeof read === 'string' ? undefined : { handle: read.body, expiresAt: read.expiresAt };
  }

  newTransactionCode(
    wish: TransactionCodeWish,
    salt: string,
  ): { readonly code: string; readonly kept: TransactionCode } {
    const alphabet = wish.inputMode === 'numeric' ? '0123456789' : letters;
    const code = Array.from({ length: wish.length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
    return { code, kept: { ...wish, digest: this.digest(code, salt) } };
  }

  matchesTransactionCode(offer: Offer, given: string): boolean {
    // Digests under a secret key: comparing them tells nothing about the code, however long it takes.
    return offer.transactionCode?.digest === this.digest(given, offer.handleSalt);
  }

  private digest(code: string, salt: string): string {
    return this.authenticator.digestOfTransactionCode(code, salt).toString('base64url');
  }
}
