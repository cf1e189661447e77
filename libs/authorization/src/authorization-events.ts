import { counterOf, type EventTable, publicationOf, refusedWallet } from '@app/http';
import type { Identification } from '@app/templates';
import {
  authorizationAggregate,
  type AuthorizationEvent,
  type AuthorizationTerms,
  type RevocationCause,
} from './authorization';

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

/** What portals, metrics and others learn of the events of an authorization; without claims, codes and digests. */
export const authorizationEvents: EventTable<AuthorizationEvent> = {
  AuthorizationPushed: { step: 'requested', detail: describeRequest, counted: 'pushed', published: null },
  PersonIdentified: {
    step: 'person identified',
    detail: ({ source }) => identification[source],
    counted: 'identified',
    published: 'authorization.identified',
    data: ({ source }) => ({ source }),
  },
  ConsentGiven: { step: 'consent given', counted: 'consented', published: 'authorization.consented' },
  ConsentRefused: {
    step: 'refused',
    outcome: 'refused',
    detail: ({ reason, claims }) => {
      if (reason === undefined) return 'By the person.';
      return claims ? `${reason}: ${claims.join(', ')}` : reason;
    },
    counted: 'refused',
    published: 'authorization.refused',
    data: ({ reason, claims }) => ({
      ...(reason !== undefined && { reason }),
      ...(claims !== undefined && { claims }),
    }),
  },
  CodeIssued: {
    step: 'code issued',
    detail: ({ expiresAt }) => `The wallet can redeem it until ${expiresAt}.`,
    counted: null,
    published: null,
  },
  CodeRedeemed: {
    step: 'code redeemed',
    detail: ({ grantEndsAt }) => `The wallet can ask for credentials until ${grantEndsAt}.`,
    counted: 'redeemed',
    published: 'authorization.redeemed',
  },
  TokenRefreshed: {
    step: 'token refreshed',
    detail: ({ configurationIds }) => (configurationIds ? `For ${configurationIds.join(', ')} only.` : null),
    counted: 'refreshed',
    published: null,
  },
  AuthorizationRevoked: {
    step: 'revoked',
    outcome: 'refused',
    detail: ({ cause }) => revocation[cause],
    counted: 'revoked',
    published: 'authorization.revoked',
    data: ({ cause }) => ({ cause }),
  },
  WalletRefused: { ...refusedWallet, counted: null, published: null },
  PersonalDataErased: {
    step: 'personal data erased',
    detail: 'What was known of the person.',
    counted: null,
    published: null,
  },
};

const { category } = authorizationAggregate;

export const authorizationCounter = counterOf(authorizationEvents, {
  category,
  name: 'authorizations_total',
  help: 'Events of authorizations by code',
});

export const authorizationPublication = publicationOf(
  authorizationEvents,
  { category, resources: 'authorizations' },
  ({ id }) => ({ authorizationId: id }),
);

function describeRequest({ clientId, configurationIds, offerId }: AuthorizationTerms): string {
  const origin = offerId === undefined ? '' : ` for the offer ${offerId}`;
  return `${clientId} asks for ${configurationIds.join(', ')}${origin}.`;
}
