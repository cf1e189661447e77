import { randomUUID } from 'node:crypto';
import {
  ask,
  type FormChanges,
  formOf,
  linkOf,
  post,
  receiveRequest,
  type Received,
  respond,
  resultOf,
  submissionOf,
  type Variant,
} from '../support/presenters/presenter';
import { presentSdJwt } from '../support/presenters/credentials';
import { degree, type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { expectStillOpen } from '../support/presenters/refusals';
import { answered, get, type Json, send } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { serviceOfFile } from '../support/service/service-of-file';

const canary = 'Zwergspitzmaus';

const service = serviceOfFile();
let holdings: Holdings;
beforeAll(async () => {
  holdings = await receiveHoldings(service.url, { given_name: canary, level: 3 });
});

const credentials = (ids: readonly string[]) => [idCard, degree].filter(({ id }) => ids.includes(id));

interface ResponseRefusal {
  readonly what: string;
  readonly variant?: Variant;
  readonly ids?: readonly string[];
  readonly body?: Json;
  /** Changes of the valid form. */
  readonly form: (valid: Readonly<Record<string, string>>, received: Received) => FormChanges;
}

const set = (changes: FormChanges) => () => changes;
const vpToken =
  (change: (valid: Record<string, string[]>) => unknown) => (valid: Readonly<Record<string, string>>) => ({
    vp_token: JSON.stringify(change(JSON.parse(valid['vp_token'] ?? '') as Record<string, string[]>)),
  });
const submission =
  (change: (valid: Json, entry: Json) => Json) =>
  (_: unknown, received: Received): FormChanges => {
    const valid = submissionOf(received, tokensFor(holdings, received, ['degree']));
    const [entry = {}] = valid['descriptor_map'] as Json[];
    return { presentation_submission: JSON.stringify(change(valid, entry)) };
  };
const draft = { variant: 'draft-20', ids: ['degree'] } as const;
const nested = (path: string) =>
  submission((valid, entry) => ({
    ...valid,
    descriptor_map: [{ ...entry, path_nested: { format: 'jwt_vc_json', path } }],
  }));

// Each fault of a response is listed in libs/openid4vc/src/response/authorization-response.spec.ts and
// presentation-submission.spec.ts.
const refusals: ResponseRefusal[] = [
  { what: 'an unknown state', form: set({ state: randomUUID() }) },
  { what: 'the state of the relying party', form: (_, { state }) => ({ state: `${state}A` }) },
  { what: 'no vp_token', form: set({ vp_token: undefined }) },
  { what: 'an unknown key', form: vpToken((valid) => ({ ...valid, other: valid['id_card'] })) },
  {
    what: 'two where one was requested',
    form: vpToken(({ id_card: list = [] }) => ({ id_card: [...list, ...list] })),
  },
  { what: 'an unrequested id_token', form: set({ id_token: 'a.b.c' }) },
  {
    what: 'the object of 1.0',
    ...draft,
    form: ({ vp_token: one }) => ({ vp_token: JSON.stringify({ degree: [one] }) }),
  },
  { what: 'no submission', ...draft, form: set({ presentation_submission: undefined }) },
  {
    what: 'another definition_id',
    ...draft,
    form: submission((valid) => ({ ...valid, definition_id: 'other' })),
  },
  { what: 'a nested path to nowhere', ...draft, form: nested('$.vp.verifiableCredential[7]') },
  { what: 'an unrequested JWE', form: set({ response: 'a.b.c.d.e', vp_token: undefined }) },
  { what: 'no id_token though it was requested', body: { responseType: 'vp_token id_token' }, form: set({}) },
];

describe('a response is rejected', () => {
  it.each(refusals)('with $what ($variant)', async ({ variant = '1.0', ids = ['id_card'], body, form }) => {
    const asked = await ask(service.url, { dcql_query: { credentials: credentials(ids) }, ...body });
    const received = await receiveRequest(asked, variant);
    const answer = { tokens: tokensFor(holdings, received, ids) };
    const valid = Object.fromEntries(formOf(received, answer));
    const reply = await post(received, formOf(received, answer, form(valid, received)));
    expectRefusal(reply, 400, 'invalid_request');
    if (body === undefined) await expectStillOpen(asked, received, holdings, ids, canary, reply);
    else expect((await resultOf(asked))['vp_token']).toBeNull();
  });

  it.each(['state', 'vp_token', 'other'])('with the parameter %s twice', async (name) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    const form = formOf(received, { tokens: tokensFor(holdings, received, ['id_card']) }, { other: '1' });
    const again = form.filter(([each]) => each === name);
    expectRefusal(await post(received, [...form, ...again]), 400, 'invalid_request');
    await expectStillOpen(asked, received, holdings, ['id_card'], canary);
  });

  it.each([
    ['JSON', 'application/json'],
    ['plain text', 'text/plain'],
    ['a multipart form', 'multipart/form-data; boundary=x'],
  ])('as %s instead of a form', async (_, type) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    const form = formOf(received, { tokens: tokensFor(holdings, received, ['id_card']) });
    const body = new URLSearchParams(form).toString();
    const reply = await send(received.responseUri, { method: 'POST', headers: { 'content-type': type }, body });
    expectRefusal(reply, 400, 'invalid_request');
    await expectStillOpen(asked, received, holdings, ['id_card'], canary, reply);
  });

  it('with the state of one variant at the address of another', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const [final, old] = [await receiveRequest(asked), await receiveRequest(asked, 'draft-20')];
    const tokens = tokensFor(holdings, final, ['id_card']);
    const crossed = { ...old, variant: '1.0', state: final.state } as const;
    expectRefusal(await respond(crossed, { tokens }), 400, 'invalid_request');
    await expectStillOpen(asked, old, holdings, ['id_card'], canary);
  });

  it('after the request has expired', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, expiresIn: 'PT2S' });
    const received = await receiveRequest(asked);
    await new Promise((resolve) => setTimeout(resolve, 2200));
    const tokens = tokensFor(holdings, received, ['id_card']);
    expectRefusal(await respond(received, { tokens }), 400, 'invalid_request');
    expect(await resultOf(asked)).toMatchObject({ status: 'expired', vp_token: null });
    const uri = new URL(linkOf(asked)).searchParams.get('request_uri') ?? '';
    expectRefusal(await get(uri), 404, 'invalid_request');
  });

  it('when it is sent a second time, to this or another request', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    const answer = { tokens: tokensFor(holdings, received, ['id_card']) };
    answered(200, await respond(received, answer));
    const result = await resultOf(asked);
    expectRefusal(await respond(received, answer), 400, 'invalid_request');
    expect(await resultOf(asked)).toEqual(result);
    const other = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    expectRefusal(await respond(await receiveRequest(other), answer), 400, 'invalid_request');
    expect(await resultOf(other)).toMatchObject({ status: 'rejected', failure: { check: 'nonce' }, vp_token: null });
  });

  it('by another variant after a valid one, and so is an error after it', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const [final, old] = [await receiveRequest(asked), await receiveRequest(asked, 'draft-20')];
    answered(200, await respond(final, { tokens: tokensFor(holdings, final, ['id_card']) }));
    expectRefusal(await respond(old, { tokens: tokensFor(holdings, old, ['id_card']) }), 400, 'invalid_request');
    expectRefusal(await respond(old, {}, { error: 'access_denied' }), 400, 'invalid_request');
    expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
  });

  it('in all but one of fifty concurrent attempts', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, redirectUri: 'https://a.example/' });
    const received = await receiveRequest(asked);
    const answer = { tokens: tokensFor(holdings, received, ['id_card']) };
    const replies = await Promise.all(Array.from({ length: 50 }, () => respond(received, answer)));
    const codes = replies.flatMap(({ json }) => (json['redirect_uri'] === undefined ? [] : [json['redirect_uri']]));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(49);
    expect(codes).toHaveLength(1);
    const { timeline } = await resultOf(asked);
    expect((timeline as Json[]).filter(({ step }) => step === 'presented')).toHaveLength(1);
  });

  it('a hundred times at once with a bounded number of recorded events', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    const bad = { id_card: presentSdJwt(holdings.sdJwt, holdings.holder, { ...received, nonce: 'other' }) };
    const replies = await Promise.all(Array.from({ length: 100 }, () => respond(received, { tokens: bad })));
    // A wallet that comes too often at once is asked to come again.
    const refused = replies.filter(({ status }) => status !== 503);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([400]));
    expect(((await resultOf(asked))['timeline'] as Json[]).length).toBeLessThanOrEqual(22);
    await expectStillOpen(asked, received, holdings, ['id_card'], canary);
  });
});

describe('a wallet error', () => {
  it('is stored without line breaks and control characters, and never as markup of the page', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    const error = 'x\r\nx-evil: 1\u0000<script>alert(1)</script>';
    answered(200, await respond(received, {}, { error, error_description: `"${'z'.repeat(5000)}` }));
    const page = await get(`${service.url}/v0/authorization_requests/${asked.state}`);
    expect(page.text).not.toMatch(/\\u0000|\\r|\\n/);
    expect(page.text.length).toBeLessThan(4000);
    expect(page.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each([
    ['no code', { error: '' }],
    ['no state', { error: 'access_denied', state: undefined }],
    ['another state', { error: 'access_denied', state: 'x' }],
  ])('without %s changes nothing', async (_, form) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    expectRefusal(await respond(received, {}, form), 400, 'invalid_request');
    await expectStillOpen(asked, received, holdings, ['id_card'], canary);
  });
});
