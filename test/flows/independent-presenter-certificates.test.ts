import { randomUUID, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRoots, Wallet } from '../../examples/wallet';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { presentWithOpenid4vc } from '../support/presenters/independent/openid4vc';
import { practiceAuthority } from '../support/presenters/independent/practice-certificates';
import { type Asked, ask, linkOf, resultOf, type Variant } from '../support/presenters/presenter';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { CredoWallet } from '../support/wallets/independent/credo';
import { receiveAsDraft15Wallet } from '../support/wallets/independent/draft-15';
import { newHolder } from '../support/wallets/independent/holder';

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
});
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
    await expect(present(linkOf(asked, 'haip'))).rejects.toThrow(/trusted/i);
    expect(await resultOf(asked)).toMatchObject({ vp_token: null });
  });
});

describe('an mdoc, taken and presented by a holder that shares no code with this repository', () => {
  const { schema, ...licence } = JSON.parse(
    readFileSync(join(__dirname, '../../examples/templates/mobile-driving-licence.json'), 'utf8'),
  ) as Json & { readonly schema: { readonly examples: readonly Json[] } };
  const space = 'org.iso.18013.5.1';
  const wanted = { path: [space, 'age_over_18'], intent_to_retain: false };
  const ofAge = { id: 'licence', format: 'mso_mdoc', meta: { doctype_value: `${space}.mDL` }, claims: [wanted] };
  let roots: string[];
  let link: () => Promise<string>;

  beforeAll(async () => {
    const iaca = await (await fetch(`${service.url}/certificates/development-iaca.pem`)).text();
    roots = [root, iaca];
    const template = await publishedTemplate(service.url, { ...licence, schema, vct: undefined });
    const [credentialSubject = {}] = schema.examples;
    link = async () => (await prepareOffer(service.url, [template], {}, { credential: { credentialSubject } })).link;
  });

  const holders = {
    'on Credo': async () => {
      const wallet = await CredoWallet.open(roots);
      expect(await wallet.receive(await link())).toEqual(['mso_mdoc']);
      return async (request: string) => {
        await wallet.present(request).finally(() => wallet.close());
      };
    },
    'on the library of the OpenWallet Foundation': async () => {
      const trusted = roots.map((pem) => new X509Certificate(pem));
      const wallet = new Wallet({ file: join(folder, `${randomUUID()}.json`), roots: trusted });
      expect(await wallet.receive(await link())).toMatchObject([{ format: 'mso_mdoc' }]);
      return async (request: string) => {
        await wallet.present(request);
      };
    },
  };

  it.each(
    Object.entries(holders).flatMap(([name, open]) =>
      (['direct_post', 'direct_post.jwt'] as const).map((mode) => ({ name, open, mode })),
    ),
  )('$name by $mode', async ({ open, mode }) => {
    const present = await open();
    const asked = await ask(service.url, { dcql_query: { credentials: [ofAge] }, responseMode: mode });
    await present(linkOf(asked, mode === 'direct_post' ? '1.0' : 'haip'));
    const claims = { [space]: { age_over_18: true } };
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', failure: null, credentials: [{ claims }] });
  });
});

describe('a credential of this service, presented to another one', () => {
  it('is trusted through the root behind its certificate, and the result names that root', async () => {
    const anchors = await mkdtemp(join(folder, 'anchors-'));
    await writeFile(join(anchors, 'university.pem'), root);
    await writeFile(join(anchors, 'university.yaml'), `name: University\npurposes: [issuer]\ntypes: [${vct}]\n`);
    const verifier = await startService({ SERVICE__TRUST__ANCHORS: anchors });
    try {
      const wallet = new Wallet({ file: join(folder, 'certified.json') });
      const template = await publishedTemplate(service.url, { vct, issuerIdentifier: 'https' });
      await wallet.receive((await prepareOffer(service.url, [template])).link);
      const asked = await ask(verifier.url, { dcql_query: query });
      await wallet.present(linkOf(asked));
      const { fingerprint256, subject } = new X509Certificate(root);
      const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
      const by = { trust: 'trusted', trustAnchor: { name: 'University', subject, fingerprint } };
      expect(await resultOf(asked)).toMatchObject({ status: 'verified', credentials: [by] });
    } finally {
      await verifier.stop();
    }
  });
});

/** What the page has the reader type: calls of the management API, and commands of the development wallet. */
const typed = /curl localhost:3033(\/\S*)(?: -H '[^']*' -d '([^]*?)')?$|npm run wallet -- (\w+)/gm;

describe('docs/wallets-and-people.md', () => {
  const docs = join(__dirname, '../../docs');
  const page = readFileSync(join(docs, 'wallets-and-people.md'), 'utf8');

  it('has a walk without any authority that works as it is written', async () => {
    const [walk = ''] = /^### Try it[^]*?(?=^### )/m.exec(page) ?? [];
    expect(walk).toContain('--root http://localhost:3033/certificates/development-root.pem');
    const wallet = new Wallet({ file: join(folder, 'wallet.json'), roots: await readRoots([rootAddress]) });
    let last: Json = {};
    for (const [, path = '', body, command] of walk.matchAll(typed)) {
      const { haip } = (last['variants'] ?? {}) as Record<string, string>;
      if (command === 'receive') await wallet.receive(String(last['credentialOffer']));
      else if (command === 'present') expect((await wallet.present(haip ?? '')).verifier).toMatch(/^x509_hash:/);
      else if (body === undefined) last = answered(200, await get(service.url + path));
      else last = answered(201, await postJson(service.url + path, JSON.parse(body)));
    }
    expect(last).toMatchObject({ status: 'verified', credentials: [{ id: 'card', claims: { given_name: 'Ferris' } }] });
  });
});
