import { expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postForm, type Reply } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { authorize, clientId, type PushedRequest, pushRequest, redeemCode } from '../support/wallets/authorization';
import { newHolder } from '../support/wallets/key-proofs';
import { preAuthorizedGrant, readMetadata, readOffer, requestCredential } from '../support/wallets/wallet';

let service: RunningService;
let membership: string;
beforeAll(async () => {
  service = await startService();
  membership = await publishedTemplate(service.url, { scope: 'membership' });
}, 60_000);
afterAll(() => service.stop());

const issuer = (): string => `${service.url}/openid4vci`;

type Changes = Readonly<Record<string, string | undefined>>;

/** A request that a person has agreed to. */
async function withCode(changes: Changes = {}): Promise<{ request: PushedRequest; code: string }> {
  const request = await pushRequest(service.url, { scope: 'membership', ...changes });
  return { request, code: await authorize(service.url, request) };
}

async function credentialWith(token: Json, proof: Json = {}): Promise<Reply> {
  const session = {
    requestClass: 'F',
    offer: { issuer: issuer(), configurationIds: [membership], code: '', txCode: undefined },
    metadata: await readMetadata(issuer(), 'final'),
    token,
    accessToken: String(token['access_token']),
  } as const;
  return requestCredential(session, { holders: [newHolder()], proof: { claims: proof } });
}

describe('a token for a code', () => {
  it('names its scope, and public clients without a key get no refresh token with it', async () => {
    const { request, code } = await withCode({ scope: 'membership unknown' });
    const token = answered(200, await redeemCode(service.url, request, code));
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 300, scope: 'membership' });
    expect(token).not.toHaveProperty('refresh_token');
    expect(token).not.toHaveProperty('authorization_details');
  });

  it('names identifiers when the wallet asked by authorization_details', async () => {
    const details = [{ type: 'openid_credential', credential_configuration_id: membership }];
    const { request, code } = await withCode({ scope: undefined, authorization_details: JSON.stringify(details) });
    expect(answered(200, await redeemCode(service.url, request, code))).toMatchObject({
      authorization_details: [{ ...details[0], credential_identifiers: [membership] }],
    });
  });
});

describe('the proof of a key', () => {
  it.each<[string, Json, boolean]>([
    ['names the client of the token', { iss: clientId }, true],
    ['names nobody', {}, true],
    ['names another client', { iss: 'https://other.example' }, false],
  ])('that %s, %j', async (_what, claims, isAccepted) => {
    const { request, code } = await withCode();
    const reply = await credentialWith(answered(200, await redeemCode(service.url, request, code)), claims);
    if (isAccepted) expect(reply.status).toBe(200);
    else expectRefusal(reply, 400, 'invalid_proof');
  });
});

const other = 'A'.repeat(43);
const wrongs: [string, Changes | ((code: string) => Changes), number, string][] = [
  ['a code that was never issued', (code) => ({ code: 'A'.repeat(code.length) }), 400, 'invalid_grant'],
  ['a code with one other character', (code) => ({ code: altered(code) }), 400, 'invalid_grant'],
  ['another client', { client_id: 'https://other.example' }, 400, 'invalid_grant'],
  ['no client', { client_id: undefined }, 401, 'invalid_client'],
  ['another redirect_uri', { redirect_uri: 'https://wallet.example/cb' }, 400, 'invalid_grant'],
  ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_grant'],
  ['another code_verifier', { code_verifier: other }, 400, 'invalid_grant'],
  ['no code_verifier', { code_verifier: undefined }, 400, 'invalid_grant'],
  ['a code_verifier of 42 characters', { code_verifier: 'A'.repeat(42) }, 400, 'invalid_grant'],
  ['a code_verifier of odd characters', { code_verifier: `${'A'.repeat(43)}=` }, 400, 'invalid_grant'],
  ['no code', { code: undefined }, 400, 'invalid_request'],
  [
    'the code as that of an offer',
    (code) => ({ grant_type: preAuthorizedGrant, 'pre-authorized_code': code }),
    400,
    'invalid_grant',
  ],
  [
    'the code as a refresh token',
    (code) => ({ grant_type: 'refresh_token', refresh_token: code }),
    400,
    'invalid_grant',
  ],
  ['no refresh token', { grant_type: 'refresh_token' }, 400, 'invalid_request'],
  ['an unknown grant type', { grant_type: 'implicit' }, 400, 'unsupported_grant_type'],
];

