import type { ErasureCause, SingleUse } from '@app/event-store';
import type { TimelineEntry } from '@app/http';
import type { CredentialDisplay, RefusedStep } from '@app/openid4vc';
import type { PageAddresses } from '@app/pages';
import type { Identification } from '@app/templates';
import { Command, Query } from '@nestjs/cqrs';
import type { Denial } from './offer/denial';
import type { Grant, Granted, GrantName } from './offer/grant';
import type { PublicState, Redeemer, TransactionCode } from './offer/offer';
import type { Attached } from './offer/offer-attachment';
import type { ExpectedSubject } from './offer/offer-grants';
import type { ConsentRefusal, RedemptionRefusal } from './offer/offer-redemption';
import type { CredentialStanding } from './offer/offer-reopening';
import type { Recipient } from './offer/recipient';

export type { Attached } from './offer/offer-attachment';
export type { ExpectedSubject } from './offer/offer-grants';
export type { ConsentRefusal, RedemptionRefusal } from './offer/offer-redemption';
export type { CredentialStanding } from './offer/offer-reopening';
export { offerAggregate, type PublicState } from './offer/offer';
export { RecipientBody, recipientOf } from './management/recipient.contract';
export { asciiMailAddress, type Recipient } from './offer/recipient';
export { linkSchemas, shownLinks } from './management/offer-links.contract';
export { offerCounter, offerPublication, redemptionRefused } from './marks/offer-events';

/** Anyone who has one can receive what is offered: for callers with the scope `offers:deliver`. */
export interface LinksOfOffer {
  /** `openid-credential-offer://...` */
  readonly credentialOffer: string;
  readonly credentialOfferUri: string;
  readonly links: PageAddresses;
}

/** An offer as it is handed over to its person. */
export interface OfferToHandOver {
  readonly offerId: string;
  readonly state: PublicState;
  /** The address of its page: whoever has it can receive what is offered. */
  readonly page: string;
  readonly expiresAt: Date;
  readonly credentials: readonly {
    readonly configurationId: string;
    readonly display: readonly CredentialDisplay[];
  }[];
  readonly hasTransactionCode: boolean;
  /** Absent where the portal named none, and since it was erased. */
  readonly recipient: Recipient | undefined;
}

/** Opens sealed personal data, which the audit of the present request then says. */
export class FindOfferToHandOver extends Query<OfferToHandOver | undefined> {
  constructor(readonly offerId: string) {
    super();
  }
}

/** Erases what an offer says about its person, for good; joins the caller's unit of work. Nothing happens when there is nothing. */
export class EraseOffer extends Command<void> {
  constructor(
    readonly offerId: string,
    readonly cause: ErasureCause,
  ) {
    super();
  }
}

/**
 * Puts a credential into an offer, which is created when it does not exist yet. Joins the caller's unit of work.
 * Throws the problem `conflict` when the offer is no longer open, holds a credential of this configuration, or a wallet waits
 * for one with another id.
 */
export class AttachCredential extends Command<Attached & { readonly links: LinksOfOffer }> {
  constructor(
    readonly offerId: string,
    readonly configurationId: string,
    /** A random one when absent. */
    readonly credentialId: string | undefined,
    readonly recipient?: Recipient,
  ) {
    super();
  }
}

/**
 * Notes that the wallet which redeemed a deferred offer waits for the data of a credential. Joins the caller's unit of work.
 * @returns the id of the credential: another one than the given one when it exists already, `undefined` when the grant is void
 */
export class AwaitCredential extends Command<string | undefined> {
  constructor(
    readonly offerId: string,
    readonly configurationId: string,
    readonly credentialId: string,
  ) {
    super();
  }
}

export type Redeemed =
  | {
      readonly outcome: 'redeemed';
      readonly grant: GrantName;
      readonly configurationIds: readonly string[];
      /** Whether the wallet may have to wait for data. */
      readonly isDeferred: boolean;
      /** From when on the token lives; before `now` in an answer that is given again. */
      readonly redeemedAt: Date;
      /** The database's clock. */
      readonly now: Date;
    }
  | {
      readonly outcome: 'refused';
      readonly reason: RedemptionRefusal | 'unknown-code' | 'not-issued';
      /** After a wrong transaction code. */
      readonly triesLeft?: number;
    };

/**
 * Redeems a pre-authorized code, exactly once over all replicas; a wrong transaction code counts. The same request, by
 * the same key where it proves one, is answered again for a minute, unless it comes immediately or the token was used.
 * The offer is left unchanged (`not-issued`) when nothing would be issued for the token; its timeline says why. Throws
 * `AlreadyConsumedError` when the proof of the key was used before.
 */
export class RedeemOffer extends Command<Redeemed> {
  constructor(
    readonly preAuthorizedCode: string,
    readonly transactionCode: string | undefined,
    /** Given when the wallet named the configurations it wants. */
    readonly requestedConfigurationIds: readonly string[] | undefined,
    readonly clientId: string | undefined,
    /** RFC 7638 thumbprint of the key that the wallet has shown to have, and that its token is bound to (RFC 9449). */
    readonly keyThumbprint?: string,
    /** Proofs of the wallet that are used up with it. */
    readonly uses: readonly SingleUse[] = [],
  ) {
    super();
  }
}

/** An offer by one of its links: when it is reopened it has another, and what was begun with the former one ends. */
export interface LinkedOffer {
  readonly offerId: string;
  /** base64url of the SHA-256 of the handle in that link. */
  readonly handleHash: string;
}

