import type { TimelineStep } from '@app/http';
import { mostWrongTransactionCodes, type OfferEvent } from './offer';

/** What an event of an offer means to a portal, in words; codes and their digests stay out of it. */
export function tellOfferEvent(event: OfferEvent): TimelineStep & { readonly detail: string | null } {
  switch (event.type) {
    case 'OfferCreated': {
      const ids = event.credentials.map(({ configurationId }) => configurationId);
      return ok('created', ids.length > 0 ? `Promises ${ids.join(', ')}.` : 'Empty until a credential is attached.');
    }
    case 'CredentialAttached':
      return ok('credential attached', `${event.configurationId}, as the credential ${event.credentialId}.`);
    case 'TransactionCodeRefused':
      return { step: 'redeemed', outcome: 'refused', detail: 'The transaction code was wrong.' };
    case 'OfferLocked': {
      const detail = `${mostWrongTransactionCodes} wrong transaction codes: create a new offer.`;
      return { step: 'locked', outcome: 'refused', detail };
    }
    case 'OfferRedeemed':
      return ok('redeemed', `A wallet may fetch ${event.granted.configurationIds.join(', ')}.`);
    case 'OfferWithdrawn':
      return ok('withdrawn');
    case 'OfferTakenOffline':
      return ok('taken offline');
    case 'OfferTakenOnline':
      return ok('taken online');
  }
}

function ok(step: string, detail: string | null = null): TimelineStep & { readonly detail: string | null } {
  return { step, outcome: 'ok', detail };
}
