import type { SingleUse } from '@app/event-store';
import { Authenticator, bytesOfSalt, hashOfSecret, SealedTokens } from '@app/keys';
import { Injectable } from '@nestjs/common';
import { randomBytes, randomInt } from 'node:crypto';
import type { Offer, TransactionCode } from './offer';

const saltLength = 32;
const earlierSaltLength = 16;
const hashLength = 32;
const codePurpose = 'pre-authorized-code';
/** Makes two codes of one offer differ, also those of one millisecond. */
const serialLength = 16;
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
 * pre-authorized code is an authenticated value that carries the handle's hash and its own expiry, and of a transaction
 * code only a keyed digest is kept.
 */
@Injectable()
export class OfferSecrets {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly tokens: SealedTokens,
  ) {}

  newSalt(): string {
    return this.authenticator.newSalt(saltLength);
  }

  /** The public handle of an offer, as long as its salt: 32 bytes, 16 where an earlier version made it. */
  handleOf({ handleSalt }: { readonly handleSalt: string }): Buffer {
    const { length } = bytesOfSalt(handleSalt);
    return this.authenticator.macOfSalt('offer-handle', handleSalt).subarray(0, length);
  }

  /** Under this hash the store finds the offer of a handle. */
  hashOfHandle(handle: Buffer): Buffer {
    return hashOfSecret(handle);
  }

  /** Whether it is the present one of the offer: reopening an offer voids the earlier ones. */
  isHandleOf(offer: Offer, handleHash: Buffer): boolean {
    return this.hashOfHandle(this.handleOf(offer)).equals(handleHash);
  }

  /** The handle in the path of a credential offer; `undefined` for anything that cannot be one. */
  readHandle(text: string): Buffer | undefined {
    const handle = Buffer.from(text, 'base64url');
    const isPossible = handle.length === saltLength || handle.length === earlierSaltLength;
    return isPossible && handle.toString('base64url') === text ? handle : undefined;
  }

  issueCode(offer: Offer, now: Date): string {
    const expiresAt = new Date(Math.min(now.getTime() + codeLifetime, Date.parse(offer.expiresAt)));
    const serial = randomBytes(serialLength);
    return this.tokens.issue(codePurpose, Buffer.concat([this.hashOfHandle(this.handleOf(offer)), serial]), expiresAt);
  }

  /** The hash of the handle that a genuine code names, with the end of its life; `undefined` for any other text. */
  readCode(code: string): { readonly handleHash: Buffer; readonly expiresAt: Date } | undefined {
    // Expiry is judged later, by the clock of the database.
    const read = this.tokens.read(codePurpose, code, hashLength + serialLength, new Date(0));
    if (typeof read === 'string') return undefined;
    return { handleHash: read.body.subarray(0, hashLength), expiresAt: read.expiresAt };
  }

  /** Tells one token request from another: only who has the code can make its hash, and nobody finds the code by it. */
  hashOfRequest(code: string, clientId: string | undefined, configurationIds: readonly string[] | undefined): string {
    return hashOfSecret(JSON.stringify([code, clientId ?? null, configurationIds ?? null])).toString('base64url');
  }

  /** The record that uses one code up. */
  useOf(code: string, expiresAt: Date): SingleUse {
    return { kind: codePurpose, hash: hashOfSecret(code), expiresAt };
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
    const { transactionCode, handleSalt } = offer;
    return transactionCode?.digest === this.digest(given, transactionCode?.salt ?? handleSalt);
  }

  private digest(code: string, salt: string): string {
    return this.authenticator.digestOfTransactionCode(code, salt).toString('base64url');
  }
}
