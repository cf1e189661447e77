import { CommandBus } from '@nestjs/cqrs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from '../../examples/wallet';
import type { HeldCredential } from '../support/presenters/independent/credentials';
import { presentToPage, presentWithOpenid4vc } from '../support/presenters/independent/openid4vc';
import { receiveAsDraft15Wallet } from '../support/wallets/independent/draft-15';
import { newHolder } from '../support/wallets/independent/holder';
import { prepareOffer } from '../support/wallets/independent/offers';
import { startService, type RunningService } from '../support/service/service';

// Presenters that share no code with this repository: they show that the verifier implements the protocol,
// not only that it agrees with itself.
const claims = { given_name: 'Ada', family_name: 'Lovelace', degree: { name: 'Mathematics', year: 1842 } };
const degree = { title: 'Degree', format: 'jwt_vc_json', type: ['VerifiableCredential', 'Degree'], schema: schema() };
const vct = 'https://credentials.example/membership';
const membership = { title: 'Membership', format: 'dc+sd-jwt', vct, schema: schema() };

const query = {
  credentials: [
    {
      id: 'membership',
      format: 'dc+sd-jwt',
      meta: { vct_values: [vct] },
      claims: [{ path: ['given_name'] }, { path: ['degree', 'year'], values: [1842] }],
    },
    {
      id: 'degree',
      format: 'jwt_vc_json',
      meta: { type_values: [['Degree']] },
      claims: [{ path: ['credentialSubject', 'degree', 'name'] }],
    },
  ],
};

let service: RunningService;
let folder: string;
let wallet: Wallet;

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'wallet-'));
  wallet = new Wallet({ file: join(folder, 'wallet.json') });
  for (const template of [degree, membership]) {
    const { link } = await prepareOffer(service.url, { template, claims }, false);
    await wallet.receive(link);
  }
  // The client libraries warn on the console about servers without an authorization endpoint.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

interface Asked {
  readonly state: string;
  readonly authorizationRequest: string;
  readonly variants: Readonly<Record<string, string | null>>;
  /** Of a request for pages. */
  readonly digitalCredential: { readonly requests: readonly { protocol: string; data: Record<string, unknown> }[] };
  readonly responseUrl: string;
}

interface Result {
  readonly status: string;
  readonly vp_token: unknown;
  readonly id_token: unknown;
  readonly credentials: readonly { id: string; format: string; issuer: string; claims: object; holder: unknown }[];
  readonly failure: unknown;
}

