import { ask, receiveRequest, type Received, respond } from '../support/presenters/presenter';
import { foreignSdJwt, inSeconds, type JwtChanges, presentSdJwt, selfIssued } from '../support/presenters/credentials';
import { idCard } from '../support/presenters/holdings';
import { expectCheckFailed } from '../support/presenters/refusals';
import { newHolder, thumbprintOf } from '../support/wallets/key-proofs';
import { answered, type Json } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { type RunningService, startService } from '../support/service/service';

const canary = 'Zwergspitzmaus';
const holder = newHolder('ES256', 'did:jwk');
const stranger = newHolder('ES256', 'did:jwk');

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

function present(received: Received): { tokens: { id_card: string } } {
  const credential = foreignSdJwt(stranger, holder, { claims: { given_name: canary } });
  return { tokens: { id_card: presentSdJwt(credential, holder, received) } };
}

interface IdTokenRefusal {
  readonly what: string;
  readonly check: string;
  readonly by?: typeof holder;
  readonly changes: (received: Received) => JwtChanges;
}

const bareKey = newHolder('ES256', 'jwk');
const payload = (members: Json) => () => ({ payload: members });

const idTokenRefusals: IdTokenRefusal[] = [
  {
    what: 'of somebody who is not its subject',
    check: 'structure',
    changes: payload({ iss: 'https://issuer.example' }),
  },
  { what: 'without sub', check: 'structure', changes: payload({ sub: undefined, iss: undefined }) },
  { what: 'with another nonce', check: 'nonce', changes: payload({ nonce: 'x' }) },
  { what: 'without nonce', check: 'nonce', changes: payload({ nonce: undefined }) },
  { what: 'for somebody else', check: 'audience', changes: payload({ aud: 'x' }) },
  {
    what: 'for somebody else too',
    check: 'audience',
    changes: ({ clientId }) => ({ payload: { aud: [clientId, 'x'] } }),
  },
  {
    what: 'for a prefixed client',
    check: 'audience',
    changes: ({ clientId }) => ({ payload: { aud: `decentralized_identifier:${clientId}` } }),
  },
  { what: 'that expired', check: 'times', changes: payload({ exp: inSeconds(-120) }) },
  { what: 'without exp', check: 'times', changes: payload({ exp: undefined }) },
  { what: 'of yesterday', check: 'times', changes: payload({ iat: inSeconds(-86_400) }) },
  { what: 'with sub_jwk beside a DID', check: 'key-binding', changes: payload({ sub_jwk: holder.jwk }) },
  {
    what: 'with a kid of another DID',
    check: 'key-binding',
    changes: () => ({ header: stranger.header, signer: stranger }),
  },
  {
    what: 'signed by another key',
    check: 'key-binding',
    changes: () => ({ header: holder.header, sign: () => Buffer.alloc(64, 1) }),
  },
  {
    what: 'with none',
    check: 'key-binding',
    changes: () => ({ header: { alg: 'none' }, sign: () => Buffer.alloc(0) }),
  },
  { what: 'with RS256', check: 'key-binding', changes: () => ({ header: { alg: 'RS256' } }) },
  { what: 'without sub_jwk', check: 'key-binding', by: bareKey, changes: payload({ sub_jwk: undefined }) },
  {
    what: 'with a private sub_jwk',
    check: 'key-binding',
    by: bareKey,
    changes: payload({ sub_jwk: { ...bareKey.jwk, d: 'AAAA' } }),
  },
  {
    what: 'with a certificate in sub_jwk',
    check: 'key-binding',
    by: bareKey,
    changes: payload({ sub_jwk: { ...bareKey.jwk, x5c: ['AAAA'] } }),
  },
  {
    what: 'with the thumbprint of another key',
    check: 'key-binding',
    by: bareKey,
    changes: payload({ sub: thumbprintOf(holder.jwk), iss: thumbprintOf(holder.jwk) }),
  },
];

describe('an ID token is refused', () => {
  it.each(idTokenRefusals)('$what → $check', async ({ check, by = holder, changes }) => {
    const asked = await ask(service.url, {});
    const received = await receiveRequest(asked, 'siopv2');
    const thumbprint = thumbprintOf(by.jwk);
    const reply = await respond(received, { idToken: selfIssued(by, received, thumbprint, changes(received)) });
    const valid = () => ({ idToken: selfIssued(by, received, thumbprint) });
    await expectCheckFailed(asked, received, reply, { check }, valid, canary);
  });

  it('also beside a good presentation', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, responseType: 'vp_token id_token' });
    const received = await receiveRequest(asked);
    const idToken = selfIssued(holder, received, '');
    const forged = selfIssued(holder, received, '', { payload: { nonce: 'x' } });
    const reply = await respond(received, { ...present(received), idToken: forged });
    const valid = () => ({ ...present(received), idToken });
    await expectCheckFailed(asked, received, reply, { check: 'nonce' }, valid, canary);
  });
});

describe('an ID token alone', () => {
  it('is what a SIOPv2 request wants', async () => {
    const asked = await ask(service.url, {});
    const received = await receiveRequest(asked, 'siopv2');
    const idToken = selfIssued(holder, received, '');
    expectRefusal(await respond(received, {}), 400, 'invalid_request');
    expectRefusal(await respond(received, { idToken }, { vp_token: '{}' }), 400, 'invalid_request');
    answered(200, await respond(received, { idToken }));
  });
});
