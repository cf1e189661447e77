import type { HeldCredential } from '../support/presenters/independent/credentials';
import { presentWithSphereon } from '../support/presenters/independent/sphereon';
import { receiveAsDraft15Wallet } from '../support/wallets/independent/draft-15';
import { newHolder } from '../support/wallets/independent/holder';
import { prepareOffer } from '../support/wallets/independent/offers';
import { startService, type RunningService } from '../support/service/service';

// An older wallet: Sphereon's libraries receive by draft 15 and present by draft 20, including Presentation Exchange.
const claims = { given_name: 'Ada', family_name: 'Lovelace' };
const text = { type: 'string' };
const schema = { type: 'object', properties: { given_name: text, family_name: text } };
const vct = 'https://credentials.example/membership';
const templates = {
  membership: { title: 'Membership', format: 'dc+sd-jwt', vct, schema },
  degree: { title: 'Degree', format: 'jwt_vc_json', type: ['VerifiableCredential', 'Degree'], schema },
};
const queries = {
  membership: { format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['given_name'] }] },
  degree: {
    format: 'jwt_vc_json',
    meta: { type_values: [['Degree']] },
    claims: [{ path: ['credentialSubject', 'given_name'] }],
  },
};
const holder = newHolder('ES256', 'did:jwk');
let service: RunningService;
const held: HeldCredential[] = [];

beforeAll(async () => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  service = await startService();
  for (const template of Object.values(templates)) {
    const { link } = await prepareOffer(service.url, { template, claims }, false);
    const [credential = ''] = await receiveAsDraft15Wallet(link, holder);
    held.push({ credential, holder });
  }
});

afterAll(() => service.stop());

interface Asked {
  readonly state: string;
  readonly variants: Readonly<Record<string, string>>;
}

async function ask(body: object): Promise<Asked> {
  const headers = { 'content-type': 'application/json' };
  const url = `${service.url}/v0/authorization_requests`;
  return (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as Asked;
}

async function result({ state }: Asked): Promise<unknown> {
  return (await fetch(`${service.url}/v0/authorization_requests/${state}`)).json();
}

const choices = (['membership', 'degree'] as const).flatMap((name) =>
  (['direct_post', 'direct_post.jwt'] as const).flatMap((responseMode) =>
    (['vp_token', 'vp_token id_token'] as const).map((responseType) => ({ name, responseMode, responseType })),
  ),
);

describe("the service and Sphereon's draft 20 library", () => {
  it.each(choices)('agree on $responseType with a $name by $responseMode', async ({ name, ...modes }) => {
    const asked = await ask({ dcql_query: { credentials: [{ id: name, ...queries[name] }] }, ...modes });
    expect(await presentWithSphereon(asked.variants['draft-20'] ?? '', held, holder)).toMatchObject({ status: 200 });
    const shown = await result(asked);
    expect(shown).toMatchObject({ status: 'verified', credentials: [{ id: name }], failure: null });
    expect(JSON.stringify((shown as { credentials: { claims: object }[] }).credentials)).toContain('Ada');
  });

  it('agree on an ID token alone', async () => {
    const asked = await ask({});
    expect(await presentWithSphereon(asked.variants['siopv2'] ?? '', held, holder)).toMatchObject({ status: 200 });
    expect(await result(asked)).toMatchObject({ status: 'verified', id_token: expect.any(String) });
  });
});
