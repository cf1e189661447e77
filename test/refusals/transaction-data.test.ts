import { digestOf, foreignJwtVc, foreignSdJwt, presentJwtVc, presentSdJwt } from '../support/presenters/credentials';
import { dataOf, postDigital, receiveDigital, receiveSignedDigital } from '../support/presenters/digital-credential';
import { degree, idCard } from '../support/presenters/holdings';
import { ask, linkOf, receiveRequest, type Received, respond, resultOf } from '../support/presenters/presenter';
import { expectCheckFailed } from '../support/presenters/refusals';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { serviceOfFile } from '../support/service/service-of-file';
import { newHolder } from '../support/wallets/key-proofs';

/** A word that occurs in presented claims only. */
const canary = 'Zwergspitzmaus';
const issuer = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');
const payment = {
  type: 'https://bank.example/payment/1',
  credentialIds: ['id_card'],
  amount: '12.50',
  payee: 'Böcker',
};
const contract = { type: 'https://law.example/contract/1', credentialIds: ['id_card', 'passport'], number: 7 };
/** Members that every object has, by other values. */
const inherited: Json = { constructor: 'Zuse', toString: { of: 'parts' } };
const passport = { ...idCard, id: 'passport' };
const both = { credentials: [idCard, passport] };

const service = serviceOfFile();

/** The strings of a request, as a wallet receives them. */
function sent({ parameters }: Received): string[] {
  return parameters['transaction_data'] as string[];
}

function present(received: Received, hashes?: unknown, more: Json = {}): string {
  const payload = { ...(hashes === undefined ? {} : { transaction_data_hashes: hashes }), ...more };
  const credential = foreignSdJwt(issuer, holder, { claims: { given_name: canary } });
  return presentSdJwt(credential, holder, received, { keyBinding: { payload } });
}

const hashesOf = (entries: readonly string[]): string[] => entries.map((entry) => digestOf(entry));

