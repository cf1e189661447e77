import { counterOf, type EventTable, publicationOf, refusedWallet, timelineSteps } from '@app/http';
import type { EventCounter } from '@app/observability';
import type { Denial } from '../offer/denial';
import { type Offer, offerAggregate, type OfferEvent, type OfferOptions, type Reopening } from '../offer/offer';
import { mostWrongTransactionCodes } from '../offer/offer-redemption';

/** What portals, metrics and others learn of the events of an offer; without codes and digests. */
export const offerEvents: EventTable<OfferEvent> = {
  OfferCreated: {
    step: 'created',
    detail: ({ credentials, byAuthorization }) => {
      const ids = credentials.map(({ configurationId }) => configurationId);
      const promised = ids.length > 0 ? `Promises ${ids.join(', ')}.` : 'Empty until a credential is attached.';
      return [promised, ...describeGrants(byAuthorization)].join(' ');
    },
    counted: 'created',
    published: null,
  },
  CredentialAttached: {
    step: 'credential attached',
    detail: ({ configurationId, credentialId }) => `${configurationId}, as the credential ${credentialId}.`,
    counted: null,
    published: null,
  },
  CredentialAwaited: {
    step: 'credential requested',
    detail: ({ configurationId, credentialId }) =>
      `${configurationId}: submit its data, or deny the credential ${credentialId}. The wallet waits.`,
    counted: null,
    published: null,
  },
  OfferOptionsSet: { step: 'options set', detail: describeOptions, counted: null, published: null },
  OfferSent: { step: 'sent', detail: ({ to }) => `To ${to}.`, counted: 'sent', published: null },
  SendingFailed: {
    step: 'sent',
    outcome: 'failed',
    detail: ({ to, reason }) => `To ${to}: ${reason}.`,
    counted: 'sending_failed',
    published: null,
  },
  // A fetch changes no state, and may be recorded after what changed it.
  OfferFetched: {
    step: 'fetched',
    detail: 'By a wallet, for the first time.',
    at: ({ fetchedAt }) => fetchedAt,
    counted: 'fetched',
    published: 'offer.fetched',
  },
  OfferFetchedWithoutData: {
    step: 'fetched',
    outcome: 'refused',
    detail: 'A wallet fetched the offer before all data was submitted: submit it, then the same link works.',
    counted: null,
    published: null,
  },
  OfferRedeemed: {
    step: 'redeemed',
    detail: ({ by, granted }) => {
      const ids = granted.configurationIds.join(', ');
      if (!by) return `A wallet may fetch ${ids}.`;
      return `The wallet ${by.clientId} may fetch ${ids}, by the authorization ${by.authorizationId}.`;
    },
    counted: 'redeemed',
    published: 'offer.redeemed',
    data: ({ granted }) => ({ state: 'Redeemed', credentialConfigurationIds: granted.configurationIds }),
  },
  TokenAnswerLost: {
    step: 'redeemed',
    outcome: 'failed',
    detail: 'The connection ended before the wallet had its token; it can ask again for a minute.',
    counted: 'answer_lost',
    published: null,
  },
  TokenAnswerRepeated: {
    step: 'redeemed',
    detail: 'The wallet asked again and got the same token.',
    counted: 'answer_repeated',
    published: null,
  },
  TransactionCodeRefused: {
    step: 'redeemed',
    outcome: 'refused',
    detail: 'The transaction code was wrong.',
    counted: 'wrong_transaction_code',
    published: null,
  },
  WalletRefused: { ...refusedWallet, counted: null, published: null },
  CredentialRequestDenied: {
    step: 'credential denied',
    outcome: 'refused',
    detail: remedyOf,
    counted: 'credential_denied',
    published: null,
  },
  OfferLocked: {
    step: 'locked',
    outcome: 'refused',
    detail: `${mostWrongTransactionCodes} wrong transaction codes: reopen the offer or create a new one.`,
    counted: 'locked',
    published: 'offer.locked',
    data: () => ({ state: 'Locked' }),
  },
  OfferExpired: {
    step: 'expired',
    at: ({ expiresAt }) => expiresAt,
    counted: 'expired',
    published: 'offer.expired',
    data: () => ({ state: 'Expired' }),
  },
  OfferWithdrawn: { step: 'withdrawn', counted: 'withdrawn', published: null },
  OfferTakenOffline: { step: 'taken offline', counted: 'taken_offline', published: null },
  OfferTakenOnline: { step: 'taken online', counted: 'taken_online', published: null },
  OfferReopened: { step: 'reopened', detail: describeReopening, counted: 'reopened', published: null },
  PersonalDataErased: {
    step: 'personal data erased',
    detail: 'The description of the transaction code.',
    counted: null,
    published: null,
  },
};

