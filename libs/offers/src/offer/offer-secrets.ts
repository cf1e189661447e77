import type { SingleUse } from '@app/event-store';
import { Authenticator, hashOfSecret, PublicHandles, SealedTokens } from '@app/keys';
import { Injectable } from '@nestjs/common';
import { randomBytes, randomInt } from 'node:crypto';
import type { GrantName } from './grant';
import type { RedeemOffer } from '../api';
import type { Offer, TransactionCode } from './offer';
import { longestLifetimeDays } from './offer-lifetime';

const hashLength = 32;
const codePurpose = 'pre-authorized-code';
const issuerStatePurpose = 'issuer-state';
/** Milliseconds; an offer can be extended for as long again. */
const longestIssuerState = 2 * longestLifetimeDays * 24 * 60 * 60 * 1000;
/** Milliseconds since 1970. */
const timeLength = 6;
/** Makes two codes of one offer differ, even within one millisecond. */
const serialLength = 10;
const bodyLength = hashLength + timeLength + serialLength;
/** A code lives this long from the moment a wallet fetches the offer, and never longer than the offer. */
const codeLifetime = 10 * 60 * 1000;
// Without 0 O 1 I L: the code may be read out.
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

export interface TransactionCodeOptions {
  readonly inputMode: 'numeric' | 'text';
  readonly length: number;
  readonly description?: string;
}

export interface ReadCode {
  readonly grant: GrantName;
  /** When the wallet fetched the offer. */
  readonly fetchedAt: Date;
  readonly expiresAt: Date;
}

/**
 * The secrets of an offer. None is stored: the public handle follows from its salt and a key, the
 * pre-authorized code is an authenticated value that carries the handle's hash, the time of the fetch and its own expiry, and
 * of a transaction code only a keyed digest is kept.
 */
@Injectable()
export class OfferSecrets {
  readonly handles: PublicHandles;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly tokens: SealedTokens,
  ) {
    this.handles = new PublicHandles(authenticator, { kind: 'offer-handle', hashed: 'bytes' });
  }

  issueCode(offer: Offer, now: Date): string {
    const expiresAt = new Date(Math.min(now.getTime() + codeLifetime, Date.parse(offer.expiresAt)));
    const body = Buffer.concat([this.handles.hashOf(offer), Buffer.alloc(timeLength), randomBytes(serialLength)]);
    body.writeUIntBE(now.getTime(), hashLength, timeLength);
    return this.tokens.issue(codePurpose, body, expiresAt);
  }

  /** Names the offer in an authorization request; for as long as the offer is open, and by its present link only. */
  issuerState(offer: Offer): string {
    return this.tokens.issue(issuerStatePurpose, this.handles.hashOf(offer), new Date(offer.expiresAt));
  }

  /** The hash of the handle of the offer that a genuine `issuer_state` names; whether it is open, its state says. */
  readIssuerState(text: string): Buffer | undefined {
    const read = this.tokens.read(issuerStatePurpose, text, hashLength, new Date(0), undefined, longestIssuerState);
    return typeof read === 'string' ? undefined : read.body;
  }

  /** As `LinkedOffer.handleHash`, of the present link. */
  nameOfLink(offer: { readonly handleSalt: string }): string {
    return this.handles.hashOf(offer).toString('base64url');
  }

  /** A grant of an offer is named by its present handle, so that a new link voids the grants of the former one. */
  grantOf(offer: { readonly handleSalt: string }): GrantName {
    return { kind: 'pre-authorized_code', hash: this.handles.hashOf(offer) };
  }

  /** What a genuine code says; `undefined` for any other text. */
  readCode(code: string): ReadCode | undefined {
    // Expiry is checked later, by the clock of the database.
    const read = this.tokens.read(codePurpose, code, bodyLength, new Date(0));
    if (typeof read === 'string') return undefined;
    const grant = { kind: 'pre-authorized_code', hash: read.body.subarray(0, hashLength) } as const;
    return { grant, fetchedAt: new Date(read.body.readUIntBE(hashLength, timeLength)), expiresAt: read.expiresAt };
  }

  /** Identifies a token request. Only a client with the code can make the hash, and the code cannot be found from it. */
  hashOfRequest({ preAuthorizedCode, clientId, requestedConfigurationIds, keyThumbprint }: RedeemOffer): string {
    const asked = [preAuthorizedCode, clientId ?? null, requestedConfigurationIds ?? null];
    return hashOfSecret(JSON.stringify(keyThumbprint === undefined ? asked : [...asked, keyThumbprint])).toString(
      'base64url',
    );
  }

  /** The record that uses one code up. */
  useOf(code: string, expiresAt: Date): SingleUse {
    return { kind: codePurpose, hash: hashOfSecret(code), expiresAt };
  }

  newTransactionCode(
    options: TransactionCodeOptions,
    salt: string,
  ): { readonly code: string; readonly kept: TransactionCode } {
    const alphabet = options.inputMode === 'numeric' ? '0123456789' : letters;
    const code = Array.from({ length: options.length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
    return { code, kept: { ...options, digest: this.digest(code, salt) } };
  }

  judge(offer: Offer, given: string | undefined): 'absent' | 'matches' | 'differs' {
    if (given === undefined) return 'absent';
    return this.matches(offer, given) ? 'matches' : 'differs';
  }

  private matches(offer: Offer, given: string): boolean {
    // The digests are keyed, so the time of the comparison reveals nothing about the code.
    const { transactionCode, handleSalt } = offer;
    return transactionCode?.digest === this.digest(given, transactionCode?.salt ?? handleSalt);
  }

  /** A few digits are soon guessed from a plain hash, not from a keyed one. */
  private digest(code: string, salt: string): string {
    return this.authenticator.macUnderKeyOf(salt, 'transaction-code', code, salt).toString('base64url');
  }
}
