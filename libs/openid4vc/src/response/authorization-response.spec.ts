import fc from 'fast-check';
import { compactDecrypt, importJWK } from 'jose';
import {
  type EncryptedResponse,
  type ExpectedResponse,
  parseAuthorizationResponse,
  parseDecryptedResponse,
} from './authorization-response';
import { RESPONSE_ENCRYPTION } from '../request/client-metadata';
import { parseDcqlQuery } from '../dcql/dcql-query';
import { OAuthError } from '../wire/oauth-error';
import recorded from '../recorded/presentations.json';

type Form = Record<string, string>;

const state = 'state-1';
const query = parseDcqlQuery({
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['v'] } },
    { id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['Degree']] }, multiple: true },
  ],
});
const final: ExpectedResponse = { state, idToken: false, presentations: { by: 'dcql', query } };
const draft20: ExpectedResponse = {
  state,
  idToken: false,
  presentations: {
    by: 'submission',
    query,
    definitionId: 'definition-1',
    descriptorToQueryId: { pid__0: 'pid', pid__1: 'pid', degree: 'degree' },
  },
};
const encrypted = (expected: ExpectedResponse): ExpectedResponse => ({
  ...expected,
  encryption: RESPONSE_ENCRYPTION.final,
});

const parse = (form: Form | [string, string][], expected: ExpectedResponse) =>
  parseAuthorizationResponse(new URLSearchParams(form), expected);
const refusal = (attempt: () => unknown): unknown => {
  try {
    attempt();
  } catch (error) {
    if (!(error instanceof OAuthError)) return error;
    return `${error.status} ${error.code ?? ''}: ${error.description}`;
  }
  return 'no refusal';
};
const refused = (reason: string) => expect.stringMatching(new RegExp(`^400 invalid_request: .*${reason}`, 'u'));
const submit = (...descriptor_map: unknown[]) =>
  JSON.stringify({ id: 'submission-1', definition_id: 'definition-1', descriptor_map });

describe('the recorded responses', () => {
  it('of 1.0 report a wallet error', () => {
    const { form, state: recordedState } = recorded.final.error;
    const expected = { ...final, state: recordedState };
    const error = { kind: 'error', code: 'invalid_request', description: 'unsupported client_id_prefix' };
    expect(parseAuthorizationResponse(new URLSearchParams(form), expected)).toEqual(error);
    // OpenID4VP 1.0 §8.3.1: a wallet that cannot encrypt may say so in the clear.
    expect(parseAuthorizationResponse(new URLSearchParams(form), encrypted(expected))).toEqual(error);
  });

  it.each(recorded.final.vpTokens)('$source is understood', ({ vp_token }) => {
    const [[id, presented] = ['', []]] = Object.entries(vp_token);
    const asked = parseDcqlQuery({ credentials: [{ ...query.credentials[0], id }] });
    const expected: ExpectedResponse = { ...final, presentations: { by: 'dcql', query: asked } };
    expect(parse({ vp_token: JSON.stringify(vp_token), state }, expected)).toEqual({
      kind: 'presentations',
      byQueryId: { [id]: presented.map((token) => ({ token })) },
    });
  });

  it('of 1.0 is understood when it is encrypted', async () => {
    const { response, key, payload } = recorded.final.encrypted;
    const id = 'example_credential_id';
    const asked = parseDcqlQuery({ credentials: [{ ...query.credentials[0], id }] });
    const expected: ExpectedResponse = encrypted({ ...final, presentations: { by: 'dcql', query: asked } });
    const envelope = parse({ response, state }, expected);
    expect(envelope).toEqual({ kind: 'encrypted', jwe: response, keyId: 'ac', stateSeen: true });
    const { plaintext } = await compactDecrypt(response, await importJWK(key));
    const text = new TextDecoder().decode(plaintext);
    expect(JSON.parse(text)).toEqual(payload);
    expect(parseDecryptedResponse(text, envelope as EncryptedResponse, expected)).toEqual({
      kind: 'presentations',
      byQueryId: { [id]: [{ token: 'eyJhb...YMetA' }] },
    });
  });

  it.each(recorded.drafts.submissions)('$source is understood', ({ presentation_submission, ...rest }) => {
    const { definition_id: definitionId, descriptor_map } = presentation_submission;
    const id = descriptor_map[0]?.id ?? '';
    const asked = parseDcqlQuery({ credentials: [{ ...query.credentials[0], id }] });
    const terms = { query: asked, definitionId, descriptorToQueryId: { [id]: id } };
    const expected: ExpectedResponse = { ...draft20, presentations: { by: 'submission', ...terms } };
    const token = 'vp_token' in rest ? rest.vp_token : 'eyJhb...YMetA';
    const nested = 'path_nested' in (descriptor_map[0] ?? {}) ? { credentialIndex: 0 } : {};
    const result = { kind: 'presentations', byQueryId: { [id]: [{ token, ...nested }] } };
    const form = { vp_token: token, presentation_submission: JSON.stringify(presentation_submission), state };
    expect(parse(form, expected)).toEqual(result);
    const envelope: EncryptedResponse = { kind: 'encrypted', jwe: 'x', stateSeen: true };
    const plaintext = JSON.stringify({ vp_token: token, presentation_submission });
    expect(parseDecryptedResponse(plaintext, envelope, expected)).toEqual(result);
  });

  it.each(recorded.drafts.refused)('$source holds a format that is not accepted', ({ presentation_submission }) => {
    const descriptorToQueryId = Object.fromEntries(
      presentation_submission.descriptor_map.map(({ id }) => [id, 'pid'] as const),
    );
    const terms = { query, definitionId: presentation_submission.definition_id, descriptorToQueryId };
    const expected: ExpectedResponse = { ...draft20, presentations: { by: 'submission', ...terms } };
    const form = { vp_token: '["a","b"]', presentation_submission: JSON.stringify(presentation_submission), state };
    expect(refusal(() => parse(form, expected))).toEqual(refused('format of .* is unknown'));
  });
});