async function ask(body: object): Promise<Asked> {
  const response = await fetch(`${service.url}/v0/authorization_requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`asking answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Asked;
}

async function result({ state }: Asked): Promise<Result> {
  return (await (await fetch(`${service.url}/v0/authorization_requests/${state}`)).json()) as Result;
}

function linkOf(asked: Asked, variant: string): string {
  const link = asked.variants[variant];
  if (typeof link !== 'string') throw new Error(`There is no ${variant} link: ${JSON.stringify(asked.variants)}`);
  return link;
}

/** Everything requested was shown and verified, and nothing else. */
function expectVerified(shown: Result): void {
  expect(shown).toMatchObject({ status: 'verified', failure: null, vp_token: expect.anything() });
  const byId = Object.fromEntries(shown.credentials.map((credential) => [credential.id, credential]));
  expect(Object.keys(byId).sort()).toEqual(['degree', 'membership']);
  expect(byId['membership']?.claims).toMatchObject({ given_name: 'Ada', degree: { year: 1842 } });
  expect(JSON.stringify(byId['membership']?.claims)).not.toContain('Lovelace');
  expect(JSON.stringify(byId['degree']?.claims)).toContain('Mathematics');
}

const variants = ['1.0', 'draft-20'] as const;
const modes = ['direct_post', 'direct_post.jwt'] as const;
const choices = variants.flatMap((variant) => modes.map((responseMode) => ({ variant, responseMode })));

it('transaction data is confirmed by the development wallet, encrypted', async () => {
  const transactionData = [
    { type: 'payment', credentialIds: ['membership'], amount: '12.50' },
    { type: 'consent', credentialIds: ['membership'], transactionDataHashesAlg: ['sha-256'] },
  ];
  const asked = await ask({ dcql_query: query, responseMode: 'direct_post.jwt', transactionData });
  await wallet.present(linkOf(asked, '1.0'));
  const shown = await result(asked);
  expectVerified(shown);
  const confirmed = transactionData.map(({ type }) => ({ type, confirmedBy: 'membership' }));
  expect(shown).toMatchObject({ transactionData: confirmed });
});

it('the request object is encrypted to the development wallet, which asks for that', async () => {
  const asked = await ask({ dcql_query: query });
  const commands = jest.spyOn(service.app.get(CommandBus), 'execute');
  await wallet.present(linkOf(asked, '1.0'));
  const encryption = expect.objectContaining({ alg: 'ECDH-ES', enc: 'A256GCM' }) as unknown;
  const retrieval = expect.objectContaining({ encryption }) as unknown;
  expect(commands).toHaveBeenCalledWith(expect.objectContaining({ retrieval }));
  commands.mockRestore();
  expectVerified(await result(asked));
});

describe.each(choices)('the $variant request with $responseMode', ({ variant, responseMode }) => {
  it.each([
    ['ES256', 'did:jwk'],
    ['EdDSA', 'did:jwk'],
    ['ES256', 'jwk'],
  ] as const)(
    'is answered by the client library of the OpenWallet Foundation with an %s key, %s',
    async (alg, binding) => {
      const holder = newHolder(alg, binding);
      const held: HeldCredential[] = [];
      for (const template of [degree, membership]) {
        const { link } = await prepareOffer(service.url, { template, claims }, false);
        const [credential = ''] = await receiveAsDraft15Wallet(link, holder);
        held.push({ credential, holder });
      }
      const asked = await ask({ dcql_query: query, responseMode });
      expect(await presentWithOpenid4vc(linkOf(asked, variant), held)).toMatchObject({ status: 200 });
      expectVerified(await result(asked));
    },
  );
});

describe.each(modes)('the 1.0 request with %s', (responseMode) => {
  it('is answered by the development wallet, once', async () => {
    const asked = await ask({ dcql_query: query, responseMode });
    await wallet.present(linkOf(asked, '1.0'));
    await expect(wallet.present(linkOf(asked, '1.0'))).rejects.toThrow(/^(request|response): /);
    expectVerified(await result(asked));
  });

  it('is not satisfied by less than it requests', async () => {
    const asked = await ask({ dcql_query: query, responseMode });
    const present = wallet.present(linkOf(asked, '1.0'), { disclose: ['given_name'] });
    await expect(present).rejects.toThrow(/^response: The server rejected the request with invalid_request \(400\)/);
    expect(await result(asked)).toMatchObject({ status: 'rejected', vp_token: null, failure: expect.anything() });
  });
});

describe('the request that a page hands over', () => {
  it.each([
    ['signed', 'dc_api.jwt'],
    ['unsigned', 'dc_api'],
  ])('%s, with %s, is answered by the client library of the OpenWallet Foundation', async (kind, responseMode) => {
    const held: HeldCredential[] = [];
    const holder = newHolder('ES256', 'jwk');
    for (const template of [degree, membership]) {
      const { link } = await prepareOffer(service.url, { template, claims }, false);
      const [credential = ''] = await receiveAsDraft15Wallet(link, holder);
      held.push({ credential, holder });
    }
    const origin = 'https://shop.example';
    const asked = await ask({ dcql_query: query, responseMode, expectedOrigins: [origin] });
    const { digitalCredential, responseUrl } = asked;
    const { protocol, data } = digitalCredential.requests.find((one) => one.protocol.endsWith(`-${kind}`)) ?? {};
    const root = await (await fetch(`${service.url}/certificates/development-root.pem`)).text();
    const answer = { protocol, data: await presentToPage(data ?? {}, origin, held, [root]) };
    const reply = await fetch(responseUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify(answer),
    });
    expect([reply.status, await reply.json()]).toEqual([200, {}]);
    expectVerified(await result(asked));
  });
});

describe('the development wallet', () => {
  it('continues where the verifier redirects', async () => {
    const redirectUri = 'https://portal.example/done';
    const asked = await ask({ dcql_query: query, redirectUri });
    const presented = await wallet.present(asked.authorizationRequest);
    expect(presented.redirectUri).toMatch(/^https:\/\/portal\.example\/done[?#].*response_code=/);
  });

  it.each(['draft-20', 'draft-20-redirect', 'siopv2'])('says what it answers to the request %s', async (variant) => {
    const asked = await ask(variant === 'siopv2' ? {} : { dcql_query: { credentials: query.credentials.slice(1) } });
    const present = wallet.present(linkOf(asked, variant));
    await expect(present).rejects.toThrow('this wallet answers DCQL queries only (OpenID4VP 1.0)');
    expect(await result(asked)).toMatchObject({ vp_token: null });
  });

  it('declines what it does not have, and the verifier records it', async () => {
    const other = { id: 'other', format: 'jwt_vc_json', meta: { type_values: [['Other']] } };
    const asked = await ask({ dcql_query: { credentials: [other] } });
    await expect(wallet.present(asked.authorizationRequest)).rejects.toThrow('asked: The wallet holds no credential');
    expect(await result(asked)).toMatchObject({ vp_token: null });
  });
});

function schema(): object {
  const text = { type: 'string' };
  const subject = { type: 'object', properties: { name: text, year: { type: 'integer' } } };
  return { type: 'object', properties: { given_name: text, family_name: text, degree: subject } };
}