describe('a request with transaction data', () => {
  it('reaches wallets of OpenID4VP 1.0 as it was asked, and no others', async () => {
    const transactionData = [
      { ...payment, shownAs: 'Pay 12.50 EUR.', transactionDataHashesAlg: ['sha-256'] },
      { ...contract, ...inherited },
    ];
    const asked = await ask(service.url, { dcql_query: both, transactionData });
    const entries = sent(await receiveRequest(asked)).map(
      (entry) => JSON.parse(Buffer.from(entry, 'base64url').toString()) as Json,
    );
    expect(entries).toEqual([
      {
        type: payment.type,
        credential_ids: ['id_card'],
        transaction_data_hashes_alg: ['sha-256'],
        amount: '12.50',
        payee: 'Böcker',
      },
      {
        type: contract.type,
        credential_ids: ['id_card', 'passport'],
        number: 7,
        ...inherited,
      },
    ]);
    const { variants, authorizationRequest } = asked.answer as { variants: Json; authorizationRequest: string };
    const others = 'these wallets do not confirm transaction data';
    expect(authorizationRequest).toBe(linkOf(asked));
    expect(variants).toMatchObject({
      'draft-20': null,
      'draft-20-redirect': null,
      unavailable: { 'draft-20': others, 'draft-20-redirect': others },
    });
    const plain = await receiveRequest(await ask(service.url, { dcql_query: both }));
    expect(plain.parameters).not.toHaveProperty('transaction_data');
  });

  it('results in who confirmed what, one credential for each entry', async () => {
    const asked = await ask(service.url, { dcql_query: both, transactionData: [payment, contract], purpose: 'x' });
    const received = await receiveRequest(asked);
    const [first = '', second = ''] = hashesOf(sent(received));
    const tokens = { id_card: present(received, [first]), passport: present(received, [second]) };
    answered(200, await respond(received, { tokens }));
    const result = await resultOf(asked);
    expect(result).toMatchObject({
      status: 'verified',
      transactionData: [
        { type: payment.type, confirmedBy: 'id_card' },
        { type: contract.type, confirmedBy: 'passport' },
      ],
    });
    const { detail } = (result['timeline'] as { detail: { checks: Json[] } }[]).at(-1) ?? {};
    expect(detail?.checks).toContainEqual({ name: 'transaction-data', outcome: 'passed' });
  });

  it('can be sent by value, in a link that is not signed', async () => {
    const asked = await ask(service.url, {
      dcql_query: { credentials: [idCard] },
      transactionData: [payment],
      clientIdPrefix: 'redirect_uri',
    });
    const received = await receiveRequest(asked);
    const entries = JSON.parse(received.link.searchParams.get('transaction_data') ?? '') as string[];
    answered(200, await respond(received, { tokens: { id_card: present(received, hashesOf(entries)) } }));
    const confirmed = [{ type: payment.type, confirmedBy: 'id_card' }];
    expect(await resultOf(asked)).toMatchObject({ transactionData: confirmed });
  });

  it('reaches wallets of high assurance as the same text, and is confirmed encrypted', async () => {
    const asked = await ask(service.url, {
      dcql_query: { credentials: [idCard] },
      transactionData: [payment],
      responseMode: 'direct_post.jwt',
    });
    const received = await receiveRequest(asked, 'haip');
    expect(sent(received)).toEqual(sent(await receiveRequest(asked)));
    answered(200, await respond(received, { tokens: { id_card: present(received, hashesOf(sent(received))) } }));
    const confirmed = [{ type: payment.type, confirmedBy: 'id_card' }];
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', transactionData: confirmed });
  });

  it('reaches the wallet of a browser as well', async () => {
    const [origin, transactionData] = ['https://shop.example', [payment]];
    const digital = { responseMode: 'dc_api.jwt', expectedOrigins: [origin] };
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, transactionData, ...digital });
    const received = receiveDigital(asked, origin);
    expect(sent(await receiveSignedDigital(asked, origin))).toEqual(sent(received));
    const tokens = { id_card: present(received, hashesOf(sent(received))) };
    answered(200, await postDigital(received, await dataOf(received, tokens)));
    const confirmed = [{ type: payment.type, confirmedBy: 'id_card' }];
    expect(await resultOf(asked)).toMatchObject({ transactionData: confirmed });
  });

  it('warns when the query can be answered without confirming', async () => {
    const sets = [{ options: [['id_card'], ['passport']] }];
    const query = { ...both, credential_sets: sets };
    const asked = await ask(service.url, { dcql_query: query, transactionData: [payment, contract] });
    expect(asked.answer['warnings']).toEqual([expect.stringMatching(/^transactionData\/0: .*without/) as string]);
  });

  it('warns when the result could not say which credential has confirmed', async () => {
    const dcql_query = { credentials: [{ ...idCard, multiple: true }, passport] };
    const asked = await ask(service.url, { dcql_query, transactionData: [payment, contract] });
    const warning = (index: number) => expect.stringMatching(`^transactionData/${index}: .*id_card`) as unknown;
    expect(asked.answer['warnings']).toEqual([warning(0), warning(1)]);
    const single = await ask(service.url, { dcql_query: both, transactionData: [payment] });
    expect(single.answer).not.toHaveProperty('warnings');
  });
});

