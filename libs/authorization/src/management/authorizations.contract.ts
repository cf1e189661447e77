import {
  closed,
  component,
  dateTime,
  eg,
  is,
  listOf,
  ListQuery,
  resource,
  text,
  textOrNull,
  timeline,
  timelineSteps,
} from '@app/http';
import { authorizationStatuses, type AuthorizationStatus } from './authorization-status';
import { authorizationEvents } from '../authorization-events';

const id = '2f1c7d2e-8a39-4b0f-9d53-0c6f2f5f7a11';
const requestedAt = '2026-11-20T10:00:00.000Z';
const clientId = 'https://wallet.example';

const listed = {
  authorizationId: eg(id, text),
  status: eg('redeemed', {
    enum: authorizationStatuses,
    description:
      '`requested`: the person has not been identified yet; `identified`: but has not agreed yet; `consented`: the wallet has a ' +
      'code; `redeemed`: it has tokens; `refused`: by the person, or by this service; `expired`: nobody agreed in time.',
  }),
  clientId: eg(clientId, { ...text, description: 'The wallet, by the `client_id` of its request.' }),
  'clientName?': { ...text, description: 'As the wallet is called on the page.' },
  'offerId?': { ...text, description: 'The offer that it began with; absent when the wallet began by itself.' },
  credentialConfigurationIds: eg(['diploma'], {
    type: 'array',
    items: text,
    description: 'What the wallet asked for.',
  }),
  createdAt: eg(requestedAt, dateTime),
  expiresAt: eg('2026-11-20T10:11:00.000Z', { ...dateTime, description: 'Until then the person can agree.' }),
  'redeemedAt?': { ...dateTime, description: 'When the wallet exchanged its code.' },
};
const listedAuthorization = component('ListedAuthorization', closed(listed));
const detail = { ...textOrNull, description: 'One sentence for portal operators, where there is more to report.' };
const history = timeline(timelineSteps(authorizationEvents), ['ok', 'refused'], detail);
const entry = { at: requestedAt, step: 'requested', outcome: 'ok', detail: `By the client ${clientId}, for diploma.` };
const authorization = component('Authorization', closed({ ...listed, timeline: eg([entry], history) }));

class AuthorizationQuery extends ListQuery {
  @is.Optional(
    'Only those with this status, the latest first by the time until which the person could agree.',
    is.OneOf(authorizationStatuses),
  )
  readonly status?: AuthorizationStatus;
  @is.Optional('Only those that began with this offer.', is.Text(1, 256))
  readonly offerId?: string;
  @is.Optional('Only those of this wallet.', is.Text(1, 2048))
  readonly clientId?: string;
  @is.Optional('Only those created at or after this time.', is.Moment('2027-06-30T00:00:00Z'))
  readonly createdAfter?: string;
  @is.Optional('Only those created before this time.', is.Moment('2027-07-01T00:00:00Z'))
  readonly createdBefore?: string;
}

export const authorizations = resource(
  {
    path: 'v0/authorizations',
    area: 'authorizations',
    tag: 'Authorizations',
    description: 'What people let wallets fetch: the authorization code flow. Nothing of the person is in them.',
    parameters: { authorizationId: { description: 'The id of the authorization.', schema: text, example: id } },
  },
  {
    list: listOf(
      'listAuthorizations',
      'List the authorizations, newest first',
      listedAuthorization,
      AuthorizationQuery,
    ),
    get: {
      id: 'getAuthorization',
      route: 'GET :authorizationId',
      summary: 'Get an authorization with its history',
      answers: { 200: { description: 'The authorization.', schema: authorization } },
    },
    revoke: {
      id: 'revokeAuthorization',
      route: 'POST :authorizationId/revoke',
      summary: 'Revoke an authorization permanently',
      description:
        'The code and the tokens of the wallet are void, at once and on all replicas. Credentials that it has stay valid: ' +
        'revoke them by `POST /v0/credentials/{credentialId}/revoke`. One that was refused or revoked stays as it is.',
      answers: { 204: 'The wallet can fetch nothing more.' },
    },
  },
);
