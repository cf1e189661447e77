import { refusedStep, type TimelineStep } from '@app/http';
import type { Denial } from '../offer/denial';
import { mostWrongTransactionCodes } from '../offer/offer-redemption';
import type { OfferEvent, OfferOptions, Reopening } from '../offer/offer';

/** What can happen to an offer and its credentials. */
export const offerSteps = [
  'created',
  'credential attached',
  'credential requested',
  'options set',
  'sent',
  'fetched',
  'redeemed',
  'wallet refused',
  'credential denied',
  'credential issued',
  'credential accepted',
  'credential refused',
  'credential deleted',
  'locked',
  'expired',
  'withdrawn',
  'taken offline',
  'taken online',
  'reopened',
  'personal data erased',
] as const;

type OfferStep = TimelineStep & { readonly detail: string | null };

/** An event of an offer as a portal reads it; without codes and digests. */
export function describeOfferEvent(event: OfferEvent): OfferStep {
  switch (event.type) {
    case 'OfferCreated': {
      const ids = event.credentials.map(({ configurationId }) => configurationId);
      const promised = ids.length > 0 ? `Promises ${ids.join(', ')}.` : 'Empty until a credential is attached.';
      return ok('created', [promised, ...describeGrants(event.byAuthorization)].join(' '));
    }
    case 'CredentialAttached':
      return ok('credential attached', `${event.configurationId}, as the credential ${event.credentialId}.`);
    case 'CredentialAwaited': {
      const { configurationId, credentialId } = event;
      const detail = `${configurationId}: submit its data, or deny the credential ${credentialId}. The wallet waits.`;
      return ok('credential requested', detail);
    }
    case 'OfferOptionsSet':
      return ok('options set', describeOptions(event));
    case 'TransactionCodeRefused':
      return { step: 'redeemed', outcome: 'refused', detail: 'The transaction code was wrong.' };
    case 'OfferLocked': {
      const detail = `${mostWrongTransactionCodes} wrong transaction codes: reopen the offer or create a new one.`;
      return { step: 'locked', outcome: 'refused', detail };
    }
    case 'OfferExpired':
      return { ...ok('expired'), at: event.expiresAt };
    case 'OfferRedeemed': {
      const { by, granted } = event;
      const ids = granted.configurationIds.join(', ');
      if (!by) return ok('redeemed', `A wallet may fetch ${ids}.`);
      return ok('redeemed', `The wallet ${by.clientId} may fetch ${ids}, by the authorization ${by.authorizationId}.`);
    }
    case 'TokenAnswerLost': {
      const detail = 'The connection ended before the wallet had its token; it can ask again for a minute.';
      return { step: 'redeemed', outcome: 'failed', detail };
    }
    case 'TokenAnswerRepeated':
      return ok('redeemed', 'The wallet asked again and got the same token.');
    case 'OfferWithdrawn':
      return ok('withdrawn');
    case 'OfferTakenOffline':
      return ok('taken offline');
    case 'OfferTakenOnline':
      return ok('taken online');
    case 'OfferReopened':
      return ok('reopened', describeReopening(event));
    case 'OfferFetched':
      return {
        ...ok('fetched', 'By a wallet, for the first time.'),
        ...(event.fetchedAt !== undefined && { at: event.fetchedAt }),
      };
    case 'OfferFetchedWithoutData': {
      const detail = 'A wallet fetched the offer before all data was submitted: submit it, then the same link works.';
      return { step: 'fetched', outcome: 'refused', detail };
    }
    case 'OfferSent':
      return ok('sent', `To ${event.to}.`);
    case 'SendingFailed':
      return { step: 'sent', outcome: 'failed', detail: `To ${event.to}: ${event.reason}.` };
    case 'PersonalDataErased':
      return ok('personal data erased', 'The description of the transaction code.');
    case 'WalletRefused': {
      const { type: _type, ...refusal } = event;
      return refusedStep(refusal);
    }
    case 'CredentialRequestDenied':
      return { step: 'credential denied', outcome: 'refused', detail: remedyOf(event) };
  }
}

function ok(step: (typeof offerSteps)[number], detail: string | null = null): OfferStep {
  return { step, outcome: 'ok', detail };
}

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