describe('a response of OpenID4VP 1.0', () => {
  const vp = (vpToken: unknown, expected = final) => parse({ vp_token: JSON.stringify(vpToken), state }, expected);

  it('answers queries by their ids, those with multiple more than once', () => {
    expect(vp({ pid: ['a'], degree: ['b', 'c'] })).toEqual({
      kind: 'presentations',
      byQueryId: { pid: [{ token: 'a' }], degree: [{ token: 'b' }, { token: 'c' }] },
    });
    expect(vp({})).toEqual({ kind: 'presentations', byQueryId: {} });
  });

  it('may leave out the list around one presentation, as drafts 22 to 24 do', () => {
    expect(vp({ pid: 'a' })).toEqual({ kind: 'presentations', byQueryId: { pid: [{ token: 'a' }] } });
  });

  it.each<[string, unknown, string]>([
    ['an array at the top', ['a'], 'must be a JSON object'],
    ['a string at the top', 'a', 'must be a JSON object'],
    ['an unknown key', { pid: ['a'], other: ['b'] }, "answers 'other'"],
    ['a key of every object', { pid: ['a'], constructor: ['b'] }, "answers 'constructor'"],
    ['an empty array', { pid: [] }, "answer to 'pid' must be an array"],
    ['two entries without multiple', { pid: ['a', 'b'] }, "Only one presentation was asked for by 'pid'"],
    ['an entry that is an object', { pid: [{}] }, 'non-empty string'],
    ['an entry that is a number', { pid: [1] }, 'non-empty string'],
    ['an entry that is an array', { pid: [['a']] }, 'non-empty string'],
    ['an empty entry', { pid: [''] }, 'non-empty string'],
    ['null', { pid: null }, 'non-empty string'],
    ['21 presentations', { degree: Array(21).fill('a') }, '1 to 20 presentations'],
  ])('is refused with %s in vp_token', (_fault, vpToken, reason) => {
    expect(refusal(() => vp(vpToken))).toEqual(refused(reason));
  });

  it.each<[string, Form | [string, string][], ExpectedResponse, string]>([
    ['without state', { vp_token: '{"pid":["a"]}' }, final, 'state is missing'],
    ['with an empty state', { vp_token: '{"pid":["a"]}', state: '' }, final, 'state is missing'],
    ['with another state', { vp_token: '{"pid":["a"]}', state: 'state-2' }, final, 'state is not the one'],
    ['with a longer state', { vp_token: '{"pid":["a"]}', state: 'state-12' }, final, 'state is not the one'],
    ['without vp_token', { state }, final, 'vp_token is missing'],
    ['with __proto__ in vp_token', { vp_token: '{"__proto__":[],"pid":["a"]}', state }, final, "answers '__proto__'"],
    ['with a vp_token that is no JSON', { vp_token: 'eyJ', state }, final, 'vp_token is not JSON'],
    ['with an unrequested id_token', { vp_token: '{}', id_token: 'x', state }, final, 'id_token was not asked'],
    ['without the id_token', { vp_token: '{}', state }, { ...final, idToken: true }, 'id_token is missing'],
    ['with error and vp_token', { error: 'e', vp_token: '{}', state }, final, 'must not carry a token'],
    ['with error and id_token', { error: 'e', id_token: 'x', state }, final, 'must not carry a token'],
    ['with error and response', { error: 'e', response: 'x', state }, final, 'exclude each other'],
    ['encrypted without need', { response: 'a.b.c.d.e', state }, final, 'was not asked for'],
    ['in the clear', { vp_token: '{"pid":["a"]}', state }, encrypted(final), 'must be encrypted'],
    ['without response', { state }, encrypted(final), 'response is missing'],
    ['that is a JWS', { response: 'a.b.c', state }, encrypted(final), 'compact JWE'],
    [
      'with a parameter twice',
      [
        ['state', state],
        ['vp_token', '{}'],
        ['vp_token', '{}'],
      ],
      final,
      'more than once',
    ],
    ['with a huge vp_token', { vp_token: 'x'.repeat(1_048_577), state }, final, 'longer than 1048576'],
    ['with a huge unknown parameter', { __proto__x: 'x'.repeat(2_049), state }, final, 'longer than 2048'],
  ])('is refused %s', (_fault, form, expected, reason) => {
    expect(refusal(() => parse(form, expected))).toEqual(refused(reason));
  });

  it('carries the id_token next to it when both were requested', () => {
    const form = { vp_token: '{"pid":["a"]}', id_token: 'x.y.z', state, unknown: 'ignored' };
    expect(parse(form, { ...final, idToken: true })).toEqual({
      kind: 'presentations',
      byQueryId: { pid: [{ token: 'a' }] },
      idToken: 'x.y.z',
    });
  });
});

