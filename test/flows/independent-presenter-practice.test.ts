import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from '../../examples/wallet';
import {
  startPracticeVerifier,
  type VerifierMisdeed,
  type PracticeRequest,
  type PracticeVerifier,
} from '../support/presenters/independent/practice-verifier';
import { vct } from '../support/wallets/independent/practice-credentials';
import { startPracticeIssuer, type PracticeIssuer } from '../support/wallets/independent/practice-issuer';

let issuer: PracticeIssuer;
let verifier: PracticeVerifier;
let folder: string;
let wallet: Wallet;
let steps: [string, string][];

beforeAll(async () => {
  issuer = await startPracticeIssuer();
  verifier = await startPracticeVerifier();
  folder = await mkdtemp(join(tmpdir(), 'wallet-'));
  wallet = new Wallet({ file: join(folder, 'wallet.json'), onStep: (...step) => steps.push(step) });
  steps = [];
  await wallet.receive(issuer.offer('degree'), { binding: 'did:jwk' });
  await wallet.receive(issuer.offer('membership'));
});

beforeEach(() => {
  steps = [];
});

afterAll(async () => {
  await issuer.close();
  await verifier.close();
  await rm(folder, { recursive: true });
});

const membership = {
  id: 'membership',
  format: 'dc+sd-jwt',
  meta: { vct_values: [vct] },
  claims: [{ path: ['given_name'] }, { path: ['address', 'locality'] }],
};
const degree = {
  id: 'degree',
  format: 'jwt_vc_json',
  meta: { type_values: [['PracticeDegree']] },
  claims: [{ path: ['credentialSubject', 'degree', 'name'], values: ['Bachelor of Practice'] }],
};
const both = { credentials: [membership, degree] };
const one = { credentials: [degree] };
const shown = {
  membership: { vct, given_name: 'Ada', address: { country: 'NO', locality: 'Bergen' }, levels: ['silver'] },
  degree: { degree: { name: 'Bachelor of Practice' } },
};

async function present(request: PracticeRequest, options = {}) {
  const before = verifier.answers.length;
  const presented = await wallet.present(await verifier.link(request), options);
  const [answer] = verifier.answers.slice(before);
  if (!answer) throw new Error('The verifier accepted nothing.');
  return { presented, answer };
}

describe('the development wallet answers OpenID4VP 1.0', () => {
  it.each([false, true])('with both formats, the requested claims and no more; encrypted: %s', async (encrypted) => {
    const { presented, answer } = await present({ as: '1.0', query: both, encrypted });
    expect(answer.presentations).toEqual({
      membership: { bound: true, claims: expect.objectContaining(shown.membership) },
      degree: { bound: true, claims: expect.objectContaining(shown.degree) },
    });
    expect(presented).toMatchObject({
      protocol: 'OpenID4VP 1.0',
      credentials: [
        { queryId: 'membership', disclosed: ['address.locality', 'given_name'] },
        { queryId: 'degree', title: 'Practice Degree' },
      ],
      redirectUri: null,
    });
  });

  it.each(['did:jwk', 'did:web'] as const)('of a verifier that signs as %s', async (signer) => {
    await present({ as: '1.0', query: one, signer });
    expect(steps[0]).toEqual(['request', expect.stringMatching(new RegExp(`${signer}:.*signature verified`))]);
  });

  it.each(['value', 'reference', 'post'] as const)('sent by %s', async (by) => {
    const { answer } = await present({ as: '1.0', query: one, by });
    expect(Object.keys(answer.presentations)).toEqual(['degree']);
  });

  it('and prints where to continue', async () => {
    const redirectUri = 'https://portal.example/done#response_code=1';
    const { presented } = await present({ as: '1.0', query: one, redirectUri });
    expect(presented.redirectUri).toBe(redirectUri);
    expect(steps.map(([name]) => name)).toEqual(['request', 'asked', 'disclosed', 'response']);
  });
});

describe('the development wallet presents', () => {
  it('to a verifier that does not sign and is named by its URL', async () => {
    const { answer } = await present({ as: '1.0', query: both, signer: 'none' });
    expect(Object.keys(answer.presentations)).toEqual(['membership', 'degree']);
  });

  it('a bare credential when no holder binding is wanted', async () => {
    const credentials = [membership, degree].map((one) => ({ ...one, require_cryptographic_holder_binding: false }));
    const { answer } = await present({ as: '1.0', query: { credentials } });
    expect(Object.values(answer.presentations).map(({ bound }) => bound)).toEqual([false, false]);
  });

  it('other claims when they are chosen', async () => {
    const request: PracticeRequest = { as: '1.0', query: { credentials: [membership] } };
    const { answer } = await present(request, { disclose: ['levels.1'] });
    expect(answer.presentations['membership']?.claims).toMatchObject({ levels: ['silver', 'gold'] });
    expect(answer.presentations['membership']?.claims).not.toHaveProperty('given_name');
  });

  it('the chosen credential, the newest otherwise', async () => {
    const [older] = (await wallet.credentials()).filter(({ format }) => format === 'dc+sd-jwt');
    const [newer] = await wallet.receive(issuer.offer('membership'));
    const request: PracticeRequest = { as: '1.0', query: { credentials: [membership] } };
    expect((await present(request)).presented.credentials[0]?.credentialId).toBe(newer?.id);
    const chosen = await present(request, { credentials: [older?.id ?? ''] });
    expect(chosen.presented.credentials[0]?.credentialId).toBe(older?.id);
  });

  it('one of several credentials that match', async () => {
    const absent = { ...degree, id: 'absent', meta: { type_values: [['Other']] } };
    const credential_sets = [{ options: [['absent'], ['degree']] }, { options: [['membership']], required: false }];
    const { answer } = await present({
      as: '1.0',
      query: { credentials: [absent, membership, degree], credential_sets },
    });
    expect(Object.keys(answer.presentations)).toEqual(['degree']);
  });
});

