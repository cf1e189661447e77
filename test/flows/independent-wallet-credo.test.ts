import { CredoWallet } from '../support/wallets/independent/credo';
import { ask, linkOf, resultOf } from '../support/presenters/presenter';
import { reachThroughProxy } from '../support/http/public-address';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

const publicUrl = 'https://credo-takes.example';

let local: RunningService;
let published: RunningService;
let wallet: CredoWallet;
beforeAll(async () => {
  local = await startService();
  published = await startService({ SERVICE__APPLICATION_URL: publicUrl });
  reachThroughProxy(publicUrl, { listenerOf: () => published.url });
});
beforeEach(async () => {
  wallet = await CredoWallet.open();
});
afterEach(() => wallet.close());
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all([local.stop(), published.stop()]);
});

describe.each([
  ['by did:jwk, in development', () => local, 'did:jwk:'],
  ['by did:web, behind an https address', () => published, 'did:web:credo-takes.example'],
])('a wallet on Credo, of an issuer that is named %s', (_, service, issuer) => {
  it.each(['ES256', 'EdDSA'])('receives, keeps and presents both formats signed with %s', async (signingAlgorithm) => {
    const { url } = service();
    const vct = 'https://credentials.example/membership';
    const sdJwtVc = await publishedTemplate(url, { vct, signingAlgorithm });
    const w3c = await publishedTemplate(url, { format: 'jwt_vc_json', vct: undefined, signingAlgorithm });
    expect(await wallet.receive((await prepareOffer(url, [sdJwtVc])).link)).toEqual(['dc+sd-jwt']);
    expect(await wallet.receive((await prepareOffer(url, [w3c])).link)).toEqual(['jwt_vc']);
    const credentials = [
      { id: 'membership', format: 'dc+sd-jwt', meta: { vct_values: [vct] } },
      { id: 'any', format: 'jwt_vc_json', meta: { type_values: [['VerifiableCredential']] } },
    ];
    const asked = await ask(url, { dcql_query: { credentials } });
    expect(await wallet.present(linkOf(asked))).toBe(true);
    const payment = { type: 'payment', credentialIds: ['membership'], transactionDataHashesAlg: ['sha-256'] };
    const paying = await ask(url, {
      dcql_query: { credentials },
      transactionData: [
        { ...payment, amount: '12.50' },
        { type: 'consent', credentialIds: ['membership'], to: 'Böcker' },
      ],
    });
    expect(await wallet.present(linkOf(paying))).toBe(true);
    expect(await resultOf(paying)).toMatchObject({
      transactionData: ['payment', 'consent'].map((type) => ({ type, confirmedBy: 'membership' })),
    });
    const own = { trust: 'trusted', issuer: expect.stringContaining(issuer) as string };
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', credentials: [own, own] });
  });
});
