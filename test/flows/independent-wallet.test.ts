import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import {
  algorithms,
  bindings,
  type CredentialFormat,
  type Verified,
  verifyCredential,
  Wallet,
} from '../../examples/wallet';
import { receiveAsDraft13Wallet } from '../support/wallets/independent/draft-13';
import { receiveAsDraft15Wallet } from '../support/wallets/independent/draft-15';
import { newHolder, type IndependentHolder } from '../support/wallets/independent/holder';
import { prepareOffer } from '../support/wallets/independent/offers';
import { startService } from '../support/service/service';

// Wallets that share no code with this repository: they show that the service implements the protocol, not only
// that it agrees with itself. The credential itself is checked against the issuer's published keys.
const wallets = [
  ['draft 13', receiveAsDraft13Wallet],
  ['draft 15', receiveAsDraft15Wallet],
] as const;
const holders = [
  ['ES256', 'jwk'],
  ['ES256', 'did:jwk'],
  ['EdDSA', 'jwk'],
  ['EdDSA', 'did:jwk'],
] as const;

const claims = { given_name: 'Ada', degree: { name: 'Mathematics', year: 1842 } };
const degree = { title: 'Degree', format: 'jwt_vc_json', type: ['VerifiableCredential', 'Degree'], schema: schema() };
const vct = 'https://credentials.example/membership';
const membership = { title: 'Membership', format: 'dc+sd-jwt', vct, schema: schema() };

let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  service = await startService();
  // The client libraries warn on the console about servers without an authorization endpoint.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});

afterAll(async () => {
  await service.stop();
});

describe.each(wallets)('an independent %s wallet', (_draft, receive) => {
  it.each(holders)('receives a jwt_vc_json credential bound to its %s key named by %s', async (alg, binding) => {
    const holder = newHolder(alg, binding);
    const { link } = await prepareOffer(service.url, { template: degree, claims }, false);
    const [credential] = await receive(link, holder);
    await expect(verified(credential, 'jwt_vc_json', degree.type, holder)).resolves.toMatchObject({ claims });
  });

  it.each(holders)('receives an SD-JWT VC bound to its %s key named by %s', async (alg, binding) => {
    const holder = newHolder(alg, binding);
    const { link } = await prepareOffer(service.url, { template: membership, claims }, false);
    const [credential] = await receive(link, holder);
    // Both drafts read the legacy metadata, where the format and so the header type is vc+sd-jwt.
    await expect(verified(credential, 'vc+sd-jwt', [vct], holder)).resolves.toMatchObject({ claims });
  });

  it('receives with the transaction code and is rejected with another', async () => {
    const holder = newHolder('ES256', 'jwk');
    const { link, txCode } = await prepareOffer(service.url, { template: degree, claims }, true);
    expect(txCode).toMatch(/^\d{6}$/);
    await expect(receive(link, holder, txCode === '000000' ? '000001' : '000000')).rejects.toThrow(/token.* 400/);
    await expect(receive(link, holder, txCode)).resolves.toHaveLength(1);
  });

  it('is rejected when it redeems an offer twice', async () => {
    const { link } = await prepareOffer(service.url, { template: degree, claims }, false);
    await receive(link, newHolder('ES256', 'jwk'));
    await expect(receive(link, newHolder('ES256', 'jwk'))).rejects.toThrow(/credential offer/);
  });
});

describe('the development wallet', () => {
  const choices = algorithms.flatMap((key) => bindings.map((binding) => ({ key, binding })));
  let folder: string;
  let wallet: Wallet;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wallet-'));
    wallet = new Wallet({ file: join(folder, 'wallet.json') });
  });

  afterAll(() => rm(folder, { recursive: true }));

  it.each(choices)(
    'receives both formats by OpenID4VCI 1.0 bound to its $key key named by $binding',
    async (choice) => {
      for (const [template, format] of [[degree, 'jwt_vc_json'] as const, [membership, 'dc+sd-jwt'] as const]) {
        const { link, txCode = '' } = await prepareOffer(service.url, { template, claims }, true);
        await expect(wallet.receive(link, { ...choice, txCode })).resolves.toMatchObject([{ format, claims }]);
      }
    },
  );

  it('receives a credential about a thing that has a DID of its own', async () => {
    const named = { ...claims, id: 'did:web:cars.example:b-sw-1' };
    const { link } = await prepareOffer(
      service.url,
      { template: { ...degree, subject: 'thing' }, claims: named },
      false,
    );
    await expect(wallet.receive(link)).resolves.toMatchObject([{ format: 'jwt_vc_json', claims }]);
  });

  it.each(choices)('receives both formats by draft 13 bound to its $key key named by $binding', async (choice) => {
    for (const [template, format] of [[degree, 'jwt_vc_json'] as const, [membership, 'vc+sd-jwt'] as const]) {
      const { link } = await prepareOffer(service.url, { template, claims }, false);
      await expect(wallet.receive(link, { ...choice, draft: '13' })).resolves.toMatchObject([{ format, claims }]);
    }
  });
});

async function verified(
  credential: string | undefined,
  format: CredentialFormat,
  types: string[],
  { alg, publicJwk }: IndependentHolder,
): Promise<Verified> {
  const key = { id: await calculateJwkThumbprint(publicJwk), algorithm: alg, privateJwk: publicJwk };
  const credentialIssuer = `${service.url}/openid4vci`;
  return verifyCredential(credential ?? '', { format, types, credentialIssuer, key, roots: [] });
}

function schema(): object {
  const text = { type: 'string' };
  const subject = { type: 'object', properties: { name: text, year: { type: 'integer' } } };
  return { type: 'object', properties: { given_name: text, degree: subject } };
}
