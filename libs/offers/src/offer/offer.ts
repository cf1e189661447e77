import type { Aggregate, Erasable, PersonalDataErased, StateListQuery } from '@app/event-store';
import { Problem } from '@app/primitives/problems';
import type { Granted } from './grant';
import type { ByAuthorization } from './offer-grants';
import { type OfferMark, type OfferMarks, withMark } from './offer-marks';
import { type OfferedCredential, withOffered } from './offered-credential';

export type { OfferedCredential } from './offered-credential';

export interface TransactionCode {
  /** Keyed digest; the code itself is shown once and stored nowhere. */
  readonly digest: string;
  /** The salt of the digest, where that is no longer the salt of the handle. */
  readonly salt?: string;
  readonly inputMode: 'numeric' | 'text';
  readonly length: number;
  /** In no stored offer: as wallets see it. */
  readonly description?: string;
  /** Under the data key of the offer. */
  readonly sealedDescription?: string;
}

/** What may be set until a wallet has fetched the offer. */
export interface OfferOptions {
  readonly expiresAt?: string;
  readonly transactionCode?: TransactionCode;
  /** `null`: by pre-authorized code only. */
  readonly byAuthorization?: ByAuthorization | null;
  /** Can be set as long as the offer is open. */
  readonly sealedRecipient?: string;
}

interface OfferTerms extends OfferMarks, Erasable {
  readonly offerId: string;
  /** The public handle is derived from this random value and a key, so that a copy of the database reveals no handle. */
  readonly handleSalt: string;
  readonly expiresAt: string;
  /** The latest `expiresAt` that may be set. */
  readonly extendableUntil: string;
  readonly credentials: readonly OfferedCredential[];
  readonly transactionCode?: TransactionCode;
  readonly wrongTransactionCodes: number;
  /** For any number of wallets: each that accepts it gets a claim, a separate offer. */
  readonly isPublic?: true;
  /** The public offer that this claim came from. */
  readonly claimOf?: string;
  /** Wallets can accept it before its data is submitted, and then wait for that. */
  readonly isDeferred?: true;
  /** Absent: by pre-authorized code only. */
  readonly byAuthorization?: ByAuthorization;
  /** To whom it is handed over, under its data key. */
  readonly sealedRecipient?: string;
}

/** A new link for an offer: the earlier handle, codes and tokens are void. */
export interface Reopening {
  readonly handleSalt: string;
  readonly expiresAt: string;
  readonly extendableUntil: string;
  readonly transactionCode?: TransactionCode;
  /** The principal that asked for it; absent outside of any request. */
  readonly by?: string;
}

/** An authorization of a person. */
export interface Redeemer {
  readonly authorizationId: string;
  readonly clientId: string;
}

interface Redeemed {
  readonly redeemedAt: string;
  readonly granted: Granted;
  /** Of what the redemption was asked with; absent with `by`. */
  readonly requestHash?: string;
  /** The authorization that used the offer up; absent when a pre-authorized code did. */
  readonly by?: Redeemer;
  /** The connection ended before the token was out. */
  readonly isAnswerLost?: boolean;
  /** When the token was last sent again. */
  readonly answeredAt?: string;
  readonly answersRepeated?: number;
}

export type Offer = OfferTerms &
  (
    | { readonly status: 'open' }
    | { readonly status: 'offline' }
    | ({ readonly status: 'redeemed' } & Redeemed)
    | { readonly status: 'locked' }
    | { readonly status: 'expired' }
    | { readonly status: 'withdrawn' }
  );

