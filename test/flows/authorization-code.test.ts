import { answered, postJson } from '../support/http/requests';
import { serviceOfFile } from '../support/service/service-of-file';
import { authorize, clientId, FormBrowser, pushRequest, redeemCode, wayBack } from '../support/wallets/authorization';
import { contentOf } from '../support/wallets/credentials';
import { keyProof, newHolder } from '../support/wallets/key-proofs';
import { credentialsOf, nonceFrom } from '../support/wallets/wallet';

const service = serviceOfFile();
let issuer: string;
beforeAll(() => {
  issuer = `${service.url}/openid4vci`;
}, 60_000);

describe('the authorization code flow that a wallet begins', () => {
  it('ends with the credential of the person who logged in and agreed', async () => {
    const pushed = await pushRequest(service.url);
    expect(answered(201, pushed.answer)).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/) as string,
      expires_in: 60,
    });
    const browser = new FormBrowser(service.url);
    await browser.open(pushed.page);
    expect(browser.state).toBe('login');
    await browser.press('login', { username: 'ada.lovelace', password: 'any' });
    expect(browser.state).toBe('consent');
    expect(browser.shown?.text).toContain('<dd>Lovelace</dd>');
    const back = wayBack(await browser.press('approve'));
    expect(Object.fromEntries(back)).toEqual({
      kept: '1',
      code: expect.any(String) as string,
      state: pushed.state,
      iss: issuer,
    });

    const token = answered(200, await redeemCode(service.url, pushed, back.get('code') ?? ''));
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 300 });
    const nonce = await nonceFrom(issuer);
    const proof = keyProof(newHolder(), issuer, nonce, { claims: { iss: clientId } });
    const answer = await postJson(
      `${issuer}/credential`,
      { credential_configuration_id: 'w3c_vc_credential', proofs: { jwt: [proof] } },
      { authorization: `Bearer ${String(token['access_token'])}` },
    );
    const { payload } = contentOf(credentialsOf(answered(200, answer))[0] ?? '');
    expect(payload).toMatchObject({ vc: { credentialSubject: { family_name: 'Lovelace' } } });
  });

  it('ends with access_denied when the person does not agree', async () => {
    const pushed = await pushRequest(service.url, { state: '&"<script>' });
    const browser = new FormBrowser(service.url);
    await browser.open(pushed.page);
    await browser.press('login', { username: 'ada' });
    expect(Object.fromEntries(wayBack(await browser.press('reject')))).toEqual({
      kept: '1',
      error: 'access_denied',
      state: '&"<script>',
      iss: issuer,
    });
    await browser.open(pushed.page);
    expect([browser.shown?.status, browser.state]).toEqual([400, 'ended']);
  });

  it('takes a code once, and a second use voids the token of the first', async () => {
    const pushed = await pushRequest(service.url);
    const code = await authorize(service.url, pushed);
    const token = answered(200, await redeemCode(service.url, pushed, code));
    expect((await redeemCode(service.url, pushed, code)).json['error']).toBe('invalid_grant');
    const refused = await postJson(
      `${issuer}/credential`,
      { credential_configuration_id: 'w3c_vc_credential', proofs: { jwt: ['a.b.c'] } },
      { authorization: `Bearer ${String(token['access_token'])}` },
    );
    expect([refused.status, refused.json['error']]).toEqual([401, 'invalid_token']);
  });
});