/** An open offer, as an authorization of a person sees it. */
export interface OfferForAuthorization extends LinkedOffer {
  readonly configurationIds: readonly string[];
  readonly identification: Identification;
  /** `anyone` who can open the offer; `nobody` since the subject was erased. */
  readonly subject: ExpectedSubject | 'anyone' | 'nobody';
  /** As `AuthorizedOffer.data`. */
  readonly data: 'offer' | 'authorization';
  /** The code that the person enters before they agree. */
  readonly transactionCode?: Pick<TransactionCode, 'inputMode' | 'length' | 'description'>;
}

/** The open offer that an `issuer_state` of ours names, if wallets can accept it by authorization code. */
export class FindOfferByIssuerState extends Query<OfferForAuthorization | undefined> {
  constructor(readonly issuerState: string) {
    super();
  }
}

/** The offer of an authorization that was begun, as long as it can be accepted by authorization code and this link. */
export class FindOfferForAuthorization extends Query<OfferForAuthorization | undefined> {
  constructor(readonly named: LinkedOffer) {
    super();
  }
}

/** Lets the portal see that another person than the expected one wanted to accept the offer. Resolves before it is recorded. */
export class NoteUnexpectedPerson extends Command<void> {
  constructor(
    readonly offerId: string,
    readonly refusal: RefusedStep,
  ) {
    super();
  }
}

export interface OfferConsentCheck {
  readonly outcome: 'agreed' | ConsentRefusal;
  /** How many wrong transaction codes the offer takes yet; without one, 0. */
  readonly triesLeft: number;
}

/** Whether a person may agree to the authorization: the offer is open and they know its transaction code. A wrong one counts. */
export class CheckOfferConsent extends Command<OfferConsentCheck> {
  constructor(
    readonly offerId: string,
    readonly transactionCode: string | undefined,
  ) {
    super();
  }
}

export type RedeemedByAuthorization =
  | { readonly outcome: 'redeemed' }
  | {
      readonly outcome: 'refused';
      readonly reason: Extract<RedemptionRefusal, 'not-open' | 'configuration-not-offered'> | 'not-issued';
    };

/** Uses an offer up for an authorization whose code is redeemed. Joins the caller's unit of work. */
export class RedeemOfferByAuthorization extends Command<RedeemedByAuthorization> {
  constructor(
    readonly named: LinkedOffer,
    readonly by: Redeemer & Granted,
  ) {
    super();
  }
}

/** What an authorization redeemed. */
export interface AuthorizedOffer {
  /** By which the queries and commands about the grant of an offer know it. */
  readonly name: GrantName;
  /** `authorization`: what the templates say about their data holds, as without an offer. */
  readonly data: 'offer' | 'authorization';
}

/** `undefined` when the authorization has not redeemed the offer, or the offer was reopened since. */
export class FindOfferOfAuthorization extends Query<AuthorizedOffer | undefined> {
  constructor(
    readonly offerId: string,
    readonly authorizationId: string,
  ) {
    super();
  }
}

/** The grant that a redeemed offer made; `undefined` when there is no such offer or it was not redeemed. */
export class FindGrantOfOffer extends Query<Grant | undefined> {
  constructor(readonly name: GrantName) {
    super();
  }
}

/** Lets the portal see that a wallet was denied credentials of an offer it had redeemed; a repeated denial is not recorded. */
export class RecordDenials extends Command<void> {
  constructor(
    readonly name: GrantName,
    readonly denials: readonly Denial[],
  ) {
    super();
  }
}

/**
 * Notes that a wallet was refused, for the timeline of the offer that its grant or genuine pre-authorized code is of. Resolves
 * before it is recorded.
 */
export class NoteRefusal extends Command<void> {
  constructor(
    readonly from: GrantName | { readonly preAuthorizedCode: string },
    readonly refusal: RefusedStep,
  ) {
    super();
  }
}

/** The refusals of wallets that concern a credential of an offer, for its timeline. */
export class FindRefusals extends Query<readonly TimelineEntry[]> {
  constructor(
    readonly offerId: string,
    readonly configurationId: string,
  ) {
    super();
  }
}

/** The connection of a wallet ended before the answer to its redemption was out. */
export class RecordLostAnswer extends Command<void> {
  constructor(readonly name: GrantName) {
    super();
  }
}

/** What became of the credentials with these ids in wallets, as steps of a timeline. Answered by the module that issues them. */
export class FindOutcomes extends Query<readonly TimelineEntry[]> {
  constructor(readonly credentialIds: readonly string[]) {
    super();
  }
}

/** Whether a wallet can still accept an offer, and by which links. */
export interface OpenOfferLinks {
  readonly isOpen: boolean;
  readonly state: PublicState;
  readonly links: LinksOfOffer;
}

/** By their ids, in their order; `undefined` for one that does not exist. */
export class FindOfferLinks extends Query<readonly (OpenOfferLinks | undefined)[]> {
  constructor(readonly offerIds: readonly string[]) {
    super();
  }
}

/** How many offers whose ids begin so, none of them public, are in each state. */
export class CountOffers extends Query<Readonly<Partial<Record<PublicState, number>>>> {
  constructor(readonly beginning: string) {
    super();
  }
}

/** The state of the credentials with these ids, in their order. Answered by the module that issues them. */
export class FindStandings extends Query<readonly CredentialStanding[]> {
  constructor(readonly credentialIds: readonly string[]) {
    super();
  }
}
export type { Denial, DenialReason } from './offer/denial';
export { constantClaimsOrReason, denialReasonOf } from './offer/denial-reason';
export { credentialsOfAuthorization, originOf } from './offer/grant';
export type { AuthorizedData, Grant, Granted, GrantedCredential, GrantKind, GrantName } from './offer/grant';
