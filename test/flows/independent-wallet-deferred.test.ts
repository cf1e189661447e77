import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Wallet } from '../../examples/wallet';
import { answered, postJson } from '../support/http/requests';
import { claims, credentialStatus, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { contentOf } from '../support/wallets/credentials';
import { credentialsOfOffer, deferredOffer, submit } from '../support/wallets/deferred';
import { CredoWallet } from '../support/wallets/independent/credo';
import { receiveAsDraft13Wallet } from '../support/wallets/independent/draft-13';
import { newHolder } from '../support/wallets/independent/holder';

let service: RunningService;
let templates: readonly string[];
let folder: string;

beforeAll(async () => {
  service = await startService();
  templates = [await publishedTemplate(service.url), await publishedTemplate(service.url, w3c)];
  folder = await mkdtemp(join(tmpdir(), 'wallet-'));
  // The client libraries report on the console what they send and receive.
  for (const method of ['log', 'warn'] as const) jest.spyOn(console, method).mockImplementation(() => undefined);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all([service.stop(), rm(folder, { recursive: true })]);
});

const w3c = { format: 'jwt_vc_json', vct: undefined };

/** The portal submits the data of every credential that a wallet waits for. */
async function submitRequested(offerId: string): Promise<number> {
  const requested = (await credentialsOfOffer(service.url, offerId)).filter((one) => one['status'] === 'Requested');
  for (const { templateId } of requested) {
    answered(201, await submit(service.url, { offerId, templateId, credential: { credentialSubject: claims } }));
  }
  return requested.length;
}

/** The same, as soon as a wallet waits for so many. */
async function submitWhenRequested(offerId: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += await submitRequested(offerId)) await setTimeout(50);
}

async function statusesOf(offerId: string): Promise<unknown[]> {
  return (await credentialsOfOffer(service.url, offerId)).map(({ status }) => status);
}

describe('a wallet that waits for the data of a deferred offer', () => {
  it('on Credo, by OpenID4VCI 1.0, gets both formats', async () => {
    const { offerId, link } = await deferredOffer(service.url, templates);
    const wallet = await CredoWallet.open();
    expect(await wallet.receive(link, () => submitRequested(offerId))).toEqual(['dc+sd-jwt', 'jwt_vc']);
    await wallet.close();
    expect(await statusesOf(offerId)).toEqual(['Issued', 'Issued']);
  });

  it('of draft 13 gets both formats', async () => {
    const { offerId, link } = await deferredOffer(service.url, templates);
    const [credentials] = await Promise.all([
      receiveAsDraft13Wallet(link, newHolder('ES256', 'jwk')),
      submitWhenRequested(offerId, templates.length),
    ]);
    expect(credentials.map((one) => contentOf(one).claims['given_name'])).toEqual([
      claims.given_name,
      claims.given_name,
    ]);
  });

  it.each([
    ['1.0', {}, 'Issued'],
    ['draft 13', { draft: '13' } as const, 'Accepted'],
  ])('the development wallet, by %s, asks again and says so', async (_, draft, status) => {
    const { offerId, link } = await deferredOffer(service.url, templates);
    const steps: string[] = [];
    const pauses: number[] = [];
    const wallet = new Wallet({
      file: join(folder, `${offerId}.json`),
      onStep: (name) => steps.push(name),
      pause: async (seconds) => {
        // The second time it asks, the data is there.
        if (pauses.push(seconds) === 2) await submitRequested(offerId);
      },
    });
    expect(await wallet.receive(link, { ...draft, wait: true })).toHaveLength(2);
    expect(pauses).toEqual([5, 5, 5]);
    expect(steps.filter((step) => step === 'waiting')).toHaveLength(3);
    expect(await statusesOf(offerId)).toEqual([status, status]);
  });
});

describe('the development wallet', () => {
  it('says how to wait when it does not', async () => {
    const { offerId, link } = await deferredOffer(service.url, templates.slice(0, 1));
    const wallet = new Wallet({ file: join(folder, `${offerId}.json`) });
    await expect(wallet.receive(link)).rejects.toThrow(/does not have the data of .* yet.*--wait/);
  });

  it('shows the reason for which the issuer has denied the credential', async () => {
    const { offerId, link } = await deferredOffer(service.url, templates.slice(0, 1));
    const reason = 'There is no membership of this name.';
    const wallet = new Wallet({
      file: join(folder, `${offerId}.json`),
      pause: async () => {
        const [credential] = await credentialsOfOffer(service.url, offerId);
        const url = `${service.url}/v0/credentials/${String(credential?.['credentialId'])}`;
        expect((await postJson(`${url}/deny`, { reason })).status).toBe(204);
        expect(await credentialStatus(service.url, String(credential?.['credentialId']))).toBe('Denied');
      },
    });
    await expect(wallet.receive(link, { wait: true })).rejects.toThrow(reason);
  });
});