const steps = timelineSteps(offerEvents);
/** What can happen to an offer and, after a denial, to its credentials. */
export const offerSteps = steps.toSpliced(
  steps.indexOf('locked'),
  0,
  ...['issued', 'issued again', 'accepted', 'refused', 'deleted'].map((outcome) => `credential ${outcome}`),
);

const { category } = offerAggregate;
const counter = counterOf(offerEvents, {
  category,
  name: 'offers_total',
  help: 'Events of offers; refused: rejected token requests',
});

/** A token request that was refused; the one outcome that leaves no event. */
export const redemptionRefused = { outcome: 'refused' } as const;

export const offerCounter: EventCounter = {
  ...counter,
  series: [...counter.series, redemptionRefused],
  // The claim of a public offer is made when a wallet accepts the offer, so it does not count as created.
  seriesOf: (type, state) =>
    type === 'OfferCreated' && (state as Offer).claimOf !== undefined ? undefined : counter.seriesOf(type, state),
};

export const offerPublication = publicationOf(offerEvents, { category, resources: 'offers' }, ({ id, terms }) => ({
  offerId: id,
  ...terms,
}));

function describeReopening({ by, expiresAt }: Reopening): string {
  const who = by === undefined ? '' : `By ${by}. `;
  return `${who}There is a new link, open until ${expiresAt}; the former one is void.`;
}

/** Nothing for a pre-authorized code alone, as offers have it unless a portal asks for more. */
function describeGrants(byAuthorization: OfferOptions['byAuthorization']): string[] {
  if (byAuthorization === undefined) return [];
  if (byAuthorization === null) return ['Accepted by pre-authorized code.'];
  const { identification, sealedSubject, orPreAuthorized } = byAuthorization;
  const grants = `Accepted by authorization code${orPreAuthorized ? ' or pre-authorized code' : ''}.`;
  const subject = sealedSubject === undefined ? '' : ' and must be the expected one';
  return [grants, `The person is identified by: ${identification}${subject}.`];
}

function describeOptions({ expiresAt, transactionCode, byAuthorization }: OfferOptions): string {
  const changes = describeGrants(byAuthorization);
  if (transactionCode) changes.push('Wallets need a new transaction code.');
  if (expiresAt !== undefined) changes.push(`Open until ${expiresAt}.`);
  return changes.join(' ');
}

function remedyOf({ configurationId: id, reason }: Denial): string {
  switch (reason) {
    case 'template-archived':
      return `The template ${id} is archived: restore it or create a new offer.`;
    case 'template-deleted':
      return `The template ${id} was deleted: create a new offer of another template.`;
    case 'configuration-removed':
      return `The credential configuration ${id} is no longer provisioned: provision it again or create a new offer.`;
    case 'newer-version':
      return `A newer version of this service wrote the template ${id}, with properties that this version does not know: update the service.`;
    case 'schema-unusable':
      return `The schema of the template ${id} cannot be used by this version of the service: change it.`;
    case 'claims-open':
      return `The template ${id} no longer has constant claims only: make all of them constant again.`;
    case 'credential-missing':
      return `There is no data for ${id}: submit it for a new offer.`;
    case 'credential-expired':
      return `The credential of ${id} expired before a wallet fetched it: submit it again for a new offer.`;
    case 'credential-erased':
      return `The personal data of ${id} was erased: submit it again for a new offer.`;
    case 'credential-other-holder':
      return `The wallet did not prove the credentialSubject.id of ${id}, or the key that the signed credential is bound to: submit the credential without an id, or set the subject of its template to thing. A wallet that names no DID can prove a did:jwk or did:key only.`;
    case 'credential-other-keys':
      return `A wallet asked again for ${id}, with keys other than those it was issued to: create a new offer if needed.`;
    case 'credential-overdue':
      return `The data of ${id} was not submitted while the wallet waited: submit it for a new offer.`;
    case 'credential-denied':
      return `The wallet got the reason for which the credential of ${id} was denied.`;
    case 'credential-finished':
      return `The wallet asked again for ${id} after it had reported the outcome: create a new offer if needed.`;
    case 'credential-not-valid':
      return `The wallet asked again for ${id}, which is suspended or revoked: reinstate it, or create a new offer.`;
    case 'credential-too-many-copies':
      return `The wallet asked for more copies of ${id} than its template, or SERVICE__ISSUANCE__MAX_COPIES, allows.`;
  }
}
