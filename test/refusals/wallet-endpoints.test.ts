import { SealedTokens } from '@app/keys';
import { AsyncResource } from 'node:async_hooks';
import { answered, get, postJson, send } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { credentialStatus, prepareOffer } from '../support/portal/portal';
import { audienceOf, servedRoutes } from '../support/service/routes';
import { serviceOfFile } from '../support/service/service-of-file';
import {
  credentialRequest,
  nonceFrom,
  openSession,
  type RequestClass,
  requestCredential,
  type Session,
} from '../support/wallets/wallet';

const service = serviceOfFile();
let issuer: string;
beforeAll(() => {
  issuer = `${service.url}/openid4vci`;
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('the nonce endpoint', () => {
  it('answers GET with 405 and Allow: POST', async () => {
    const reply = await get(`${issuer}/nonce`);
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('POST');
  });

  it('never gives one nonce twice and is never cached', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => send(`${issuer}/nonce`, { method: 'POST' })));
    for (const reply of replies) expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(new Set(replies.map(({ json }) => json['c_nonce'])).size).toBe(10);
  });
});

/** Nest wraps every step of an interceptor with it, which cost an issuing flow a sixth of its processor time. */
describe('AsyncResource.bind', () => {
  let bound: jest.SpyInstance;
  beforeAll(() => {
    bound = jest.spyOn(AsyncResource, 'bind');
  });
  afterEach(() => bound.mockClear());
  afterAll(() => {
    bound.mockRestore();
  });

  it('is not called while a credential is issued', async () => {
    answered(200, await requestCredential(await session()));
    expect(bound).not.toHaveBeenCalled();
  });

  it('is called by no endpoint for wallets', async () => {
    const routes = servedRoutes(service.app).filter((route) => audienceOf(route) === 'wallets');
    expect(routes.map(({ name }) => name)).toContain('POST /openid4vci/token');
    const calling: string[] = [];
    for (const { name, method, path } of routes) {
      await send(`${service.url}${path}`, { method });
      if (bound.mock.calls.length > 0) calling.push(name);
      bound.mockClear();
    }
    expect(calling).toEqual([]);
  });
});

describe.each(['credential', 'draft-13/credential', 'draft-13/batch_credential', 'notification'])(
  '%s and its access token',
  (name) => {
    const url = () => `${issuer}/${name}`;

    it('without one gets a bare challenge', async () => {
      const reply = await postJson(url(), {});
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      expect(reply.text).toBe('');
    });

    it('another authentication scheme gets the same challenge', async () => {
      const reply = await postJson(url(), {}, { authorization: 'Basic dXNlcjpwYXNz' });
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    });

    it.each([
      ['one with another bit', async () => flipped(await token()), 'was not issued here'],
      ['a nonce', () => nonceFrom(issuer), 'was not issued here'],
      ['one that has expired', async () => expired(await token()), 'has expired'],
      ['the code that was redeemed for it', async () => (await session()).offer.code, 'was not issued here'],
      ['one of two words', () => 'a b', 'no well-formed bearer token'],
    ])('%s is rejected', async (_what, given, words) => {
      // Valid in everything else: only the token is wrong.
      const valid =
        name === 'notification'
          ? { notification_id: 'A'.repeat(32), event: 'credential_accepted' }
          : await credentialRequest(await session());
      const body = name === 'draft-13/batch_credential' ? { credential_requests: [valid] } : valid;
      const reply = await postJson(url(), body, bearer(await given()));
      expectRefusal(reply, 401, 'invalid_token');
      expect(reply.headers.get('www-authenticate')).toMatch(
        /^Bearer error="invalid_token", error_description="[^"\\]+"$/,
      );
      expect(reply.headers.get('www-authenticate')).toContain(words);
    });

    it('in the query or in the body it is ignored', async () => {
      const access_token = await token();
      const query = await postJson(`${url()}?access_token=${access_token}`, {});
      const body = await postJson(url(), { access_token });
      expect([query.status, body.status]).toEqual([401, 401]);
    });
  },
);

async function session(requestClass: RequestClass = 'F'): Promise<Session> {
  return openSession((await prepareOffer(service.url)).link, requestClass);
}

async function token(): Promise<string> {
  return (await session()).accessToken;
}

/** The same token, issued by the service, a second after its expiry. */
function expired(accessToken: string): string {
  // Behind the body are its expiry and MAC.
  const body = Buffer.from(accessToken, 'base64url').subarray(0, -38);
  return service.app.get(SealedTokens, { strict: false }).issue('access-token', body, new Date(Date.now() - 1000));
}

function flipped(text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

describe.each(['F', 'L13', 'L14'] as const)('a key proof in the shape %s', (shape) => {
  const error = shape === 'F' ? 'invalid_nonce' : 'invalid_proof';

  it('is accepted once', async () => {
    const one = await session(shape);
    const body = await credentialRequest(one);
    const again = () => postJson(String(one.metadata['credential_endpoint']), body, bearer(one.accessToken));
    answered(200, await again());
    const refused = await again();
    expectRefusal(refused, 400, error);
    expect(Object.hasOwn(refused.json, 'c_nonce')).toBe(shape !== 'F');
  });

  it('is accepted once across tokens, when its nonce is bound to none', async () => {
    const [one, other] = [await session(shape), await session(shape)];
    const nonce = await nonceFrom(issuer);
    answered(200, await requestCredential(one, { nonce }));
    expectRefusal(await requestCredential(other, { nonce }), 400, error);
  });

  it('is accepted once when it is sent twenty times at once', async () => {
    const one = await session(shape);
    const body = await credentialRequest(one);
    const url = String(one.metadata['credential_endpoint']);
    const replies = await Promise.all(Array.from({ length: 20 }, () => postJson(url, body, bearer(one.accessToken))));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200)) expectRefusal(reply, 400, error);
  });
});

describe('a notification', () => {
  let issued: { accessToken: string; id: string; credentialId: string };
  let foreign: string;
  beforeAll(async () => {
    const ids: { accessToken: string; id: string; credentialId: string }[] = [];
    for (let n = 0; n < 2; n++) {
      const { link, credentialIds } = await prepareOffer(service.url);
      const one = await openSession(link);
      const { notification_id } = answered(200, await requestCredential(one));
      ids.push({ accessToken: one.accessToken, id: String(notification_id), credentialId: credentialIds[0] ?? '' });
    }
    [issued = { accessToken: '', id: '', credentialId: '' }] = ids;
    foreign = ids[1]?.id ?? '';
  });

  it.each([
    ['an unknown id', () => ({ notification_id: 'A'.repeat(32) }), 'invalid_notification_id'],
    ['the id of another token', () => ({ notification_id: foreign }), 'invalid_notification_id'],
    ['an unknown event', () => ({ event: 'credential_lost' }), 'invalid_notification_request'],
  ])('with %s is rejected and changes nothing', async (_what, changes, error) => {
    const body = { notification_id: issued.id, event: 'credential_accepted', ...changes() };
    expectRefusal(await postJson(`${issuer}/notification`, body, bearer(issued.accessToken)), 400, error);
    expect(await credentialStatus(service.url, issued.credentialId)).toBe('Issued');
  });

  it('after the deletion changes nothing', async () => {
    for (const event of ['credential_accepted', 'credential_deleted', 'credential_accepted']) {
      const body = { notification_id: issued.id, event };
      expect((await postJson(`${issuer}/notification`, body, bearer(issued.accessToken))).status).toBe(204);
    }
    expect(await credentialStatus(service.url, issued.credentialId)).toBe('Deleted');
  });
});
