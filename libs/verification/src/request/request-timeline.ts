import { refusedStep, type TimelineStep } from '@app/http';
import type { AuthorizationRequestEvent } from './request-record';
import { variantNames } from './variant-names';

/** What can happen to a request. */
export const requestSteps = [
  'requested',
  'retrieved',
  'wallet refused',
  'presented',
  'declined',
  'expired',
  'response code redeemed',
  'return refused',
  'abandoned',
  'personal data erased',
] as const;

type RequestStep = TimelineStep & { readonly step: (typeof requestSteps)[number] };

/** What an event means to a relying party, without anything that was presented. */
export function describeRequestEvent(event: AuthorizationRequestEvent): RequestStep {
  switch (event.type) {
    case 'AuthorizationRequested':
      return { step: 'requested', outcome: 'ok', detail: event.variants.map(({ variant }) => variantNames[variant]) };
    case 'RequestRetrieved':
      return {
        step: 'retrieved',
        outcome: 'ok',
        detail: variantNames[event.variant],
        ...(event.retrievedAt !== undefined && { at: event.retrievedAt }),
      };
    case 'ResponseRefused': {
      const { type: _type, variant: _variant, ...refusal } = event;
      return refusedStep(refusal);
    }
    case 'PresentationRejected':
      return { step: 'presented', outcome: 'rejected', detail: event.failure };
    case 'WalletDeclined': {
      const { error, description } = event;
      return { step: 'declined', outcome: 'rejected', detail: { error, ...(description && { description }) } };
    }
    case 'RequestExpired':
      return { step: 'expired', outcome: 'ok', detail: null, at: event.expiresAt };
    case 'PresentationVerified':
      return {
        step: 'presented',
        outcome: 'verified',
        detail: { via: variantNames[event.variant], checks: event.checks },
      };
    case 'ReturnRefused':
      return { step: 'return refused', outcome: 'refused', detail: 'in another browser than the one that began' };
    case 'PresentationAbandoned':
      return { step: 'abandoned', outcome: 'rejected', detail: event.failure, at: event.returnBy };
    case 'ResponseCodeRedeemed':
      return { step: 'response code redeemed', outcome: 'ok', detail: null };
    case 'PersonalDataErased':
      return { step: 'personal data erased', outcome: 'ok', detail: event.cause };
  }
}
