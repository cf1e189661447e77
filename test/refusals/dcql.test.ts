import { ask, receiveRequest, respond } from '../support/presenters/presenter';
import { foreignJwtVc, foreignSdJwt, presentJwtVc, presentSdJwt } from '../support/presenters/credentials';
import { expectCheckFailed } from '../support/presenters/refusals';
import { newHolder } from '../support/wallets/key-proofs';
import { type Json, postJson, type Reply } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { serviceOfFile } from '../support/service/service-of-file';

const canary = 'Zwergspitzmaus';
const issuer = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');

const service = serviceOfFile();

const create = (body: unknown): Promise<Reply> => postJson(`${service.url}/v0/authorization_requests`, body);
const credential = { id: 'badge', format: 'jwt_vc_json', meta: { type_values: [['VerifiableCredential']] } };
const one = (changes: Json) => ({ credentials: [{ ...credential, ...changes }] });
const claim = (changes: Json) => one({ claims: [{ path: ['a'], ...changes }] });
const many = (count: number, item: (index: number) => unknown) => Array.from({ length: count }, (_, at) => item(at));

// Each fault of a query is listed in libs/openid4vc/src/dcql/dcql-query.spec.ts.
describe('a query is rejected with the place of the fault', () => {
  it.each<[string, unknown, string]>([
    ['the whole query', null, ''],
    ['a member deep inside', claim({ path: ['a', -1] }), '/credentials/0/claims/0/path/1'],
    ['a member that is misspelt', claim({ value: ['PhD'] }), '/credentials/0/claims/0/value'],
  ])('%s', async (_, query, pointer) => {
    const reply = await create({ dcql_query: query });
    expectProblem(reply, 400, 'invalid-dcql-query');
    const violations = reply.json['violations'] as Json[];
    expect(violations.map(({ pointer: at }) => at)).toEqual([`/dcql_query${pointer}`]);
  });

  it('all faults at once', async () => {
    const reply = await create({ dcql_query: { credentials: [{ id: '.', format: 'x', claims: [] }, 'x'] } });
    const pointers = (reply.json['violations'] as Json[]).map(({ pointer }) => pointer);
    expect(pointers).toEqual([
      '/dcql_query/credentials/0/id',
      '/dcql_query/credentials/0/format',
      '/dcql_query/credentials/0/claims',
      '/dcql_query/credentials/1',
    ]);
  });

  it.each<[string, string]>([
    ['deep nesting', `{"dcql_query":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['a member twice', '{"dcql_query":{"credentials":[],"credentials":[]}}'],
    ['a lone surrogate', '{"dcql_query":{"credentials":"\\ud800"}}'],
  ])('before it is read: %s', async (_, text) => {
    expectProblem(await create(text), 400, 'malformed-json');
  });

  it('before it is read: one of many megabytes', async () => {
    expectProblem(
      await create({ dcql_query: { credentials: many(40_000, () => credential) } }),
      413,
      'payload-too-large',
    );
  });
});

describe('the rest of the body is rejected with the place of the fault', () => {
  const dcql_query = one({});
  it.each<[string, Json, string]>([
    ['an unknown member', { dcql_query, dcqlQuery: {} }, '/dcqlQuery'],
    ['an empty nonce', { nonce: '' }, '/nonce'],
    ['a nonce that is a number', { nonce: 1 }, '/nonce'],
    ['a nonce of 513 characters', { nonce: 'n'.repeat(513) }, '/nonce'],
    ['an empty state', { state: '' }, '/state'],
    ['a state that is a list', { state: ['a'] }, '/state'],
    ['a state that is a dot', { state: '.' }, '/state'],
    ['a state that is two dots', { state: '..' }, '/state'],
    ['an unknown response type', { dcql_query, responseType: 'code' }, '/responseType'],
    ['id_token with a query', { dcql_query, responseType: 'id_token' }, '/responseType'],
    ['vp_token without a query', { responseType: 'vp_token' }, '/responseType'],
    ['an unknown response mode', { dcql_query, responseMode: 'fragment' }, '/responseMode'],
    ['encryption without a query', { responseMode: 'direct_post.jwt' }, '/responseMode'],
    ['an unknown prefix', { dcql_query, clientIdPrefix: 'x509_sha256' }, '/clientIdPrefix'],
    ['a prefix without a query', { clientIdPrefix: 'redirect_uri' }, '/clientIdPrefix'],
    ['a lifetime in seconds', { expiresIn: 60 }, '/expiresIn'],
    ['a lifetime of a year', { expiresIn: 'P1Y' }, '/expiresIn'],
    ['a lifetime of zero', { expiresIn: 'PT0S' }, '/expiresIn'],
    ['a redirectUri of another scheme', { redirectUri: 'javascript:alert(1)' }, '/redirectUri'],
    ['a redirectUri with a fragment', { redirectUri: 'https://shop.example/#x' }, '/redirectUri'],
    ['a redirectUri with a user name', { redirectUri: 'https://shop.example@evil.example/' }, '/redirectUri'],
    ['a redirectUri with a password', { redirectUri: 'https://:secret@shop.example/' }, '/redirectUri'],
    ['a redirectUri with a line break', { redirectUri: 'https://shop.example/ba\nck' }, '/redirectUri'],
    ['a redirectUri with a tab at the end', { redirectUri: 'https://shop.example/back\t' }, '/redirectUri'],
    ['a redirectUri with a DEL', { redirectUri: 'https://shop.example/\u007f' }, '/redirectUri'],
    ['a redirectUri that is shown backwards', { redirectUri: 'https://shop.example/\u202emoc' }, '/redirectUri'],
    ['a purpose that is read backwards', { dcql_query, purpose: { en: 'Why', de: 'a\u202eb' } }, '/purpose/de'],
    ['a redirectUri with a blank', { redirectUri: 'https://shop.example/back here' }, '/redirectUri'],
    ['a redirectUri with backslashes', { redirectUri: 'https:\\\\shop.example\\back' }, '/redirectUri'],
    ['a redirectUri without slashes', { redirectUri: 'https:shop.example' }, '/redirectUri'],
    ['a relative redirectUri', { redirectUri: '/back' }, '/redirectUri'],
  ])('%s', async (_, body, pointer) => {
    const reply = await create(body);
    expectProblem(reply, 400, 'validation-failed');
    expect((reply.json['violations'] as Json[]).map(({ pointer: at }) => at)).toContain(pointer);
  });
});

it('a redirectUri may have a query, an at sign in it and letters of any script', async () => {
  for (const redirectUri of ['https://shop.example?to=a@b.example', 'HTTPS://shop.example/zurück/🙂?x=%20']) {
    expect((await create({ redirectUri })).status).toBe(201);
  }
});

const query = {
  ...credential,
  meta: { type_values: [['VerifiableCredential', 'MembershipCredential']] },
  claims: [{ path: ['credentialSubject', 'given_name'] }],
};
const issued = () =>
  foreignJwtVc(issuer, holder, { vc: { credentialSubject: { id: holder.did, given_name: canary } } });

describe('a hostile query', () => {
  it('as large as a body may be is served in all variants and answered in time', async () => {
    const ids = ['c0', 'c1', 'c2', 'c3'];
    const claims = many(50, (at) => ({ id: `k${at}`, path: ['credentialSubject', ...many(14, () => 'a'), at] }));
    const sets = many(20, () => many(50, (at) => `k${at}`));
    const started = Date.now();
    const asked = await ask(service.url, {
      dcql_query: {
        credentials: ids.map((id) => ({ ...credential, id, claims, claim_sets: sets })),
        credential_sets: many(10, () => ({ options: many(20, () => ids) })),
      },
    });
    const received = await receiveRequest(asked);
    expect((await receiveRequest(asked, 'draft-20')).parameters).toHaveProperty('presentation_definition');
    const token = presentJwtVc([issued()], holder, received);
    const reply = await respond(received, { tokens: Object.fromEntries(ids.map((id) => [id, token])) });
    expect([reply.status, reply.json['error_description']]).toEqual([400, expect.stringContaining('check query')]);
    expect(Date.now() - started).toBeLessThan(10_000);
  });
});

const passport = {
  id: 'passport',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['https://credentials.example/membership'] },
};
const sets = (...credentialSets: Json[]) => ({ credentials: [query, passport], credential_sets: credentialSets });

const passportToo = { options: [['passport']], required: false };

describe('credential sets', () => {
  it.each([
    ['half of an option', sets({ options: [['badge', 'passport']] }), ['badge'], 400],
    ['one that no set names', sets({ options: [['badge']] }), ['badge', 'passport'], 400],
    ['an optional one', sets({ options: [['badge']] }, passportToo), ['badge', 'passport'], 200],
  ] as const)('%s', async (_, dcqlQuery, ids, status) => {
    for (const variant of ['1.0', 'draft-20'] as const) {
      const asked = await ask(service.url, { dcql_query: dcqlQuery });
      const received = await receiveRequest(asked, variant);
      const all: Record<string, string> = {
        badge: presentJwtVc([issued()], holder, received),
        passport: presentSdJwt(foreignSdJwt(issuer, holder), holder, received),
      };
      const tokens = Object.fromEntries(ids.map((id) => [id, all[id] ?? '']));
      const reply = await respond(received, { tokens });
      expect([variant, reply.status]).toEqual([variant, status]);
      if (status === 400) expect(reply.json['error_description']).toMatch(/check query failed|names a descriptor/);
    }
  });

  it('one bad presentation also rejects the good one next to it', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [query, passport] } });
    const received = await receiveRequest(asked);
    const good = {
      badge: presentJwtVc([issued()], holder, received),
      passport: presentSdJwt(foreignSdJwt(issuer, holder), holder, received),
    };
    const bad = presentSdJwt(foreignSdJwt(issuer, holder), holder, { ...received, nonce: 'other' });
    const reply = await respond(received, { tokens: { ...good, passport: bad } });
    const failed = { check: 'nonce', credentialId: 'passport' };
    await expectCheckFailed(asked, received, reply, failed, () => ({ tokens: good }), canary);
  });
});
