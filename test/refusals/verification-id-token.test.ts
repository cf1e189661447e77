import { ask, receiveRequest, type Received, respond, resultOf } from '../support/presenters/presenter';
import { foreignSdJwt, inSeconds, type JwtChanges, presentSdJwt, selfIssued } from '../support/presenters/credentials';
import { idCard } from '../support/presenters/holdings';
import { expectCheckFailed } from '../support/presenters/refusals';
import { newHolder, thumbprintOf } from '../support/wallets/key-proofs';
import { answered, type Json, send } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { serviceOfFile } from '../support/service/service-of-file';

const canary = 'Zwergspitzmaus';
const holder = newHolder('ES256', 'did:jwk');
const other = newHolder('ES256', 'did:jwk');

const service = serviceOfFile();

function present(received: Received): { tokens: { id_card: string } } {
  const credential = foreignSdJwt(other, holder, { claims: { given_name: canary } });
  return { tokens: { id_card: presentSdJwt(credential, holder, received) } };
}

const bareKey = newHolder('ES256', 'jwk');
const payload = (members: Json) => () => ({ payload: members });

interface FailedCheck {
  readonly what: string;
  readonly check: string;
  readonly by?: typeof holder;
  readonly changes: (received: Received) => JwtChanges;
}

// Each fault that a check finds is listed in libs/credentials/src/presentation/siop-id-token.spec.ts.
const rows: FailedCheck[] = [
  { what: 'of another issuer than its subject', check: 'structure', changes: payload({ iss: 'https://a.example' }) },
  { what: 'for another nonce', check: 'nonce', changes: payload({ nonce: 'x' }) },
  {
    what: 'for the client with a prefix',
    check: 'audience',
    changes: ({ clientId }) => ({ payload: { aud: `decentralized_identifier:${clientId}` } }),
  },
  { what: 'that has expired', check: 'times', changes: payload({ exp: inSeconds(-120) }) },
  {
    what: 'signed by a key of another DID',
    check: 'key-binding',
    changes: () => ({ header: other.header, signer: other }),
  },
  {
    what: 'with the thumbprint of another key',
    check: 'key-binding',
    by: bareKey,
    changes: payload({ sub: thumbprintOf(holder.jwk), iss: thumbprintOf(holder.jwk) }),
  },
];

describe('a wallet that sends none', () => {
  // SIOPv2 draft 13 §10.3.
  it.each([
    'user_cancelled',
    'client_metadata_value_not_supported',
    'subject_syntax_types_not_supported',
    'invalid_client_metadata_uri',
    'invalid_client_metadata_object',
  ])('says why in a word that is of no person, and outlives an erasure: %s', async (error) => {
    const asked = await ask(service.url, {});
    answered(200, await respond(await receiveRequest(asked, 'siopv2'), {}, { error }));
    const place = `${service.url}/v0/authorization_requests/${asked.state}/personal_data`;
    expect((await send(place, { method: 'DELETE' })).status).toBe(204);
    expect(await resultOf(asked)).toMatchObject({ failure: { check: 'wallet', reason: error } });
  });
});

describe('an ID token', () => {
  it.each(rows)('$what fails the check $check', async ({ check, by = holder, changes }) => {
    const asked = await ask(service.url, {});
    const received = await receiveRequest(asked, 'siopv2');
    const thumbprint = thumbprintOf(by.jwk);
    const reply = await respond(received, { idToken: selfIssued(by, received, thumbprint, changes(received)) });
    const valid = () => ({ idToken: selfIssued(by, received, thumbprint) });
    await expectCheckFailed(asked, received, reply, { check }, valid, canary);
  });

  it('fails its checks also next to a valid presentation', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, responseType: 'vp_token id_token' });
    const received = await receiveRequest(asked);
    const idToken = selfIssued(holder, received, '');
    const forged = selfIssued(holder, received, '', { payload: { nonce: 'x' } });
    const reply = await respond(received, { ...present(received), idToken: forged });
    const valid = () => ({ ...present(received), idToken });
    await expectCheckFailed(asked, received, reply, { check: 'nonce' }, valid, canary);
  });
});

describe('a response to a SIOPv2 request', () => {
  it('is an ID token alone', async () => {
    const asked = await ask(service.url, {});
    const received = await receiveRequest(asked, 'siopv2');
    const idToken = selfIssued(holder, received, '');
    expectRefusal(await respond(received, {}), 400, 'invalid_request');
    expectRefusal(await respond(received, { idToken }, { vp_token: '{}' }), 400, 'invalid_request');
    answered(200, await respond(received, { idToken }));
  });
});