describe('a token request', () => {
  it('with anything wrong is refused and leaves the code good', async () => {
    const { request, code } = await withCode();
    for (const [what, changes, status, error] of wrongs) {
      const reply = await redeemCode(
        service.url,
        request,
        code,
        typeof changes === 'function' ? changes(code) : changes,
      );
      expect({ what, status: reply.status, error: reply.json['error'] }).toEqual({ what, status, error });
      expectRefusal(reply, status, error);
    }
    const twice = await postForm(`${issuer()}/token`, [
      ['grant_type', 'authorization_code'],
      ['grant_type', 'authorization_code'],
    ]);
    expectRefusal(twice, 400, 'invalid_request');
    answered(200, await redeemCode(service.url, request, code));
  });

  it('with the code of an offer as that of a person is refused', async () => {
    const { request } = await withCode();
    const offer = await readOffer((await prepareOffer(service.url, [quickStart])).link);
    expectRefusal(await redeemCode(service.url, request, offer.code), 400, 'invalid_grant');
  });

  it('with a used code is refused, and what the code gave is void', async () => {
    const { request, code } = await withCode();
    const token = answered(200, await redeemCode(service.url, request, code));
    expectRefusal(await redeemCode(service.url, request, code, { client_id: 'thief' }), 400, 'invalid_grant');
    expectRefusal(await credentialWith(token), 401, 'invalid_token');
  });

  it.each(['access_token', 'c_nonce'])('with an %s as refresh token is refused', async (member) => {
    const { request, code } = await withCode();
    const token = answered(200, await redeemCode(service.url, request, code));
    const changes = { grant_type: 'refresh_token', refresh_token: String(token[member]) };
    expectRefusal(await redeemCode(service.url, request, code, changes), 400, 'invalid_grant');
  });
});

describe('the revocation endpoint', () => {
  const revoke = (token: unknown, more: [string, string][] = [['client_id', clientId]]): Promise<Reply> =>
    postForm(`${issuer()}/revoke`, [['token', String(token)], ...more]);

  it('ends what the wallet was given, and answers the same afterwards and for what it never gave', async () => {
    const { request, code } = await withCode();
    const token = answered(200, await redeemCode(service.url, request, code));
    for (const given of [token['access_token'], token['access_token'], other, code]) {
      const reply = await revoke(given);
      expect([reply.status, reply.text]).toEqual([200, '']);
    }
    expectRefusal(await credentialWith(token), 401, 'invalid_token');
  });

  it('ends nothing for another client, without a client or a token, and no pre-authorized code', async () => {
    const { request, code } = await withCode();
    const token = answered(200, await redeemCode(service.url, request, code));
    expectRefusal(await revoke(token['access_token'], [['client_id', 'https://other.example']]), 400, 'invalid_grant');
    expectRefusal(await revoke(token['access_token'], []), 401, 'invalid_client');
    expectRefusal(await revoke(''), 400, 'invalid_request');
    const offer = await readOffer((await prepareOffer(service.url, [quickStart])).link);
    const form: [string, string][] = [
      ['grant_type', preAuthorizedGrant],
      ['pre-authorized_code', offer.code],
    ];
    const anonymous = answered(200, await postForm(`${issuer()}/token`, form));
    expectRefusal(await revoke(anonymous['access_token']), 400, 'unsupported_token_type');
    expect((await credentialWith(token)).status).toBe(200);
    expect((await get(`${issuer()}/revoke`)).status).toBe(405);
  });
});

function altered(text: string): string {
  return `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
}
