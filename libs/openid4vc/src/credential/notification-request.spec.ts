import fc from 'fast-check';
import { parseNotificationRequest } from './notification-request';
import { OAuthError } from '../wire/oauth-error';

const valid = { notification_id: '3fwe98js', event: 'credential_accepted' };
const codeOf = (body: unknown): unknown => {
  try {
    return parseNotificationRequest(body);
  } catch (error) {
    if (error instanceof OAuthError) return error.code;
    throw error;
  }
};

describe('a notification', () => {
  it('names the issuance and what became of it', () => {
    expect(parseNotificationRequest(valid)).toEqual({ notificationId: '3fwe98js', event: 'credential_accepted' });
  });

  it('may explain itself and carry what we do not know', () => {
    const sent = { ...valid, event: 'credential_failure', event_description: 'Out of "storage".\n', more: 1 };
    expect(parseNotificationRequest(sent)).toEqual({
      notificationId: '3fwe98js',
      event: 'credential_failure',
      description: "Out of 'storage'. ",
    });
    expect(codeOf({ ...valid, event_description: null })).toEqual(parseNotificationRequest(valid));
  });

  it.each<[string, unknown, string]>([
    ['no object', [], 'invalid_notification_request'],
    ['no id', { event: 'credential_accepted' }, 'invalid_notification_request'],
    ['an unknown event', { ...valid, event: 'credential_lost' }, 'invalid_notification_request'],
    ['the event __proto__', { ...valid, event: '__proto__' }, 'invalid_notification_request'],
    ['an id that is an object', { ...valid, notification_id: {} }, 'invalid_notification_request'],
    ['no event', { notification_id: 'x' }, 'invalid_notification_request'],
    ['a description that is no text', { ...valid, event_description: 1 }, 'invalid_notification_request'],
    ['an id that cannot be ours', { ...valid, notification_id: 'a\0b' }, 'invalid_notification_id'],
    ['an empty id', { ...valid, notification_id: '' }, 'invalid_notification_id'],
    ['an id of odd characters', { ...valid, notification_id: 'ü"\\' }, 'invalid_notification_id'],
    ['an endless id', { ...valid, notification_id: 'x'.repeat(257) }, 'invalid_notification_id'],
  ])('is refused with %s', (_name, body, code) => {
    expect(codeOf(body)).toBe(code);
  });

  it('never fails in another way', () => {
    const body = fc.record({ notification_id: fc.anything(), event: fc.anything(), event_description: fc.anything() });
    const refusals = ['invalid_notification_request', 'invalid_notification_id'];
    fc.assert(
      fc.property(fc.oneof(fc.anything(), body), (sent) => {
        const outcome = codeOf(sent);
        if (typeof outcome === 'string') expect(refusals).toContain(outcome);
        else expect(outcome).toHaveProperty('notificationId');
      }),
    );
  });
});