export type OfferEvent =
  | {
      readonly type: 'OfferCreated';
      readonly offerId: string;
      readonly handleSalt: string;
      readonly expiresAt: string;
      readonly extendableUntil: string;
      readonly credentials: readonly OfferedCredential[];
      readonly transactionCode?: TransactionCode;
      readonly isPublic?: true;
      readonly claimOf?: string;
      readonly isDeferred?: true;
      readonly byAuthorization?: ByAuthorization;
      readonly sealedRecipient?: string;
    }
  | { readonly type: 'CredentialAttached'; readonly configurationId: string; readonly credentialId: string }
  | { readonly type: 'CredentialAwaited'; readonly configurationId: string; readonly credentialId: string }
  | ({ readonly type: 'OfferOptionsSet' } & OfferOptions)
  | { readonly type: 'TransactionCodeRefused' }
  | { readonly type: 'OfferLocked' }
  | { readonly type: 'OfferExpired'; readonly expiresAt: string }
  | ({ readonly type: 'OfferRedeemed' } & Pick<Redeemed, 'redeemedAt' | 'granted' | 'requestHash' | 'by'>)
  | { readonly type: 'TokenAnswerLost' }
  | { readonly type: 'TokenAnswerRepeated'; readonly answeredAt: string }
  | { readonly type: 'OfferWithdrawn' }
  | { readonly type: 'OfferTakenOffline' }
  | { readonly type: 'OfferTakenOnline' }
  | ({ readonly type: 'OfferReopened' } & Reopening)
  | PersonalDataErased
  | OfferMark;

export type NewOffer = Omit<Extract<OfferEvent, { type: 'OfferCreated' }>, 'type'>;

export const publicStates = ['Open', 'Redeemed', 'Locked', 'Withdrawn', 'Expired', 'Online', 'Offline'] as const;
export type PublicState = (typeof publicStates)[number];

/** The state as portals see it; an open offer whose time has passed is Expired before that is recorded. */
export function publicState(offer: Offer, now: Date): PublicState {
  switch (offer.status) {
    case 'open':
      if (isExpired(offer, now)) return 'Expired';
      return offer.isPublic ? 'Online' : 'Open';
    case 'offline':
      return isExpired(offer, now) ? 'Expired' : 'Offline';
    case 'redeemed':
      return 'Redeemed';
    case 'locked':
      return 'Locked';
    case 'expired':
      return 'Expired';
    case 'withdrawn':
      return 'Withdrawn';
  }
}

/** Of offers whose time may have passed without a record. */
const unrecordedStatuses = ['open', 'online', 'offline'];

/** Offers whose expiry is to be recorded, as filter for lists. */
export const offersToExpire: Pick<StateListQuery, 'statuses' | 'expiry'> = {
  statuses: unrecordedStatuses,
  expiry: 'past',
};

/** The filter for lists: which stored offers are in this state by the clock of the database. */
export function offersStoredAs(state: PublicState): Pick<StateListQuery, 'statuses' | 'expiry'> {
  switch (state) {
    case 'Open':
      return { statuses: ['open'], expiry: 'future' };
    case 'Online':
      return { statuses: ['online'], expiry: 'future' };
    case 'Offline':
      return { statuses: ['offline'], expiry: 'future' };
    case 'Expired':
      return { statuses: ['expired', ...unrecordedStatuses], expiry: 'past' };
    case 'Redeemed':
      return { statuses: ['redeemed'] };
    case 'Locked':
      return { statuses: ['locked'] };
    case 'Withdrawn':
      return { statuses: ['withdrawn'] };
  }
}

export function createOffer(offer: NewOffer): OfferEvent[] {
  return [{ type: 'OfferCreated', ...offer }];
}

/** Whether a wallet can accept the offer now: unless it is deferred, not before the data of all it promises was submitted. */
export function isTakeable(offer: Offer, now: Date): boolean {
  return offer.status === 'open' && !isExpired(offer, now) && isComplete(offer);
}

/** Whether only missing data prevents wallets from accepting the offer. */
export function awaitsData(offer: Offer, now: Date): boolean {
  return offer.status === 'open' && !isExpired(offer, now) && !isComplete(offer);
}

/** Whether its credentials get their data after the authorization of the person. */
export function isWithoutData({ credentials, byAuthorization }: Offer): boolean {
  return byAuthorization?.needsNoData === true && credentials.every(({ credentialId }) => credentialId === undefined);
}

function isComplete(offer: Offer): boolean {
  const { credentials, isPublic, isDeferred } = offer;
  if (credentials.length === 0) return false;
  if (isWithoutData(offer)) return true;
  return isPublic ?? isDeferred ?? credentials.every(({ credentialId }) => credentialId !== undefined);
}

export function withdrawOffer(offer: Offer): OfferEvent[] {
  switch (offer.status) {
    case 'open':
    case 'offline':
    case 'locked':
    case 'expired':
      return [{ type: 'OfferWithdrawn' }];
    case 'withdrawn':
      return [];
    case 'redeemed':
      throw new Problem('conflict', `The offer ${offer.offerId} has already been redeemed.`);
  }
}

