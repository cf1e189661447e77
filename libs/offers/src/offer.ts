import type { Aggregate, StateListQuery } from '@app/event-store';
import { Problem } from '@app/problem-details';
import { type OfferMark, type OfferMarks, withMark } from './offer-marks';

/** After so many wrong transaction codes the offer is locked for good (OpenID4VCI 1.0 errata, guessing of tx_code). */
export const mostWrongTransactionCodes = 5;

/** One credential an offer promises; without `credentialId` the data has not been handed in yet. */
export interface OfferedCredential {
  readonly configurationId: string;
  readonly credentialId?: string;
}

export interface TransactionCode {
  /** Keyed digest; the code itself is shown once and kept nowhere. */
  readonly digest: string;
  readonly inputMode: 'numeric' | 'text';
  readonly length: number;
  readonly description?: string;
}

/** What may be set until a wallet has fetched the offer. */
export interface OfferOptions {
  readonly expiresAt?: string;
  readonly transactionCode?: TransactionCode;
}

interface OfferTerms extends OfferMarks {
  readonly offerId: string;
  /** The public handle is derived from this random value and a key, so that a copy of the database reveals no handle. */
  readonly handleSalt: string;
  readonly expiresAt: string;
  /** The latest `expiresAt` that may be set; absent = the present one. */
  readonly extendableUntil?: string;
  readonly credentials: readonly OfferedCredential[];
  readonly transactionCode?: TransactionCode;
  readonly wrongTransactionCodes: number;
  /** For everybody, again and again: each wallet that takes it up gets a claim, an offer of its own. */
  readonly isPublic?: true;
  /** The public offer that this claim came from. */
  readonly claimOf?: string;
}

/** What the wallet that redeemed an offer may fetch. */
export interface Granted {
  readonly configurationIds: readonly string[];
  /** Whether the token response named credential identifiers. */
  readonly identifiersGiven: boolean;
}

export type Offer = OfferTerms &
  (
    | { readonly status: 'open' }
    | { readonly status: 'offline' }
    | { readonly status: 'redeemed'; readonly redeemedAt: string; readonly granted: Granted }
    | { readonly status: 'locked' }
    | { readonly status: 'withdrawn' }
  );

export type OfferEvent =
  | {
      readonly type: 'OfferCreated';
      readonly offerId: string;
      readonly handleSalt: string;
      readonly expiresAt: string;
      readonly extendableUntil?: string;
      readonly credentials: readonly OfferedCredential[];
      readonly transactionCode?: TransactionCode;
      readonly isPublic?: true;
      readonly claimOf?: string;
    }
  | { readonly type: 'CredentialAttached'; readonly configurationId: string; readonly credentialId: string }
  | ({ readonly type: 'OfferOptionsSet' } & OfferOptions)
  | { readonly type: 'TransactionCodeRefused' }
  | { readonly type: 'OfferLocked' }
  | { readonly type: 'OfferRedeemed'; readonly redeemedAt: string; readonly granted: Granted }
  | { readonly type: 'OfferWithdrawn' }
  | { readonly type: 'OfferTakenOffline' }
  | { readonly type: 'OfferTakenOnline' }
  | OfferMark;

export type NewOffer = Omit<Extract<OfferEvent, { type: 'OfferCreated' }>, 'type'>;

export const publicStates = ['Open', 'Redeemed', 'Locked', 'Withdrawn', 'Expired', 'Online', 'Offline'] as const;
export type PublicState = (typeof publicStates)[number];

/** The state as portals see it; an open offer whose time is over is Expired without an event of its own. */
export function publicState(offer: Offer, now: Date): PublicState {
  switch (offer.status) {
    case 'open':
      if (isOver(offer, now)) return 'Expired';
      return offer.isPublic ? 'Online' : 'Open';
    case 'offline':
      return isOver(offer, now) ? 'Expired' : 'Offline';
    case 'redeemed':
      return 'Redeemed';
    case 'locked':
      return 'Locked';
    case 'withdrawn':
      return 'Withdrawn';
  }
}

