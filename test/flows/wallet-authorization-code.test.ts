import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, Wallet } from '../../examples/wallet';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { claims, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { FormBrowser } from '../support/wallets/authorization';
import { contentOf } from '../support/wallets/credentials';
import { receiveByCode } from '../support/wallets/independent/authorization-code';
import { newHolder } from '../support/wallets/independent/holder';

const service = serviceOfFile();
let templateId: string;
beforeAll(async () => {
  templateId = await publishedTemplate(service.url);
});

/** @returns the link of an offer that only the authorization code flow accepts, with its data */
async function offerByCode(offerId: string): Promise<string> {
  const terms = { offerId, templateIds: [templateId], grants: ['authorization_code'], identification: 'development' };
  const offer = answered(201, await postJson(`${service.url}/v0/offers`, terms));
  const data = { offerId, templateId, credential: { credentialSubject: claims } };
  answered(201, await postJson(`${service.url}/v0/credentials`, data));
  return String(offer['credentialOffer']);
}

async function agree(page: string, redirectUri: string): Promise<string> {
  const browser = new FormBrowser(service.url);
  await browser.open(page);
  await browser.press('login', { username: 'ada', password: 'any' });
  const reply = await browser.press('approve');
  const address = reply.headers.get('location') ?? '';
  expect([reply.status, address.startsWith(redirectUri)]).toEqual([303, true]);
  return address;
}

async function credentialOf(offerId: string): Promise<Json | undefined> {
  const page = answered(200, await get(`${service.url}/v0/credentials?offerId=${offerId}`));
  return (page['items'] as Json[])[0];
}

describe('a wallet that uses the authorization code flow', () => {
  it('on @openid4vc/openid4vci receives a credential, with request, code and token bound to its key', async () => {
    const holder = newHolder('ES256', 'jwk');
    const received = await receiveByCode(await offerByCode('independent'), holder, agree);
    expect(received.tokenType).toBe('DPoP');
    expect(contentOf(received.credential).payload).toMatchObject({ cnf: { jwk: holder.publicJwk } });
    expect(await credentialOf('independent')).toMatchObject({ status: 'Accepted' });
    const stolen = { authorization: `Bearer ${received.accessToken}` };
    const { status } = await postJson(`${service.url}/openid4vci/credential`, {}, stolen);
    expect(status).toBe(401);
  });

  it('on the development wallet gets it encrypted, with a token bound to its key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wallet-'));
    const sent = jest.spyOn(globalThis, 'fetch');
    const steps: string[] = [];
    const redirectUri = 'http://127.0.0.1/callback';
    const browser: Browser = { redirectUri, open: (page) => agree(page, redirectUri) };
    const wallet = new Wallet({ file: join(folder, 'wallet.json'), onStep: (name) => steps.push(name) });
    const [received] = await wallet.receive(await offerByCode('development'), { browser });
    expect(received).toMatchObject({ configurationId: templateId, claims });
    expect(steps).toEqual([
      ...['offer', 'metadata', 'pushed', 'token', 'proof', 'credential', 'verified', 'notification'],
    ]);
    const exchange = sent.mock.calls.findIndex(([address]) => (address as string).endsWith('/openid4vci/credential'));
    const { headers, body } = sent.mock.calls[exchange]?.[1] ?? {};
    expect(new Headers(headers).get('content-type')).toBe('application/jwt');
    expect(new Headers(headers).get('authorization')).toMatch(/^DPoP /);
    expect(body).toMatch(/^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/);
    const answer = (await sent.mock.results[exchange]?.value) as Response;
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/jwt']);
    expect(await credentialOf('development')).toMatchObject({ status: 'Accepted' });
    sent.mockRestore();
    await rm(folder, { recursive: true });
  });

  it('on the development wallet asks by the identifier that its token names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wallet-'));
    const { fetch } = globalThis;
    const asked: Json[] = [];
    // Here it is given none, since it asks by scope: the request that it pushes has authorization_details in the place of that.
    const sent = jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const address = input as string;
      if (!address.endsWith('/par')) {
        const response = await fetch(address, init);
        if (!address.includes('/openid-credential-issuer/')) return response;
        // In clear, so that the test can read what it asks.
        const metadata = (await response.json()) as Json;
        delete metadata['credential_request_encryption'];
        return Response.json(metadata);
      }
      const form = new URLSearchParams(init?.body as string);
      form.delete('scope');
      const details = [{ type: 'openid_credential', credential_configuration_id: templateId }];
      form.set('authorization_details', JSON.stringify(details));
      return fetch(address, { ...init, body: form.toString() });
    });
    const redirectUri = 'http://127.0.0.1/callback';
    const browser: Browser = { redirectUri, open: (page) => agree(page, redirectUri) };
    const wallet = new Wallet({ file: join(folder, 'wallet.json') });
    const received = await wallet.receive(await offerByCode('identified'), { browser });
    for (const [address, init] of sent.mock.calls) {
      if ((address as string).endsWith('/openid4vci/credential')) asked.push(JSON.parse(init?.body as string) as Json);
    }
    expect(received).toHaveLength(1);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toHaveProperty('credential_identifier');
    expect(asked[0]).not.toHaveProperty('credential_configuration_id');
    sent.mockRestore();
    await rm(folder, { recursive: true });
  });
});