/** Records that nobody has accepted the offer in its time. */
export function expireOffer(offer: Offer, now: Date): OfferEvent[] {
  const { status, expiresAt } = offer;
  if ((status !== 'open' && status !== 'offline') || !isExpired(offer, now)) return [];
  return [{ type: 'OfferExpired', expiresAt }];
}

function isExpired(offer: OfferTerms, now: Date): boolean {
  return now.getTime() >= Date.parse(offer.expiresAt);
}

function evolveOffer(offer: Offer | undefined, event: OfferEvent): Offer {
  if (event.type === 'OfferCreated') {
    const { type: _type, ...terms } = event;
    return { ...terms, status: 'open', wrongTransactionCodes: 0 };
  }
  if (!offer) throw new Error('an offer event without its creation');
  switch (event.type) {
    case 'CredentialAttached':
      return { ...offer, credentials: withOffered(offer.credentials, event) };
    case 'CredentialAwaited':
      return { ...offer, credentials: withOffered(offer.credentials, { ...event, isAwaited: true }) };
    case 'OfferOptionsSet': {
      const { type: _type, byAuthorization: asked, ...options } = event;
      const { byAuthorization: present, ...terms } = offer;
      const byAuthorization = asked === undefined ? present : asked;
      return { ...terms, ...options, ...(byAuthorization && { byAuthorization }) };
    }
    case 'TransactionCodeRefused':
      return { ...offer, wrongTransactionCodes: offer.wrongTransactionCodes + 1 };
    case 'OfferLocked':
      return { ...offer, status: 'locked' };
    case 'OfferExpired':
      return { ...offer, status: 'expired' };
    case 'OfferRedeemed': {
      const { type: _type, ...redeemed } = event;
      return { ...offer, status: 'redeemed', ...redeemed };
    }
    case 'TokenAnswerLost':
      return { ...redeemedOffer(offer), isAnswerLost: true };
    case 'TokenAnswerRepeated': {
      const answersRepeated = (redeemedOffer(offer).answersRepeated ?? 0) + 1;
      return { ...redeemedOffer(offer), isAnswerLost: false, answeredAt: event.answeredAt, answersRepeated };
    }
    case 'OfferWithdrawn':
      return { ...offer, status: 'withdrawn' };
    case 'OfferTakenOffline':
      return { ...offer, status: 'offline' };
    case 'OfferTakenOnline':
      return { ...offer, status: 'open' };
    case 'OfferReopened':
      return reopened(offer, event);
    case 'PersonalDataErased':
      return { ...offer, erasedAt: event.erasedAt };
    case 'OfferFetched':
    case 'OfferFetchedWithoutData':
    case 'OfferSent':
    case 'SendingFailed':
    case 'CredentialRequestDenied':
    case 'WalletRefused':
      return { ...offer, ...withMark(offer, event) };
  }
}

/** The offer as after its creation. What wallets did with the former link is in the timeline only. */
function reopened(before: Offer, event: Reopening): Offer {
  const { offerId, credentials, isDeferred, byAuthorization, sealedRecipient, sendings } = before;
  const { handleSalt, expiresAt, extendableUntil, transactionCode } = event;
  return {
    status: 'open',
    offerId,
    handleSalt,
    expiresAt,
    extendableUntil,
    credentials,
    wrongTransactionCodes: 0,
    ...(transactionCode && { transactionCode }),
    ...(isDeferred && { isDeferred }),
    ...(byAuthorization && { byAuthorization }),
    ...(sealedRecipient !== undefined && { sealedRecipient }),
    ...(sendings !== undefined && { sendings }),
  };
}

function redeemedOffer(offer: Offer): Extract<Offer, { status: 'redeemed' }> {
  if (offer.status !== 'redeemed') throw new Error('a token answer of an offer that is not redeemed');
  return offer;
}

export const offerAggregate: Aggregate<Offer, OfferEvent> = {
  category: 'offer',
  evolve: evolveOffer,
  parent: ({ claimOf }) => claimOf,
  terms: ['claimOf'],
  stateIndex: 'offers_by_state',
};

/** Injection token of the offers' repository. */
export const OFFERS = Symbol('OFFERS');
