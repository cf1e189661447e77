import { answered, get, postJson } from '../support/requests';
import { type RunningService, startService } from '../support/service';
import { openSession, readOffer, requestCredential } from '../support/wallet';
import { contentOf, readJwt } from '../support/wallet-credentials';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

// Word for word what a newcomer types.
describe('the quick start', () => {
  it('prepares a credential, shows the offer and hands the credential to a wallet', async () => {
    const prepared = await postJson(`${service.url}/v0/credentials`, {
      offerId: '001',
      credentialConfigurationId: 'w3c_vc_credential',
      credential: { credentialSubject: { first_name: 'Ferris', last_name: 'Crabman' } },
      expiresAt: 'never',
    });
    expect(prepared.status).toBe(201);
    expect(prepared.json).toMatchObject({ offerId: '001', status: 'Prepared', expiresAt: 'never' });
    expect(prepared.text).not.toContain('Ferris');
    const address = prepared.headers.get('location') ?? '';
    answered(200, await get(service.url + address));

    const opened = await postJson(`${service.url}/v0/offers`, { offerId: '001' });
    const link = String(answered(200, opened)['credentialOffer']);
    expect(link).toMatch(/^openid-credential-offer:\/\/\?credential_offer_uri=http/);
    expect(await readOffer(link)).toMatchObject({ configurationIds: ['w3c_vc_credential'], txCode: undefined });

    const session = await openSession(link);
    const answer = answered(200, await requestCredential(session));
    const [{ credential }] = answer['credentials'] as [{ credential: string }];
    expect(contentOf(credential).claims).toMatchObject({ first_name: 'Ferris', last_name: 'Crabman' });
    expect(readJwt(credential).payload).not.toHaveProperty('exp');
    expect(answered(200, await get(service.url + address))['status']).toBe('Issued');
    expect(answered(200, await get(`${service.url}/v0/offers/001`))['state']).toBe('Redeemed');
  });

  it('answers the same offer as bare link and as pictures', async () => {
    const ask = (accept: string) => postJson(`${service.url}/v0/offers`, { offerId: '002' }, { accept });
    expect((await ask('application/json')).status).toBe(201);
    const link = await ask('text/plain');
    expect(link.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(link.text).toMatch(/^openid-credential-offer:\/\/\?credential_offer_uri=/);
    expect((await ask('image/svg+xml')).text).toContain('<svg');
    const png = await fetch(`${service.url}/v0/offers/002/qr.png`);
    expect(
      Buffer.from(await png.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    const page = await get(`${service.url}/v0/offers/002/page`);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).toContain('<svg');
  });
});
