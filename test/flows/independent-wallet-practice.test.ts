import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from '../../examples/wallet';
import type { Misdeed } from '../support/wallets/independent/practice-credentials';
import { startPracticeIssuer, type PracticeIssuer } from '../support/wallets/independent/practice-issuer';

let issuer: PracticeIssuer;
let folder: string;
let file: string;

beforeAll(async () => {
  issuer = await startPracticeIssuer();
  folder = await mkdtemp(join(tmpdir(), 'wallet-'));
});

beforeEach(() => {
  file = join(folder, `${expect.getState().currentTestName?.replace(/\W+/g, '-') ?? ''}.json`);
});

afterAll(async () => {
  await issuer.close();
  await rm(folder, { recursive: true });
});

describe('the development wallet receives from an honest issuer', () => {
  it.each([
    ['degree', 'jwt_vc_json', { degree: { name: 'Bachelor of Practice' } }],
    [
      'membership',
      'dc+sd-jwt',
      { given_name: 'Ada', address: { country: 'NO', locality: 'Bergen' }, levels: ['silver', 'gold'] },
    ],
  ])('a %s as %s, keeps it and notifies the issuer', async (id, format, claims) => {
    const steps: string[] = [];
    const wallet = new Wallet({ file, onStep: (name) => steps.push(name) });
    const [received] = await wallet.receive(issuer.offer(id));
    expect(received).toMatchObject({ format, claims, configurationId: id });
    expect(await new Wallet({ file }).credentials()).toEqual([received]);
    expect(steps).toEqual(['offer', 'metadata', 'token', 'proof', 'credential', 'verified', 'notification']);
    expect(issuer.notifications.at(-1)?.event).toBe('credential_accepted');
    expect(issuer.proofs.at(-1)?.path).toBe('/openid4vci/credential');
  });

  it('an offer by value', async () => {
    expect(await new Wallet({ file }).receive(issuer.offer('degree', { byValue: true }))).toHaveLength(1);
  });

  it('as a draft 13 wallet, at the draft 13 endpoint and in the old format', async () => {
    const [received] = await new Wallet({ file }).receive(issuer.offer('membership'), { draft: '13' });
    expect(received?.format).toBe('vc+sd-jwt');
    expect(issuer.proofs.at(-1)?.path).toBe('/openid4vci/draft-13/credential');
  });

  it('bound to an EdDSA key named by did:jwk', async () => {
    await new Wallet({ file }).receive(issuer.offer('degree'), { key: 'EdDSA', binding: 'did:jwk' });
    expect(issuer.proofs.at(-1)?.header).toMatchObject({ alg: 'EdDSA', kid: expect.stringMatching(/^did:jwk:.+#0$/) });
  });

  it('with a transaction code, as option or prompted for', async () => {
    const wallet = new Wallet({ file });
    await wallet.receive(issuer.offer('degree', { txCode: '4711' }), { txCode: '4711' });
    const askTxCode = jest.fn(() => Promise.resolve('4711'));
    await wallet.receive(issuer.offer('degree', { txCode: '4711' }), { askTxCode });
    expect(askTxCode).toHaveBeenCalledWith('transaction code of 4 characters');
  });

  it('into a file that only its owner reads, with one key for all credentials', async () => {
    const wallet = new Wallet({ file });
    await wallet.receive(issuer.offer('degree'));
    await wallet.receive(issuer.offer('membership'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      keys: [{ algorithm: 'ES256' }],
      credentials: [{ configurationId: 'degree' }, { configurationId: 'membership' }],
    });
  });
});

describe('the development wallet refuses', () => {
  const misdeeds: [string, Misdeed, RegExp][] = [
    ['degree', 'forged-signature', /verified: .* does not verify: signature verification failed/],
    ['degree', 'expired', /verified: .* does not verify: "exp" claim timestamp check failed/],
    ['degree', 'other-holder', /verified: cnf binds the credential to another key/],
    ['degree', 'other-subject', /verified: sub is another DID/],
    ['degree', 'two-issuers', /verified: iss and vc\.issuer differ/],
    ['degree', 'two-dates', /verified: exp and vc\.expirationDate differ/],
    ['degree', 'unbound', /verified: The credential is bound to no key/],
    ['degree', 'other-type', /verified: The credential is of type VerifiableCredential;/],
    ['degree', 'wrong-typ', /verified: .* typ dc\+sd-jwt instead of JWT/],
    ['membership', 'forged-signature', /verified: .* does not verify: signature verification failed/],
    ['membership', 'expired', /verified: .* does not verify: "exp" claim timestamp check failed/],
    ['membership', 'other-holder', /verified: cnf binds the credential to another key/],
    ['membership', 'unbound', /verified: The credential is bound to no key/],
    ['membership', 'other-type', /verified: The credential is of type .*\/other; the offer promised/],
    ['membership', 'wrong-typ', /verified: .* typ vc\+sd-jwt instead of dc\+sd-jwt/],
    ['membership', 'sneaked-disclosure', /verified: .* disclosure that its signature does not cover/],
  ];

  it.each(misdeeds)('a %s with the misdeed %s, and notifies the issuer', async (id, misdeed, reason) => {
    const wallet = new Wallet({ file });
    await expect(wallet.receive(issuer.offer(id, { misdeed }))).rejects.toThrow(reason);
    expect(await wallet.credentials()).toEqual([]);
    expect(issuer.notifications.at(-1)?.event).toBe('credential_failure');
  });

  it('to guess a transaction code', async () => {
    const receive = new Wallet({ file }).receive(issuer.offer('degree', { txCode: '4711' }));
    await expect(receive).rejects.toThrow(
      'token: The issuer requires a transaction code of 4 characters; give it with --tx-code.',
    );
  });
});

describe('the development wallet explains', () => {
  it('an OAuth error of the token endpoint by code and description', async () => {
    const receive = new Wallet({ file }).receive(issuer.offer('degree', { txCode: '4711' }), { txCode: '1147' });
    await expect(receive).rejects.toThrow(
      'token: The server rejected the request with invalid_grant (400): The transaction code is wrong.',
    );
  });

  it('an OAuth error of the credential endpoint by code and description', async () => {
    const receive = new Wallet({ file }).receive(issuer.offer('degree', { misdeed: 'refuses-credential' }));
    await expect(receive).rejects.toThrow(
      'credential: The server rejected the request with credential_request_denied (400): Not today.',
    );
  });

  it('an issuer that cannot be reached', async () => {
    const gone = await startPracticeIssuer();
    const offer = gone.offer('degree');
    await gone.close();
    const receive = new Wallet({ file }).receive(offer);
    await expect(receive).rejects.toThrow(`offer: Unknown error occurred during fetch to '${gone.url}`);
    await expect(receive).rejects.toThrow(/\(ECONNREFUSED\)$/);
  });
});
