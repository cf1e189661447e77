import type { TimelineStep } from '@app/http';
import type { StoredEvent } from '@app/event-store';
import type { CredentialEvent } from './credential';
import type { DataFault } from '../wallet/data-webhook';

/** What can happen to a credential. */
export const credentialSteps = [
  'requested',
  'denied',
  'prepared',
  'data missed',
  'approval requested',
  'approved',
  'issued',
  'issued again',
  'signed again',
  'accepted',
  'refused',
  'deleted',
  'suspended',
  'reinstated',
  'revoked',
  'personal data erased',
  'wallet refused',
] as const;

type CredentialStep = TimelineStep & {
  readonly step: (typeof credentialSteps)[number];
  readonly detail: string | null;
};

/** Each says something by itself. */
type ToldEvent = Exclude<CredentialEvent, { readonly type: 'FurtherCopiesChanged' }>;

/** Without those that only belong to the event before them. */
export function toldEvents(history: readonly StoredEvent<CredentialEvent>[]): readonly StoredEvent<ToldEvent>[] {
  return history.flatMap((one) => (isTold(one.event) ? [{ ...one, event: one.event }] : []));
}

function isTold(event: CredentialEvent): event is ToldEvent {
  return event.type !== 'FurtherCopiesChanged';
}

/** An event of a credential as a portal reads it; without claims and keys. */
export function describeCredentialEvent(event: ToldEvent): CredentialStep {
  switch (event.type) {
    case 'CredentialRequested':
      return ok('requested', 'A wallet asked for it before its data was submitted, and waits.');
    case 'CredentialDenied':
      return ok('denied', 'The wallet gets the reason when it asks the next time.');
    case 'CredentialPrepared':
      return ok('prepared', 'Its data was submitted.');
    case 'CredentialDataMissed':
      return {
        step: 'data missed',
        outcome: 'refused',
        detail: `The portal was asked for its data: ${faultTexts[event.fault]}${event.claims ? ` (${event.claims.join(', ')})` : ''}.`,
      };
    case 'CredentialApprovalRequested':
      return ok('approval requested', 'It is issued once somebody approves it.');
    case 'CredentialApproved':
      return ok('approved');
    case 'CredentialIssued': {
      const { length } = event.holderKeys;
      return ok('issued', length === 1 ? 'To one key of a wallet.' : `To ${length} keys of a wallet, one copy each.`);
    }
    case 'CredentialReissued': {
      const { length } = event.holderKeys;
      const keys = length === 1 ? 'one other key' : `${length} other keys`;
      return ok('issued again', `To ${keys} of the wallet, which asked again. There are ${event.copies} copies now.`);
    }
    case 'CredentialSignedAgain':
      return ok('signed again', 'The wallet asked again, after the signing key was rotated.');
    case 'CredentialAccepted':
      return ok('accepted', 'The wallet has reported that it stored the credential.');
    case 'CredentialRefused': {
      const detail = 'The wallet has reported that it could not store the credential.';
      return { step: 'refused', outcome: 'refused', detail };
    }
    case 'CredentialDeleted':
      return ok('deleted', 'The wallet has reported that the person declined or deleted the credential.');
    case 'CredentialSuspended':
      return ok('suspended');
    case 'CredentialReinstated':
      return ok('reinstated');
    case 'CredentialRevoked':
      return ok('revoked');
    case 'PersonalDataErased':
      return ok('personal data erased');
  }
}

const faultTexts: Readonly<Record<DataFault, string>> = {
  'answer-not-understood': 'the answer is no JSON object with credentialSubject, or refresh in it is not true or false',
  'answer-of-another-authorization': 'the answer is for another authorization',
  'answer-too-large': 'the answer is larger than 1 MiB',
  'answered-with-an-error': 'the status of the answer is none of 200, 202, 403 and 404',
  'answered-with-a-redirect': 'redirects are not followed',
  'claims-invalid': 'claims of the answer cannot be issued by this template',
  'expiry-invalid': 'expiresAt of the answer is no date-time, in the past, or later than the template allows',
  'no-public-address': 'its host is not found, or has no public address',
  'not-configured': 'SERVICE__IDENTIFICATION__DATA_URL is empty',
  'template-unusable': 'the template cannot be used now: it is not published, or its schema is too slow',
  timeout: 'there was no answer within five seconds',
  unreachable: 'the server could not be reached',
};

function ok(step: CredentialStep['step'], detail: string | null = null): CredentialStep {
  return { step, outcome: 'ok', detail };
}
