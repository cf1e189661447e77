import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from '../../examples/wallet';
import {
  startPracticeVerifier,
  type PracticeRequest,
  type PracticeVerifier,
} from '../support/presenters/independent/practice-verifier';
import { vct } from '../support/wallets/independent/practice-credentials';
import { startPracticeIssuer, type PracticeIssuer } from '../support/wallets/independent/practice-issuer';

let issuer: PracticeIssuer;
let verifier: PracticeVerifier;
let folder: string;
let wallet: Wallet;

beforeAll(async () => {
  issuer = await startPracticeIssuer();
  verifier = await startPracticeVerifier();
  folder = await mkdtemp(join(tmpdir(), 'wallet-'));
  wallet = new Wallet({ file: join(folder, 'wallet.json') });
  await wallet.receive(issuer.offer('degree'), { binding: 'did:jwk' });
  await wallet.receive(issuer.offer('membership'));
});

afterAll(async () => {
  await issuer.close();
  await verifier.close();
  await rm(folder, { recursive: true });
});

const membership = (id: string) => ({ id, format: 'dc+sd-jwt', meta: { vct_values: [vct] } });
const degree = { id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['PracticeDegree']] } };
const credentials = [membership('first'), membership('second'), degree];
const payment = { type: 'payment', amount: '12.50 EUR' };

async function present(transactionData: NonNullable<PracticeRequest['transactionData']>) {
  const request = { as: '1.0', query: { credentials }, transactionData } as const;
  const presented = await wallet.present(await verifier.link(request));
  return { presented, presentations: verifier.answers.at(-1)?.presentations };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

describe('the development wallet confirms transaction data', () => {
  it('by the text as it was sent', async () => {
    // Padding and spaces: decoded and encoded again, this would be another text.
    const text = Buffer.from('{ "type": "payment",  "credential_ids": ["first"] }').toString('base64url');
    const { presentations } = await present([text]);
    expect(presentations?.['first']?.transactions).toEqual({
      transaction_data_hashes: [sha256(text)],
      transaction_data_hashes_alg: 'sha-256',
    });
    expect(presentations?.['second']?.transactions).toBeUndefined();
  });

  it('in the order of the request, each by one credential only', async () => {
    const entries = [
      { ...payment, credential_ids: ['second', 'first'] },
      { type: 'consent', credential_ids: ['second'], transaction_data_hashes_alg: ['sha-512', 'sha-256'] },
      { ...payment, amount: '1 EUR', credential_ids: ['first'] },
    ];
    const texts = entries.map((entry) => Buffer.from(JSON.stringify(entry)).toString('base64url'));
    const [one = '', two = '', three = ''] = texts.map(sha256);
    const { presentations, presented } = await present(entries);
    expect(presentations?.['first']?.transactions?.['transaction_data_hashes']).toEqual([one, three]);
    expect(presentations?.['second']?.transactions?.['transaction_data_hashes']).toEqual([two]);
    expect(presented.credentials.map(({ queryId, confirmed }) => [queryId, confirmed])).toEqual([
      ['first', ['payment {"amount":"12.50 EUR"}', 'payment {"amount":"1 EUR"}']],
      ['second', ['consent {}']],
      ['degree', []],
    ]);
  });
});

describe('the development wallet does not present', () => {
  it.each([
    ['an entry that is not JSON', ['bm90IEpTT04'], /Failed to parse transaction data/],
    ['an entry without a type', [{ credential_ids: ['first'] }], /Failed to parse transaction data/],
    ['an entry for no credential', [{ ...payment, credential_ids: [] }], /Failed to parse transaction data/],
    [
      'an entry for a credential that is not asked for',
      [{ ...payment, credential_ids: ['third'] }],
      /needs the credential third/,
    ],
    [
      'an entry for a credential that cannot confirm it',
      [{ ...payment, credential_ids: ['degree'] }],
      /Only an SD-JWT with proof/,
    ],
    [
      'an entry with another hash',
      [{ ...payment, credential_ids: ['first'], transaction_data_hashes_alg: ['sha-512'] }],
      /wants another hash than sha-256/,
    ],
  ])('to a request that has %s', async (_, entries, reason) => {
    const before = verifier.answers.filter(({ error }) => error === undefined).length;
    await expect(present(entries)).rejects.toThrow(reason);
    expect(verifier.answers.filter(({ error }) => error === undefined)).toHaveLength(before);
  });
});