describe('the development wallet refuses', () => {
  const misdeeds: [VerifierMisdeed, RegExp, Partial<PracticeRequest>][] = [
    ['forged-signature', /request: The request object is not signed by did:jwk:/, {}],
    ['other-client-id', /request: .*client_id does not match/, {}],
    ['other-signer', /request: .*signed by (the same|this) DID/, {}],
    ['wrong-typ', /request: .*typ/, {}],
    ['expired', /request: .*(expired|'exp' is in the past)/, {}],
    ['ignores-wallet-nonce', /request: .*wallet_nonce/, { by: 'post' }],
  ];

  it.each(misdeeds)('a presentation request with the misdeed %s', async (misdeed, reason, more) => {
    const before = verifier.answers.length;
    const link = await verifier.link({ as: '1.0', query: one, misdeed, ...more });
    await expect(wallet.present(link)).rejects.toThrow(reason);
    expect(verifier.answers).toHaveLength(before);
  });

  it.each([
    ['a SIOPv2 request', { as: 'siopv2' }, 'an ID token (SIOPv2)'],
    [
      'a request for an ID token as well',
      { as: '1.0', query: one, responseType: 'vp_token id_token' },
      'an ID token (SIOPv2)',
    ],
    [
      'a draft-20 request',
      { as: 'draft-20', query: { id: 'one', input_descriptors: [] } },
      'a presentation definition',
    ],
  ] as const)('%s, and says what it answers', async (_, request, asks) => {
    for (const by of ['value', 'reference'] as const) {
      const link = await verifier.link({ ...request, by });
      const present = wallet.present(link);
      await expect(present).rejects.toThrow(`request: The request asks with ${asks}`);
      await expect(present).rejects.toThrow('this wallet answers DCQL queries only (OpenID4VP 1.0)');
    }
  });

  it('an unsigned request whose response goes elsewhere', async () => {
    const honest = await verifier.link({ as: '1.0', query: one, signer: 'none' });
    const link = new URL(honest);
    link.searchParams.set('response_uri', 'http://127.0.0.1:9/elsewhere');
    await expect(wallet.present(link.href)).rejects.toThrow(/request: .*MUST match the response_uri/);
  });

  it('a request it cannot satisfy, and sends the verifier only that', async () => {
    const other = { ...degree, meta: { type_values: [['Other']] } };
    for (const encrypted of [false, true]) {
      const link = await verifier.link({ as: '1.0', query: { credentials: [other] }, encrypted });
      await expect(wallet.present(link)).rejects.toThrow(
        /asked: The wallet holds no credential that matches degree \(/,
      );
      expect(verifier.answers.at(-1)?.raw).toMatchObject({ error: 'access_denied', state: expect.any(String) });
    }
  });

  it('to guess which credential or claim is meant', async () => {
    const link = await verifier.link({ as: '1.0', query: { credentials: [membership] } });
    await expect(wallet.present(link, { credentials: ['unknown'] })).rejects.toThrow(
      'disclosed: The credential unknown matches nothing in the request.',
    );
    await expect(wallet.present(link, { disclose: ['shoe_size'] })).rejects.toThrow(
      'disclosed: None of the credentials has the claim shoe_size.',
    );
  });

  it.each(['openid-credential-offer://?credential_offer=%7B%7D', 'hello'])('%s, which is no request', async (link) => {
    await expect(wallet.present(link)).rejects.toThrow('request: This is not a request link');
  });
});

describe('the development wallet explains', () => {
  it('the error of a verifier', async () => {
    const link = await verifier.link({ as: '1.0', query: one, misdeed: 'refuses-answer' });
    await expect(wallet.present(link)).rejects.toThrow(
      'response: The server rejected the request with invalid_request (400): The credential is revoked.',
    );
  });

  it('a verifier that cannot be reached, and one without such a request', async () => {
    const gone = await startPracticeVerifier();
    const link = await gone.link({ as: '1.0', query: one });
    await gone.close();
    await expect(wallet.present(link)).rejects.toThrow(/request: fetch failed \(ECONNREFUSED\)/);
    const unknown = link.replaceAll(encodeURIComponent(gone.url), encodeURIComponent(verifier.url));
    await expect(wallet.present(unknown)).rejects.toThrow(/request: The verifier answered 404 to http/);
  });
});