/** The same said of stored offers, for lists: which ones are in this state by the clock of the database. */
export function storedAs(state: PublicState): Pick<StateListQuery, 'statuses' | 'expiry'> {
  switch (state) {
    case 'Open':
      return { statuses: ['open'], expiry: 'future' };
    case 'Online':
      return { statuses: ['online'], expiry: 'future' };
    case 'Offline':
      return { statuses: ['offline'], expiry: 'future' };
    case 'Expired':
      return { statuses: ['open', 'online', 'offline'], expiry: 'past' };
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

/** Hands a person's data in; it takes the place of the same configuration that waits for data, or comes behind it. */
export function attachCredential(offer: Offer, credential: Required<OfferedCredential>, now: Date): OfferEvent[] {
  const state = publicState(offer, now);
  if (state !== 'Open' && !isWaitingClaim(offer)) {
    throw new Problem('conflict', `The offer ${offer.offerId} is ${state} and takes no further credential.`);
  }
  if (
    offer.credentials.some(
      ({ configurationId, credentialId }) =>
        configurationId === credential.configurationId && credentialId !== undefined,
    )
  ) {
    // A wallet asks for a configuration, not for one of several credentials of it.
    throw new Problem(
      'conflict',
      `The offer ${offer.offerId} already holds a credential of ${credential.configurationId}; use another offer.`,
    );
  }
  return [{ type: 'CredentialAttached', ...credential }];
}

/** Whether a wallet may take the offer up now: not before the data of everything it promises has been handed in. */
export function isTakeable(offer: Offer, now: Date): boolean {
  return offer.status === 'open' && !isOver(offer, now) && isComplete(offer);
}

/** Whether nothing but data keeps wallets from taking the offer up. */
export function awaitsData(offer: Offer, now: Date): boolean {
  return offer.status === 'open' && !isOver(offer, now) && !isComplete(offer);
}

function isComplete({ credentials, isPublic }: Offer): boolean {
  if (credentials.length === 0) return false;
  return isPublic ?? credentials.every(({ credentialId }) => credentialId !== undefined);
}

/** A public offer rests until it is taken online again; nothing happens when it rests already. */
export function takeOffline(offer: Offer): OfferEvent[] {
  requirePublic(offer);
  return offer.status === 'open' ? [{ type: 'OfferTakenOffline' }] : resting(offer, 'offline');
}

export function takeOnline(offer: Offer): OfferEvent[] {
  requirePublic(offer);
  return offer.status === 'offline' ? [{ type: 'OfferTakenOnline' }] : resting(offer, 'open');
}

function resting(offer: Offer, wanted: Offer['status']): OfferEvent[] {
  if (offer.status === wanted) return [];
  throw new Problem('conflict', `The offer ${offer.offerId} was withdrawn.`);
}

function requirePublic(offer: Offer): void {
  if (!offer.isPublic) throw new Problem('conflict', `The offer ${offer.offerId} is not public.`);
}

/** The claim of a public offer gets its credential when its wallet asks for it. */
function isWaitingClaim(offer: Offer): boolean {
  return offer.claimOf !== undefined && offer.status === 'redeemed';
}

export function withdrawOffer(offer: Offer): OfferEvent[] {
  switch (offer.status) {
    case 'open':
    case 'offline':
    case 'locked':
      return [{ type: 'OfferWithdrawn' }];
    case 'withdrawn':
      return [];
    case 'redeemed':
      throw new Problem('conflict', `The offer ${offer.offerId} has been redeemed already.`);
  }
}

export interface Redemption {
  readonly transactionCode: 'absent' | 'matches' | 'differs';
  readonly granted: Granted;
  readonly now: Date;
}

export type RedemptionRefusal =
  | 'not-open'
  | 'transaction-code-missing'
  | 'transaction-code-unexpected'
  | 'transaction-code-wrong'
  | 'configuration-not-offered';

/** Decides a redemption. A wrong transaction code is refused and leaves its mark; the last one locks the offer. */
export function redeemOffer(
  offer: Offer,
  attempt: Redemption,
): { readonly events: OfferEvent[]; readonly refusal?: RedemptionRefusal } {
  if (!isTakeable(offer, attempt.now)) return { events: [], refusal: 'not-open' };
  const offered = new Set(offer.credentials.map(({ configurationId }) => configurationId));
  if (!attempt.granted.configurationIds.every((id) => offered.has(id))) {
    return { events: [], refusal: 'configuration-not-offered' };
  }
  if (!offer.transactionCode) {
    if (attempt.transactionCode !== 'absent') return { events: [], refusal: 'transaction-code-unexpected' };
  } else {
    if (attempt.transactionCode === 'absent') return { events: [], refusal: 'transaction-code-missing' };
    if (attempt.transactionCode === 'differs') return { events: wrongCode(offer), refusal: 'transaction-code-wrong' };
  }
  return {
    events: [{ type: 'OfferRedeemed', redeemedAt: attempt.now.toISOString(), granted: attempt.granted }],
  };
}

function wrongCode(offer: Offer): OfferEvent[] {
  const refused: OfferEvent = { type: 'TransactionCodeRefused' };
  return offer.wrongTransactionCodes + 1 >= mostWrongTransactionCodes ? [refused, { type: 'OfferLocked' }] : [refused];
}

function isOver(offer: OfferTerms, now: Date): boolean {
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
      return { ...offer, credentials: withAttached(offer.credentials, event) };
    case 'OfferOptionsSet': {
      const { type: _type, ...options } = event;
      return { ...offer, ...options };
    }
    case 'TransactionCodeRefused':
      return { ...offer, wrongTransactionCodes: offer.wrongTransactionCodes + 1 };
    case 'OfferLocked':
      return { ...offer, status: 'locked' };
    case 'OfferRedeemed':
      return { ...offer, status: 'redeemed', redeemedAt: event.redeemedAt, granted: event.granted };
    case 'OfferWithdrawn':
      return { ...offer, status: 'withdrawn' };
    case 'OfferTakenOffline':
      return { ...offer, status: 'offline' };
    case 'OfferTakenOnline':
      return { ...offer, status: 'open' };
    case 'OfferFetched':
    case 'OfferFetchedWithoutData':
    case 'OfferSent':
    case 'SendingFailed':
    case 'CredentialRequestDenied':
      return { ...offer, ...withMark(offer, event) };
  }
}

function withAttached(
  credentials: readonly OfferedCredential[],
  { configurationId, credentialId }: Required<OfferedCredential>,
): OfferedCredential[] {
  const waiting = credentials.findIndex((one) => one.configurationId === configurationId);
  const attached = { configurationId, credentialId };
  return waiting === -1 ? [...credentials, attached] : credentials.with(waiting, attached);
}

export const offerAggregate: Aggregate<Offer, OfferEvent> = {
  category: 'offer',
  evolve: evolveOffer,
  parent: ({ claimOf }) => claimOf,
  stateIndex: 'offers_by_state',
};

/** Injection token of the offers' repository. */
export const OFFERS = Symbol('OFFERS');