describe('an answer to transaction data is rejected', () => {
  interface Row {
    readonly what: string;
    readonly tokens: (received: Received) => Record<string, string>;
    readonly credentialId?: string;
  }
  /** The first entry of the request is for the ID card alone, the second for either. */
  const card = (hashes: (entries: string[]) => unknown, more?: Json) => (received: Received) => ({
    id_card: present(received, hashes(sent(received)), more),
    passport: present(received),
  });
  const decoded = (entry: string): Buffer => Buffer.from(entry, 'base64url');
  const rows: Row[] = [
    { what: 'without hashes', tokens: card(() => undefined), credentialId: 'id_card' },
    { what: 'with the hash of one entry of two', tokens: card(([first = '']) => hashesOf([first])) },
    {
      what: 'with the hashes in another order',
      tokens: card((all) => hashesOf(all).reverse()),
      credentialId: 'id_card',
    },
    {
      what: 'with hashes of the decoded JSON',
      tokens: card((all) => all.map((entry) => digestOf(decoded(entry).toString('utf8')))),
      credentialId: 'id_card',
    },
    {
      what: 'with hashes by SHA-512',
      tokens: card((all) => all.map((entry) => digestOf(entry, 'sha512')), { transaction_data_hashes_alg: 'sha-512' }),
      credentialId: 'id_card',
    },
    {
      what: 'with one hash too many',
      tokens: card((all) => hashesOf([...all, 'another'])),
      credentialId: 'id_card',
    },
    {
      what: 'with the hash of an entry for another credential',
      tokens: (received) => ({
        id_card: present(received, hashesOf(sent(received))),
        passport: present(received, hashesOf(sent(received).slice(0, 1))),
      }),
      credentialId: 'passport',
    },
    {
      what: 'with two credentials that confirm one entry',
      tokens: (received) => ({
        id_card: present(received, hashesOf(sent(received))),
        passport: present(received, hashesOf(sent(received).slice(1))),
      }),
    },
  ];

  it.each(rows)('$what', async ({ tokens, credentialId }) => {
    const asked = await ask(service.url, { dcql_query: both, transactionData: [payment, contract] });
    const received = await receiveRequest(asked);
    const reply = await respond(received, { tokens: tokens(received) });
    const valid = () => ({ tokens: card(hashesOf)(received) });
    const failed = { check: 'transaction-data', ...(credentialId !== undefined && { credentialId }) };
    await expectCheckFailed(asked, received, reply, failed, valid, canary);
  });

  it('with two presentations for one query that confirm the same entry', async () => {
    const dcql_query = { credentials: [{ ...idCard, multiple: true }] };
    const asked = await ask(service.url, { dcql_query, transactionData: [payment] });
    const received = await receiveRequest(asked);
    const answer = (second?: unknown) => {
      const tokens = [present(received, hashesOf(sent(received))), present(received, second)];
      return JSON.stringify({ id_card: tokens });
    };
    const reply = await respond(received, {}, { vp_token: answer(hashesOf(sent(received))) });
    expectRefusal(reply, 400, 'invalid_request');
    expect(reply.json['error_description']).toMatch(/more than one credential confirms entry 0/);
    answered(200, await respond(received, {}, { vp_token: answer() }));
    const confirmed = [{ type: payment.type, confirmedBy: 'id_card' }];
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', transactionData: confirmed });
  });

  it('that names no algorithm where the request lists some', async () => {
    const transactionData = [{ ...payment, transactionDataHashesAlg: ['sha-256'] }];
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, transactionData });
    const received = await receiveRequest(asked);
    const answer = (more?: Json) => ({ tokens: { id_card: present(received, hashesOf(sent(received)), more) } });
    const reply = await respond(received, answer());
    const valid = () => answer({ transaction_data_hashes_alg: 'sha-256' });
    const failed = { check: 'transaction-data', credentialId: 'id_card', reason: /lists algorithms/ };
    await expectCheckFailed(asked, received, reply, failed, valid, canary);
  });

  it('that confirms something although nothing was asked to be confirmed', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    const reply = await respond(received, { tokens: { id_card: present(received, [digestOf('x')]) } });
    const valid = () => ({ tokens: { id_card: present(received) } });
    const failed = { check: 'transaction-data', credentialId: 'id_card' };
    await expectCheckFailed(asked, received, reply, failed, valid, canary);
    expect(await resultOf(asked)).toMatchObject({ transactionData: [] });
  });

  it('even if it brings a credential of another format as well', async () => {
    const query = { credentials: [idCard, degree] };
    const asked = await ask(service.url, { dcql_query: query, transactionData: [payment] });
    const received = await receiveRequest(asked);
    const vc = foreignJwtVc(issuer, holder, {});
    const answer = (hashes?: string[]) => ({
      tokens: { id_card: present(received, hashes), degree: presentJwtVc([vc], holder, received) },
    });
    const failed = { check: 'transaction-data', credentialId: 'id_card' };
    const valid = () => answer(hashesOf(sent(received)));
    await expectCheckFailed(asked, received, await respond(received, answer()), failed, valid, canary);
  });
});

