import { refusedStep, type TimelineStep } from '@app/http';
import type { Identification } from '@app/templates';
import type { AuthorizationEvent, AuthorizationTerms, RevocationCause } from './authorization';

/** What can happen to an authorization. */
export const authorizationSteps = [
  'requested',
  'person identified',
  'consent given',
  'refused',
  'code issued',
  'code redeemed',
  'token refreshed',
  'revoked',
  'wallet refused',
  'personal data erased',
] as const;

type AuthorizationStep = TimelineStep & { readonly detail: string | null };

/** An event of an authorization as a portal reads it; without claims, codes and digests. */
export function describeAuthorizationEvent(event: AuthorizationEvent): AuthorizationStep {
  switch (event.type) {
    case 'AuthorizationPushed':
      return ok('requested', describeRequest(event));
    case 'PersonIdentified':
      return ok('person identified', identification[event.source]);
    case 'ConsentGiven':
      return ok('consent given');
    case 'ConsentRefused': {
      const { reason, claims } = event;
      if (reason === undefined) return { step: 'refused', outcome: 'refused', detail: 'By the person.' };
      const detail = claims ? `${reason}: ${claims.join(', ')}` : reason;
      return { step: 'refused', outcome: 'refused', detail };
    }
    case 'CodeIssued':
      return ok('code issued', `The wallet can redeem it until ${event.expiresAt}.`);
    case 'CodeRedeemed':
      return ok('code redeemed', `The wallet can ask for credentials until ${event.grantEndsAt}.`);
    case 'TokenRefreshed': {
      const { configurationIds } = event;
      return ok('token refreshed', configurationIds ? `For ${configurationIds.join(', ')} only.` : null);
    }
    case 'AuthorizationRevoked':
      return { step: 'revoked', outcome: 'refused', detail: revocation[event.cause] };
    case 'WalletRefused': {
      const { type: _type, ...refusal } = event;
      return refusedStep(refusal);
    }
    case 'PersonalDataErased':
      return ok('personal data erased', 'What was known of the person.');
  }
}

const identification: Readonly<Record<Identification, string>> = {
  development: 'By the form of the development profile.',
  openid: 'By the login provider.',
  presentation: 'By a presentation.',
  portal: 'By the portal that made the offer.',
};

const revocation: Readonly<Record<RevocationCause, string>> = {
  'code-reused': 'Its code was used a second time, so somebody else may have it.',
  wallet: 'By the wallet.',
  portal: 'By the management API.',
};

function describeRequest({ clientId, configurationIds, offerId }: AuthorizationTerms): string {
  const origin = offerId === undefined ? '' : ` for the offer ${offerId}`;
  return `${clientId} asks for ${configurationIds.join(', ')}${origin}.`;
}

function ok(step: (typeof authorizationSteps)[number], detail: string | null = null): AuthorizationStep {
  return { step, outcome: 'ok', detail };
}
