import { ask, receiveRequest, respond, resultOf, type Variant } from '../support/presenters/presenter';
import {
  foreignJwtVc,
  foreignSdJwt,
  membershipVct,
  presentJwtVc,
  presentSdJwt,
  selfIssued,
} from '../support/presenters/credentials';
import { degree, type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { type Holder, newHolder, thumbprintOf } from '../support/wallets/key-proofs';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import { serviceOfFile } from '../support/service/service-of-file';

const issuer = newHolder('EdDSA', 'did:jwk');

const service = serviceOfFile();
let holdings: Holdings;
let holder: Holder;
beforeAll(async () => {
  holdings = await receiveHoldings(service.url, { given_name: 'Erika', family_name: 'Mustermann', level: 3 });
  ({ holder } = holdings);
});

interface Way {
  readonly variant: Variant;
  readonly ids: readonly string[];
  readonly body?: Json;
}

const ways: Way[] = [
  { variant: '1.0', ids: ['id_card'] },
  { variant: '1.0', ids: ['degree'] },
  { variant: '1.0', ids: ['id_card', 'degree'] },
  { variant: '1.0', ids: ['id_card', 'degree'], body: { responseMode: 'direct_post.jwt' } },
  { variant: '1.0', ids: ['id_card'], body: { clientIdPrefix: 'redirect_uri' } },
  { variant: '1.0', ids: ['degree'], body: { clientIdPrefix: 'redirect_uri', responseMode: 'direct_post.jwt' } },
  { variant: '1.0', ids: ['id_card'], body: { responseType: 'vp_token id_token' } },
  { variant: '1.0', ids: ['id_card'], body: { clientIdPrefix: 'x509_hash', responseMode: 'direct_post.jwt' } },
  { variant: '1.0', ids: ['degree'], body: { clientIdPrefix: 'x509_san_dns' } },
  { variant: 'haip', ids: ['id_card'], body: { responseMode: 'direct_post.jwt' } },
  { variant: 'draft-20', ids: ['id_card'] },
  { variant: 'draft-20', ids: ['degree'] },
  { variant: 'draft-20', ids: ['id_card', 'degree'] },
  { variant: 'draft-20', ids: ['id_card', 'degree'], body: { responseMode: 'direct_post.jwt' } },
  { variant: 'draft-20', ids: ['degree'], body: { responseType: 'vp_token id_token' } },
  { variant: 'draft-20-redirect', ids: ['degree'] },
  { variant: 'draft-20-redirect', ids: ['id_card'] },
  { variant: 'draft-20-redirect', ids: ['id_card', 'degree'] },
];

describe('credentials of this service are accepted', () => {
  it.each(ways)('by $variant, for $ids, with $body', async ({ variant, ids, body }) => {
    const credentials = [idCard, degree].filter(({ id }) => ids.includes(id));
    const asked = await ask(service.url, { dcql_query: { credentials }, ...body });
    const received = await receiveRequest(asked, variant);
    const tokens = tokensFor(holdings, received, ids);
    const wantsId = String(received.parameters['response_type']).includes('id_token');
    const idToken = selfIssued(holder, received, thumbprintOf(holder.jwk));
    const reply = await respond(received, { tokens, ...(wantsId && { idToken }) });
    expect(answered(200, reply)).toEqual({});
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const result = await resultOf(asked);
    expect(result).toMatchObject({
      status: 'verified',
      vp_token: Object.fromEntries(Object.entries(tokens).map(([id, token]) => [id, [token]])),
      id_token: wantsId ? idToken : null,
      subject: wantsId ? holder.did : null,
    });
    expect((result['credentials'] as Json[]).map(({ id, trust }) => [id, trust])).toEqual(
      ids.map((id) => [id, 'trusted']),
    );
    const last = (result['timeline'] as Json[]).at(-1);
    expect(last).toMatchObject({ step: 'presented', outcome: 'verified', detail: { via: variant } });
  });

  it('with the chosen claims only', async () => {
    const claims = [{ path: ['given_name'] }];
    const asked = await ask(service.url, { dcql_query: { credentials: [{ ...idCard, claims }] } });
    const received = await receiveRequest(asked);
    const token = presentSdJwt(holdings.sdJwt, holder, received, { reveal: ['given_name'] });
    answered(200, await respond(received, { tokens: { id_card: token } }));
    const [shown] = (await resultOf(asked))['credentials'] as [{ claims: Json; type: string[] }];
    expect(shown.claims).toMatchObject({ given_name: 'Erika', vct: membershipVct });
    expect(shown.claims).not.toHaveProperty('family_name');
    expect(shown.type).toEqual([membershipVct]);
  });

  it('bare, when the query requires no holder binding', async () => {
    const credentials = [idCard, degree].map((query) => ({ ...query, require_cryptographic_holder_binding: false }));
    const asked = await ask(service.url, { dcql_query: { credentials } });
    const received = await receiveRequest(asked);
    answered(200, await respond(received, { tokens: { id_card: holdings.sdJwt, degree: holdings.jwtVc } }));
    const shown = (await resultOf(asked))['credentials'] as Json[];
    expect(shown.map(({ holder }) => holder)).toEqual([null, null]);
  });

  it('several for one query that allows it', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [{ ...degree, multiple: true }] } });
    const received = await receiveRequest(asked);
    const tokens = [1, 2].map(() => presentJwtVc([holdings.jwtVc], holder, received));
    answered(200, await respond(received, {}, { vp_token: JSON.stringify({ degree: tokens }) }));
    expect(await resultOf(asked)).toMatchObject({ vp_token: { degree: tokens }, credentials: [{}, {}] });
  });
});

