import { type ExpectedResponse, parseAuthorizationResponse } from './authorization-response';
import { parseDcqlQuery } from '../dcql/dcql-query';
import { OAuthError } from '../wire/oauth-error';

const state = 'state-1';
const sdJwtToken = 'eyJ.eyJ.c2ln~WyJ.~eyJ.eyJ.c2ln';
const query = parseDcqlQuery({
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['v'] } },
    { id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['Degree']] }, multiple: true },
  ],
});
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
const parse = (form: Record<string, string>, expected: ExpectedResponse) =>
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
const descriptor = (id: string, path = '$', nested?: unknown) => ({
  id,
  format: nested === undefined ? 'vc+sd-jwt' : 'jwt_vp_json',
  path,
  ...(nested === undefined ? {} : { path_nested: { format: 'jwt_vc_json', path: nested } }),
});
const submit = (...descriptor_map: unknown[]) =>
  JSON.stringify({ id: 'submission-1', definition_id: 'definition-1', descriptor_map });

describe('a response to a presentation definition', () => {
  const answer = (vp_token: string, presentation_submission: string, expected = draft20) =>
    parse({ vp_token, presentation_submission, state }, expected);

  it('says by descriptors which query a presentation answers', () => {
    expect(answer(sdJwtToken, submit(descriptor('pid__1')))).toEqual({
      kind: 'presentations',
      byQueryId: { pid: [{ token: sdJwtToken }] },
    });
  });

  // VCDM 1.1 lets a single credential stand without a list.
  it.each(
    ['$.vp.verifiableCredential', '$.verifiableCredential', '$[0].vp.verifiableCredential'].flatMap((path) => [
      { path, credentialIndex: 0 },
      { path: `${path}[1]`, credentialIndex: 1 },
    ]),
  )('names a credential inside a presentation as $path', ({ path, credentialIndex }) => {
    const expected = { kind: 'presentations', byQueryId: { degree: [{ token: 'e.y.J', credentialIndex }] } };
    expect(answer('e.y.J', submit(descriptor('degree', '$', path)))).toEqual(expected);
    expect(answer('e.y.J', submit(descriptor('degree', '$[0]', path)))).toEqual(expected);
    expect(answer('"e.y.J"', submit(descriptor('degree', '$', path)))).toEqual(expected);
  });

  it('spreads over several presentations, and several credentials of one', () => {
    const nested = (n: number) => `$.vp.verifiableCredential[${n}]`;
    const two = submit(descriptor('degree', '$[0]', nested(0)), descriptor('pid__0', '$[1]'));
    expect(answer(JSON.stringify(['e.y.J', sdJwtToken]), two)).toEqual({
      kind: 'presentations',
      byQueryId: { degree: [{ token: 'e.y.J', credentialIndex: 0 }], pid: [{ token: sdJwtToken }] },
    });
    const one = submit(descriptor('degree', '$', nested(0)), descriptor('pid__0', '$', nested(1)));
    expect(answer('e.y.J', one)).toEqual({
      kind: 'presentations',
      byQueryId: {
        degree: [{ token: 'e.y.J', credentialIndex: 0 }],
        pid: [{ token: 'e.y.J', credentialIndex: 1 }],
      },
    });
  });

  const pid = submit(descriptor('pid__0'));
  const two = JSON.stringify(['e.y.J', sdJwtToken]);
  it.each<[string, string, string, string]>([
    ['one presentation in an array', '["a"]', pid, 'must not be in an array'],
    ['no presentation', '[]', pid, 'at most 40'],
    ['41 presentations', JSON.stringify(Array(41).fill('a')), pid, 'at most 40'],
    ['an object among them', '["a",{}]', pid, 'non-empty string'],
    ['a broken array', '["a"', pid, 'vp_token is not JSON'],
    ['a submission that is no JSON', 'a', 'x', 'presentation_submission is not JSON'],
    ['a submission that is no object', 'a', '[]', 'must be a JSON object'],
    ['another definition_id', 'a', pid.replace('definition-1', 'definition-2'), 'definition_id'],
    ['no descriptor_map', 'a', '{"definition_id":"definition-1"}', 'missing or empty'],
    ['an empty descriptor_map', 'a', submit(), 'missing or empty'],
    ['an unknown descriptor', 'a', submit(descriptor('pid')), 'does not have'],
    ['a descriptor of every object', 'a', submit(descriptor('__proto__')), 'does not have'],
    ['a descriptor twice', 'a', submit(descriptor('pid__0'), descriptor('pid__0')), 'more than once'],
    ['a million descriptors', 'a', '[]'.padEnd(65_537), 'longer than 65536'],
    [
      'two descriptors of one query',
      two,
      submit(descriptor('pid__0', '$[0]'), descriptor('pid__1', '$[1]')),
      'Only one',
    ],
    ['an unknown format', 'a', pid.replace('vc+sd-jwt', 'ldp_vp'), 'is unknown'],
    ['an index beyond the end', 'a', submit(descriptor('pid__0', '$[5]')), 'points to no presentation'],
    ['$ among several', two, submit(descriptor('pid__0', '$'), descriptor('degree', '$[1]')), 'must be'],
    ['an index below zero', 'a', submit(descriptor('pid__0', '$[-1]')), 'must be'],
    ['a descent', 'a', submit(descriptor('pid__0', '$..*')), 'must be'],
    ['a filter', 'a', submit(descriptor('pid__0', '$[?(@.x)]')), 'must be'],
    ['a script', 'a', submit(descriptor('pid__0', '$[(1+1)]')), 'must be'],
    [
      'a path that is no string',
      'a',
      JSON.stringify({ ...JSON.parse(submit({ ...descriptor('pid__0'), path: 0 })) }),
      'must be',
    ],
    ['a presentation left out', two, submit(descriptor('pid__0', '$[1]')), 'leaves out'],
    [
      'a credential inside an SD-JWT',
      sdJwtToken,
      submit(descriptor('pid__0', '$', '$.vp.verifiableCredential[0]')),
      'path_nested',
    ],
    [
      'a nested filter',
      'a',
      submit(descriptor('degree', '$', '$.vp.verifiableCredential[?(@)]')),
      'path_nested must name',
    ],
    ['a nested path elsewhere', 'a', submit(descriptor('degree', '$', '$.vp.holder')), 'path_nested must name'],
    [
      'a nested path into another presentation',
      two,
      submit(descriptor('degree', '$[0]', '$[1].vp.verifiableCredential[0]'), descriptor('pid__0', '$[1]')),
      'path_nested must name',
    ],
    [
      'a nested presentation',
      'a',
      submit({
        ...descriptor('degree'),
        path_nested: { ...descriptor('x', '$.vp.verifiableCredential[0]'), path_nested: {} },
      }),
      'nothing below',
    ],
  ])('is refused with %s', (_fault, vpToken, submission, reason) => {
    expect(refusal(() => answer(vpToken, submission))).toEqual(refused(reason));
  });

  it('is refused without submission', () => {
    expect(refusal(() => parse({ vp_token: 'a', state }, draft20))).toEqual(refused('submission is missing'));
  });
});
