import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRoots, Wallet } from '../../examples/wallet';
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
let file: string;
let root: string;
let steps: [string, string][];

beforeAll(async () => {
  issuer = await startPracticeIssuer();
  verifier = await startPracticeVerifier();
  folder = await mkdtemp(join(tmpdir(), 'wallet-'));
  file = join(folder, 'wallet.json');
  root = join(folder, 'root.pem');
  await writeFile(root, verifier.root.toString());
  await new Wallet({ file }).receive(issuer.offer('membership'));
});

beforeEach(() => {
  steps = [];
});

afterAll(async () => {
  await issuer.close();
  await verifier.close();
  await rm(folder, { recursive: true });
});

const membership = { id: 'membership', format: 'dc+sd-jwt', meta: { vct_values: [vct] } };
const query = { credentials: [{ ...membership, claims: [{ path: ['given_name'] }] }] };

async function present(request: Partial<PracticeRequest>, places = [root]) {
  const roots = await readRoots(places);
  const wallet = new Wallet({ file, roots, onStep: (...step) => steps.push(step) });
  return wallet.present(await verifier.link({ as: '1.0', query, ...request }));
}

describe.each(['x509_hash', 'x509_san_dns'] as const)('a verifier that is named by %s', (signer) => {
  it.each(['value', 'reference', 'post'] as const)('is answered, encrypted, when it asks by %s', async (by) => {
    const { verifier: clientId } = await present({ signer, by, encrypted: true });
    expect(clientId).toMatch(signer === 'x509_hash' ? /^x509_hash:[\w-]{43}$/ : /^x509_san_dns:127\.0\.0\.1$/);
    expect(verifier.answers.at(-1)?.presentations).toMatchObject({
      membership: { bound: true, claims: { given_name: 'Ada' } },
    });
    expect(steps[0]).toEqual(['request', `OpenID4VP 1.0 from ${clientId}, signature verified`]);
  });

  it.each([
    [
      'foreign-root',
      /signed by a certificate of CN=Foreign root; the wallet trusts only CN=Practice root\. Name .* --root/,
    ],
    ['sends-root', /self-signed certificate: .* the root is left out/],
    ['self-signed', /self-signed certificate: the leaf is none/],
    ['certificate-expired', /certificate of CN=Practice verifier is valid from .* to /],
    ['no-authority', /certificate of CN=Another verifier is not one of an authority/],
    ['broken-chain', /certificate of CN=Practice verifier is not signed by the next one/],
    ['other-certificate', /client identifier/],
    ['forged-signature', /not signed by the certificate in its x5c/],
  ] as const)('is not answered after the misdeed %s', async (misdeed, reason) => {
    const before = verifier.answers.length;
    await expect(present({ signer, misdeed })).rejects.toThrow(reason);
    expect(verifier.answers).toHaveLength(before);
  });

  it('is not answered by a wallet that trusts no root', async () => {
    await expect(present({ signer }, [])).rejects.toThrow('the wallet trusts no root. Name the root with --root');
  });
});

describe('a root to trust', () => {
  it.each([
    ['a file that is missing', () => join(folder, 'absent.pem'), /cannot read the root .*absent\.pem \(ENOENT\)/],
    ['a file that is no certificate', () => file, /no certificate in PEM at .*wallet\.json/],
    ['an address without one', () => `${verifier.url}/certificates/root.pem`, /answered 404 instead of a root/],
  ])('is not found in %s', async (_, place, reason) => {
    await expect(present({ signer: 'x509_hash' }, [place()])).rejects.toThrow(reason);
  });
});