describe('an encrypted response', () => {
  const jwe = (header: unknown) => `${Buffer.from(JSON.stringify(header)).toString('base64url')}..aXY.Y3Q.dGFn`;
  const good = { alg: 'ECDH-ES', enc: 'A256GCM', epk: {} };
  const open = (header: unknown) => parse({ response: jwe(header) }, encrypted(final));
  const envelope = open(good) as EncryptedResponse;
  const inside = (payload: unknown, seen = false, expected = final) =>
    parseDecryptedResponse(JSON.stringify(payload), { ...envelope, stateSeen: seen }, expected);

  it('needs no kid', () => {
    expect(envelope).toEqual({ kind: 'encrypted', jwe: jwe(good), stateSeen: false });
  });

  it.each<[string, unknown, string]>([
    ['a symmetric algorithm', { ...good, alg: 'dir' }, 'algorithm ECDH-ES'],
    ['a wrapped key', { ...good, alg: 'ECDH-ES+A128KW' }, 'algorithm ECDH-ES'],
    ['a password', { ...good, alg: 'PBES2-HS256+A128KW', p2c: 2 ** 31 - 1 }, 'algorithm ECDH-ES'],
    ['RSA', { ...good, alg: 'RSA-OAEP' }, 'algorithm ECDH-ES'],
    ['a content encryption we did not announce', { ...good, enc: 'A128CBC-HS256' }, 'one of A128GCM, A256GCM'],
    ['compression', { ...good, zip: 'DEF' }, 'Compressed'],
    ['a kid that is no string', { ...good, kid: 1 }, 'kid'],
    ['a header that is no object', [], 'must be a JSON object'],
    ['a huge header', { ...good, x: 'x'.repeat(4_096) }, 'compact JWE'],
  ])('is refused with %s', (_fault, header, reason) => {
    expect(refusal(() => open(header))).toEqual(refused(reason));
  });

  it('may have its state outside or inside, and must have the right one wherever it stands', () => {
    const answer = { vp_token: { pid: ['a'] } };
    expect(inside({ ...answer, state }, false)).toMatchObject({ kind: 'presentations' });
    expect(inside(answer, true)).toMatchObject({ kind: 'presentations' });
    expect(refusal(() => inside(answer, false))).toEqual(refused('state is missing'));
    expect(refusal(() => inside({ ...answer, state: 'other' }, true))).toEqual(refused('state is not the one'));
    expect(refusal(() => inside({ ...answer, state: [state] }, true))).toEqual(refused('state is not the one'));
    const form = { response: jwe(good), state: 'other' };
    expect(refusal(() => parse(form, encrypted(final)))).toEqual(refused('state is not the one'));
  });

  it('holds JSON values, not JSON texts', () => {
    expect(refusal(() => inside({ vp_token: '{"pid":["a"]}', state }))).toEqual(refused('must be a JSON object'));
    expect(inside({ error: 'access_denied', state })).toEqual({ kind: 'error', code: 'access_denied' });
    expect(refusal(() => parseDecryptedResponse('eyJ.eyJ.sig', envelope, final))).toEqual(refused('not JSON'));
    expect(refusal(() => parseDecryptedResponse('[]', envelope, final))).toEqual(refused('must be a JSON object'));
    const deep = `{"state":"${state}","vp_token":{"pid":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    expect(refusal(() => parseDecryptedResponse(deep, envelope, final))).toEqual(refused('non-empty string'));
  });
});

describe('a response of SIOPv2', () => {
  const siop: ExpectedResponse = { state, idToken: true };

  it('is an ID Token and nothing else', () => {
    expect(parse({ id_token: 'x.y.z', state }, siop)).toEqual({
      kind: 'presentations',
      byQueryId: {},
      idToken: 'x.y.z',
    });
    expect(refusal(() => parse({ id_token: 'x', vp_token: 'y', state }, siop))).toEqual(refused('was not asked for'));
    expect(refusal(() => parse({ state }, siop))).toEqual(refused('id_token is missing'));
  });

  it('keeps the words of a wallet that declines, up to a length', () => {
    const description = '<b>no</b>\r\nSet-Cookie: a=b';
    expect(parse({ error: 'user_cancelled', error_description: description, state }, siop)).toEqual({
      kind: 'error',
      code: 'user_cancelled',
      description,
    });
    const long = parse({ error: 'e', error_description: 'x'.repeat(16_000), state }, siop);
    expect(long).toEqual({ kind: 'error', code: 'e', description: 'x'.repeat(2_000) });
  });
});

describe('whatever a wallet posts', () => {
  const names = ['vp_token', 'presentation_submission', 'id_token', 'state', 'response', 'error', '__proto__', 'x'];
  const word = fc.constantFrom(
    'pid',
    'degree',
    'pid__0',
    '$',
    '$[0]',
    '__proto__',
    'constructor',
    'definition-1',
    state,
  );
  const json = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5 },
      word,
      fc.constantFrom<unknown>(null, 0, true),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'pid',
          'definition_id',
          'descriptor_map',
          'id',
          'path',
          'path_nested',
          'format',
          'vp_token',
          'state',
        ),
        tie('json'),
      ),
    ),
  })).json;
  const text = fc.oneof(
    word,
    fc.string(),
    json.map((value) => JSON.stringify(value)),
  );
  const expectations = [final, draft20, encrypted(final), { state, idToken: true }];

  it('is read or refused with an OAuth error', () => {
    const forms = fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 5 });
    fc.assert(
      fc.property(forms, text, fc.constantFrom(...expectations), (form, plaintext, expected) => {
        const envelope: EncryptedResponse = { kind: 'encrypted', jwe: 'x', stateSeen: true };
        for (const attempt of [
          () => parseAuthorizationResponse([...form, ['state', state]], expected),
          () => parseDecryptedResponse(plaintext, envelope, expected),
        ]) {
          expect(refusal(attempt)).toEqual(expect.stringMatching(/^400 invalid_request: |^no refusal$/u));
        }
        expect(({} as Record<string, unknown>)['pid']).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, string, ExpectedResponse]>([
    ['deep nesting', '['.repeat(500_000) + ']'.repeat(500_000), final],
    ['deep nesting in place of a token', `{"pid":${'['.repeat(400_000)}${']'.repeat(400_000)}}`, final],
    ['many keys', `{${Array.from({ length: 100_000 }, (_, n) => `"${n}":1`).join(',')}}`, final],
    ['a long list', JSON.stringify({ degree: Array(200_000).fill('a') }), final],
    ['a long array of presentations', JSON.stringify(Array(200_000).fill('a')), draft20],
  ])('is refused quickly: %s', (_what, vpToken, expected) => {
    const before = process.cpuUsage();
    const form: [string, string][] = [
      ['vp_token', vpToken],
      ['state', state],
      ['presentation_submission', submit()],
    ];
    expect(refusal(() => parseAuthorizationResponse(form, expected))).toEqual(refused(''));
    // Of the processor, so that what else runs on the machine does not matter.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2_000);
  });
});