describe('transaction data that no wallet could confirm is rejected with the place of the fault', () => {
  const query = { credentials: [idCard, degree, { ...passport, require_cryptographic_holder_binding: false }] };
  const big = { ...payment, document: 'x'.repeat(9_000) };

  it.each<[what: string, transactionData: unknown, pointer: string, says: RegExp]>([
    ['no list', payment, '', /list of 1 to 10/],
    ['an empty list', [], '', /list of 1 to 10/],
    ['eleven entries', Array.from({ length: 11 }, (_, number) => ({ ...payment, number })), '', /list of 1 to 10/],
    ['an entry as text', ['payment'], '/0', /JSON object with type and credentialIds/],
    ['no type', [{ ...payment, type: undefined }], '/0/type', /string/],
    ['an empty type', [{ ...payment, type: '' }], '/0/type', /string/],
    ['no credentialIds', [{ ...payment, credentialIds: undefined }], '/0/credentialIds', /ids of dcql_query/],
    ['one id as text', [{ ...payment, credentialIds: 'id_card' }], '/0/credentialIds', /ids of dcql_query/],
    ['no ids', [{ ...payment, credentialIds: [] }], '/0/credentialIds', /ids of dcql_query/],
    ['an id twice', [{ ...payment, credentialIds: ['id_card', 'id_card'] }], '/0/credentialIds', /each one once/],
    ['an unknown id', [{ ...payment, credentialIds: ['idcard'] }], '/0/credentialIds/0', /Did you mean id_card/],
    [
      'a credential whose format has no place for it',
      [payment, { ...payment, credentialIds: ['id_card', 'degree'] }],
      '/1/credentialIds/1',
      /jwt_vc_json have no place/,
    ],
    [
      'a credential without holder binding',
      [{ ...payment, credentialIds: ['passport'] }],
      '/0/credentialIds/0',
      /holder/,
    ],
    ['the names of the wire', [{ ...payment, credential_ids: ['id_card'] }], '/0/credential_ids', /as credentialIds/],
    [
      'another algorithm',
      [{ ...payment, transactionDataHashesAlg: ['sha-512'] }],
      '/0/transactionDataHashesAlg',
      /sha-256/,
    ],
    ['an empty text', [{ ...payment, shownAs: '' }], '/0/shownAs', /string of 1 to 300/],
    ['a document in it', [big], '/0', /8192 bytes/],
    ['an entry twice', [payment, { ...payment, shownAs: 'Twice' }], '/1', /same as entry 0/],
  ])('%s', async (...[, transactionData, pointer, says]) => {
    const reply = await postJson(`${service.url}/v0/authorization_requests`, { dcql_query: query, transactionData });
    expectProblem(reply, 400, 'validation-failed');
    const violation = { pointer: `/transactionData${pointer}`, message: expect.stringMatching(says) as unknown };
    expect(reply.json['violations']).toEqual([violation]);
  });

  it('in a request of SIOPv2', async () => {
    const reply = await postJson(`${service.url}/v0/authorization_requests`, { transactionData: [payment] });
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toEqual([
      { pointer: '/transactionData', message: expect.stringMatching(/dcql_query/) as unknown },
    ]);
  });

  it('together with a faulty query, whose faults are named', async () => {
    const body = { dcql_query: { credentials: [] }, transactionData: [payment] };
    const reply = await postJson(`${service.url}/v0/authorization_requests`, body);
    expectProblem(reply, 400, 'invalid-dcql-query');
  });
});

describe('the page of a request with transaction data', () => {
  it('says what is confirmed, by its type and in the words of the portal', async () => {
    const entries = [
      { ...payment, shownAs: 'Pagar 12,50 EUR a <b>Böcker</b>.' },
      { type: 'urn:example:account_opening:1', credentialIds: ['id_card'] },
    ];
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, transactionData: entries });
    const { page } = asked.answer['links'] as { page: string };
    const { text } = await get(page, { 'accept-language': 'es' });
    for (const words of [
      'Lo que confirma',
      'Payment',
      payment.type,
      'Pagar 12,50 EUR a &#60;b&#62;Böcker&#60;/b&#62;.',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).toContain('Account opening');
    const plain = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const { page: other } = plain.answer['links'] as { page: string };
    expect((await get(other, { 'accept-language': 'es' })).text).not.toContain('Lo que confirma');
  });
});