describe('credentials of a foreign issuer', () => {
  it('are accepted in development, and the result shows it', async () => {
    const typed = { ...degree, meta: { type_values: [['MembershipCredential']] } };
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard, typed] } });
    const received = await receiveRequest(asked);
    const tokens = {
      id_card: presentSdJwt(foreignSdJwt(issuer, holder), holder, received),
      degree: presentJwtVc([foreignJwtVc(issuer, holder)], holder, received),
    };
    answered(200, await respond(received, { tokens }));
    const result = await resultOf(asked);
    expect((result['credentials'] as Json[]).map(({ trust, issuer: by }) => [trust, by])).toEqual([
      ['accepted-in-development', issuer.did],
      ['accepted-in-development', issuer.did],
    ]);
    expect(JSON.stringify(result['timeline'])).toContain('accepted in development only');
  });
});

describe('the setting for the generation that is shown', () => {
  let other: RunningService;
  beforeAll(async () => {
    other = await startService({ SERVICE__VERIFICATION__SHOWN_VARIANT: 'draft-20-redirect' });
  });
  afterAll(() => other.stop());

  const redirected = /^openid:\/\/\?/;
  const query = { dcql_query: { credentials: [degree] } };

  it('chooses the one link of an answer, its text and its QR code, where the request has that link', async () => {
    const { answer } = await ask(other.url, query);
    const { variants } = answer as { variants: Record<string, string> };
    expect(answer['authorizationRequest']).toMatch(redirected);
    expect(answer['authorizationRequest']).toBe(variants['draft-20-redirect']);
    const url = `${other.url}/v0/authorization_requests`;
    expect((await postJson(url, query, { accept: 'text/plain' })).text).toMatch(redirected);
    // The picture is that of the form without a name; the page has its link as text, and the others by their names.
    const shown = String((answer['links'] as Json)['page']);
    expect((await get(shown)).text).toContain('href="openid://?');
    expect((await get(`${shown}?form=1.0`)).text).toContain('href="openid4vp://');
    const confirmed = { ...query, responseMode: 'direct_post.jwt' };
    expect((await ask(other.url, confirmed)).answer['authorizationRequest']).toMatch(/^openid4vp:/);
    expect((await ask(service.url, query)).answer['authorizationRequest']).toMatch(/^openid4vp:/);
  });
});

describe('a SIOPv2 request', () => {
  it.each([
    ['a DID', newHolder('ES256', 'did:jwk')],
    ['a bare key', newHolder('ES256', 'jwk')],
    ['an Ed25519 key', newHolder('EdDSA', 'did:key')],
  ] as const)('is answered by %s', async (_, person) => {
    const asked = await ask(service.url, { nonce: 'n', state: undefined });
    expect(asked.answer['authorizationRequest']).toMatch(/^siopv2:\/\//);
    const received = await receiveRequest(asked, 'siopv2');
    expect(received.parameters).toMatchObject({ response_type: 'id_token', scope: 'openid', nonce: 'n' });
    const idToken = selfIssued(person, received, thumbprintOf(person.jwk));
    answered(200, await respond(received, { idToken }));
    const subject = person.did ?? thumbprintOf(person.jwk);
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', vp_token: null, id_token: idToken, subject });
  });
});
