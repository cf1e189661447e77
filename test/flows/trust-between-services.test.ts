import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { Wallet } from '../../apps/wallet/src/wallet';
import { type Asked, ask, linkOf, resultOf } from '../support/presenters/presenter';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

// One service issues under a certificate, another verifies and trusts nothing but what is in its directory.
const vct = 'https://university.example/student-card';
const query = { credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [vct] } }] };

let issuer: RunningService;
let verifier: RunningService;
let folder: string;
let anchors: string;
let root: string;
let wallet: Wallet;

beforeAll(async () => {
  // The client libraries warn on the console about servers without an authorization endpoint.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  folder = await mkdtemp(join(tmpdir(), 'wallet-'));
  anchors = await mkdtemp(join(tmpdir(), 'anchors-'));
  issuer = await startService();
  root = await (await fetch(`${issuer.url}/certificates/development-root.pem`)).text();
  await writeFile(join(anchors, 'university.pem'), root);
  await writeFile(join(anchors, 'university.yaml'), `name: University\npurposes: [issuer]\ntypes: [${vct}]\n`);
  verifier = await startService({ SERVICE__TRUST__ANCHORS: anchors });
  wallet = new Wallet({ file: join(folder, 'wallet.json') });
  const template = await publishedTemplate(issuer.url, { vct, issuerIdentifier: 'https' });
  await wallet.receive((await prepareOffer(issuer.url, [template])).link);
}, 60_000);
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all([issuer.stop(), verifier.stop()]);
  await Promise.all([folder, anchors].map((each) => rm(each, { recursive: true })));
});

function question(): Promise<Asked> {
  return ask(verifier.url, { dcql_query: query });
}

describe('a credential of another service', () => {
  it('is trusted through the root behind its certificate, and the result names that root', async () => {
    const asked = await question();
    await wallet.present(linkOf(asked));
    const { fingerprint256, subject } = new X509Certificate(root);
    const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
    const trustAnchor = { name: 'University', subject, fingerprint };
    expect(await resultOf(asked)).toMatchObject({
      status: 'verified',
      credentials: [{ trust: 'trusted', trustAnchor }],
    });
  });
});
