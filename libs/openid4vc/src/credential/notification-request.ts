import { OAuthError, type Quoting, sanitiseDescription } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { isWireObject, member } from '../wire/wire-object';

const EVENTS = ['credential_accepted', 'credential_failure', 'credential_deleted'] as const;

export interface NotificationRequest {
  readonly notificationId: string;
  readonly event: (typeof EVENTS)[number];
  /** The wallet's words, reduced to the characters and length the specification allows. */
  readonly description?: string;
}

/**
 * Reads the JSON body of a notification request (OpenID4VCI 1.0 §11.1, alike in every draft).
 * @throws OAuthError invalid_notification_request or invalid_notification_id.
 */
export function parseNotificationRequest(body: unknown): NotificationRequest {
  if (!isWireObject(body)) throw invalid('not-an-object', 'The body of a notification must be a JSON object.');
  const notificationId = member(body, 'notification_id');
  if (typeof notificationId !== 'string') throw invalid('notification-id-missing', 'notification_id must be a string.');
  // Ours are visible ASCII; refusing anything else here keeps odd characters away from every look-up.
  if (!/^[\x21-\x7e]{1,256}$/u.test(notificationId)) {
    throw new OAuthError('invalid_notification_id', 'The notification_id was not issued by this issuer.', {
      reason: 'notification-id-malformed',
    });
  }
  const event = EVENTS.find((known) => known === member(body, 'event'));
  if (event === undefined) throw invalid('event-unknown', `event must be one of ${EVENTS.join(', ')}.`);
  const description = member(body, 'event_description');
  if (description !== undefined && typeof description !== 'string') {
    throw invalid('event-description-malformed', 'event_description must be a string.');
  }
  return {
    notificationId,
    event,
    ...(description === undefined ? {} : { description: sanitiseDescription(description) }),
  };
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_notification_request', description, { reason });
}
