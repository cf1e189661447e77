import { renderCredentialResponse } from './credential-response';
import recorded from '../recorded/credential-responses.json';
import { type NamedCredential, type RequestClass } from './request-class';

const one = 'LUpixVCWJk0eOt4CXQe1NXK....WZwmhmn9OQp6YxX0a2L';
const two = 'YXNkZnNhZGZkamZqZGFza23....29tZTIzMjMyMzIzMjMy';
const nonce = { nonce: 'fGFF7UkhLa', nonceExpiresIn: 86400 };
const noncePair = { c_nonce: 'fGFF7UkhLa', c_nonce_expires_in: 86400 };
const named: NamedCredential = { by: 'format', format: 'jwt_vc_json', types: ['VerifiableCredential'] };
const render = (requestClass: RequestClass, credentials: [string, ...string[]], notificationId?: string) =>
  renderCredentialResponse(
    { requestClass, named },
    { credentials, ...nonce, ...(notificationId === undefined ? {} : { notificationId }) },
  );

describe('the recorded credential responses', () => {
  it.each(recorded.responses)('$source is what a wallet of that draft reads', ({ source, body }) => {
    const issued: [string, ...string[]] = JSON.stringify(body).includes(two) ? [one, two] : [one];
    const old = /draft 1[34]/.test(source);
    const requestClass = !old ? 'F' : issued.length === 1 ? 'L13' : 'L14';
    const notificationId = 'notification_id' in body ? body.notification_id : undefined;
    const rendered = render(requestClass, issued, notificationId);
    // An L13 answer also has the array that draft 15 reads, and every answer a nonce for the next request.
    const credentials = requestClass === 'L13' ? [{ credential: one }] : body.credentials;
    expect(rendered).toEqual({ ...body, credentials, ...noncePair });
  });
});

describe('a credential response', () => {
  it('carries objects for class F, and a nonce for the next request', () => {
    expect(render('F', [one], 'n-1')).toEqual({
      credentials: [{ credential: one }],
      ...noncePair,
      notification_id: 'n-1',
    });
  });

  it('can be read both ways by a wallet that sent a single proof', () => {
    expect(render('F-single', [one], 'n-1')).toEqual({
      credential: one,
      credentials: [{ credential: one }],
      notification_id: 'n-1',
      ...noncePair,
    });
  });

  it('repeats the format for draft 11', () => {
    expect(render('L11', [one])).toEqual({
      format: 'jwt_vc_json',
      credential: one,
      credentials: [{ credential: one }],
      ...noncePair,
    });
  });
});
