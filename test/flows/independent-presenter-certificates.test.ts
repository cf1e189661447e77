import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRoots } from '../../apps/wallet/src/trusted-roots';
import { Wallet } from '../../apps/wallet/src/wallet';
import { presentWithOpenid4vc } from '../support/presenters/independent/openid4vc';
import { practiceAuthority } from '../support/presenters/independent/practice-certificates';
import { type Asked, ask, linkOf, resultOf, type Variant } from '../support/presenters/presenter';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { CredoWallet } from '../support/wallets/independent/credo';
import { receiveAsDraft15Wallet } from '../support/wallets/independent/draft-15';
import { newHolder } from '../support/wallets/independent/holder';
import type { Json } from '../support/http/requests';

// Holders that share no code with this repository believe a request that is signed by a certificate, when they trust
// the root behind it. In development the service has made that root itself.
const vct = 'https://credentials.example/membership';
const query = { credentials: [{ id: 'membership', format: 'dc+sd-jwt', meta: { vct_values: [vct] } }] };
const encrypted = { responseMode: 'direct_post.jwt' };

let service: RunningService;
let rootAddress: string;
let root: string;
let folder: string;
let offer: () => Promise<string>;

beforeAll(async () => {
  // The client libraries warn on the console about servers without an authorization endpoint.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  service = await startService();
  rootAddress = `${service.url}/certificates/development-root.pem`;
  root = await (await fetch(rootAddress)).text();
  folder = await mkdtemp(join(tmpdir(), 'wallet-'));
  const template = await publishedTemplate(service.url, { vct });
  offer = async () => (await prepareOffer(service.url, [template])).link;
}, 60_000);
afterAll(async () => {
  jest.restoreAllMocks();
  await service.stop();
  await rm(folder, { recursive: true });
});

/** The holders, each with the roots that it trusts; the answer is whether the verifier accepted the presentation. */
const holders = {
  'a wallet on Credo': async (roots: string[]) => {
    const wallet = await CredoWallet.open(roots);
    await wallet.receive(await offer());
    return async (link: string) => {
      try {
        return await wallet.present(link);
      } finally {
        await wallet.close();
      }
    };
  },
  'a wallet on the client library of the OpenWallet Foundation': async (roots: string[]) => {
    const holder = newHolder('ES256', 'jwk');
    const [credential = ''] = await receiveAsDraft15Wallet(await offer(), holder);
    return async (link: string) => (await presentWithOpenid4vc(link, [{ credential, holder }], roots)).status === 200;
  },
};

const requests: readonly { name: string; body: Json; variant: Variant; clientId: RegExp }[] = [
  {
    name: 'by x509_hash with an encrypted response, as HAIP has it',
    body: encrypted,
    variant: 'haip',
    clientId: /^x509_hash:[\w-]{43}$/,
  },
  {
    name: 'by x509_san_dns',
    body: { clientIdPrefix: 'x509_san_dns' },
    variant: '1.0',
    clientId: /^x509_san_dns:127\.0\.0\.1$/,
  },
  {
    name: 'by x509_san_dns with an encrypted response',
    body: { clientIdPrefix: 'x509_san_dns', ...encrypted },
    variant: '1.0',
    clientId: /^x509_san_dns:127\.0\.0\.1$/,
  },
];

function clientIdIn(link: string): string | null {
  return new URL(link).searchParams.get('client_id');
}

async function expectVerified(asked: Asked): Promise<void> {
  const shown = await resultOf(asked);
  expect(shown).toMatchObject({ status: 'verified', failure: null, credentials: [{ id: 'membership' }] });
}

describe.each(Object.entries(holders))('%s', (_, open) => {
  it.each(requests)('answers a request that names the service $name', async ({ body, variant, clientId }) => {
    const asked = await ask(service.url, { dcql_query: query, ...body });
    const link = linkOf(asked, variant);
    expect(clientIdIn(link)).toMatch(clientId);
    const present = await open([root]);
    expect(await present(link)).toBe(true);
    await expectVerified(asked);
  });

  it('does not answer when it trusts another root', async () => {
    const present = await open([practiceAuthority().root.toString()]);
    const asked = await ask(service.url, { dcql_query: query, ...encrypted });
    await expect(present(linkOf(asked, 'haip'))).rejects.toThrow();
    expect(await resultOf(asked)).toMatchObject({ vp_token: null });
  });
});

describe('the development wallet', () => {
  it('answers a HAIP request when it is given the root of the service', async () => {
    const wallet = new Wallet({ file: join(folder, 'wallet.json'), roots: await readRoots([rootAddress]) });
    await wallet.receive(await offer());
    const asked = await ask(service.url, { dcql_query: query, ...encrypted });
    const link = linkOf(asked, 'haip');
    expect(link).toMatch(/^haip-vp:\/\/\?/);
    expect(await wallet.present(link)).toMatchObject({ verifier: clientIdIn(link), protocol: 'OpenID4VP 1.0' });
    await expectVerified(asked);
  });
});
