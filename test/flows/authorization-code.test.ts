import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedPostgres } from '../support/database/postgres';
import { asServiceRole } from '../support/database/service-role';
import { storedEvents } from '../support/database/stored-rows';
import { answered, get, type Json, postForm, postJson, type Reply } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import { serviceOfFile } from '../support/service/service-of-file';
import { authorize, clientId, FormBrowser, pushRequest, redeemCode, wayBack } from '../support/wallets/authorization';
import { contentOf } from '../support/wallets/credentials';
import { keyProof, newHolder } from '../support/wallets/key-proofs';
import { credentialsOf, nonceFrom } from '../support/wallets/wallet';

const service = serviceOfFile();
let issuer: string;
beforeAll(() => {
  issuer = `${service.url}/openid4vci`;
});

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

  it('works as the browser steps of docs/conformance.md say', async () => {
    const [, written = '{}'] =
      /```json\n([^]*?)```/.exec(readFileSync(join(__dirname, '../../docs/conformance.md'), 'utf8')) ?? [];
    const { browser: pages } = JSON.parse(written) as { browser: { tasks: { commands: string[][] }[] }[] };
    const steps = (pages[0]?.tasks ?? []).slice(0, 2).map(({ commands }) => commands);
    const pushed = await pushRequest(service.url);
    const browser = new FormBrowser(service.url);
    await browser.open(pushed.page);
    let reply = browser.shown;
    for (const commands of steps) {
      const ids = commands.map(([, , id = '']) => id);
      expect([...ids, 'reject'].filter((id) => !browser.shown?.text.includes(` id="${id}"`))).toEqual(
        ids.includes('login') ? ['reject'] : [],
      );
      const typed = commands.filter(([command]) => command === 'text').map(([, , id, value]) => [id, value]);
      reply = await browser.press(ids.at(-1) ?? '', Object.fromEntries(typed) as Record<string, string>);
    }
    expect(reply && wayBack(reply).get('code')).toEqual(expect.any(String));
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

describe('a decision whose answer was lost', () => {
  let first: RunningService;
  let second: RunningService;
  beforeAll(async () => {
    const database = {
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: await asServiceRole(await sharedPostgres().createDatabase()),
    };
    first = await startService(database);
    second = await startService({ ...database, SERVICE__APPLICATION_URL: first.url });
  });
  afterAll(() => Promise.all([first.stop(), second.stop()]));

  /** A person before the decision, and how their browser sends it, as often as wanted. */
  async function decision() {
    const pushed = await pushRequest(first.url);
    const browser = new FormBrowser(first.url);
    await browser.open(pushed.page);
    await browser.press('login', { username: 'ada' });
    const { action, fields } = browser.form();
    const send = (button: 'approve' | 'reject', at = first, changes: Record<string, string> = {}): Promise<Reply> =>
      postForm(at.url + action, Object.entries({ ...fields, [button]: button, ...changes }), {
        cookie: changes['cookie'] ?? browser.cookie,
      });
    return { pushed, send };
  }

  async function lastEvents(): Promise<readonly string[]> {
    const { items } = answered(200, await get(`${first.url}/v0/authorizations?limit=1`));
    return storedEvents(first, `authorization-${String((items as Json[])[0]?.['authorizationId'])}`);
  }

  const stateOf = ({ status, text }: Reply) => [status, /data-state="([^"]+)"/.exec(text)?.[1]];

  it('leads back with the same code, from every replica, until that is redeemed', async () => {
    const { pushed, send } = await decision();
    const replies = [await send('approve'), await send('approve'), await send('approve', second)];
    const codes = replies.map((reply) => wayBack(reply).get('code'));
    expect(new Set(codes).size).toBe(1);
    expect(wayBack(replies[2] as Reply).get('state')).toBe(pushed.state);
    expect(await lastEvents()).toEqual(['AuthorizationPushed', 'PersonIdentified', 'ConsentGiven', 'CodeIssued']);
    answered(200, await redeemCode(first.url, pushed, codes[0] ?? ''));
    expect(stateOf(await send('approve'))).toEqual([400, 'ended']);
    expect((await lastEvents()).at(-1)).toBe('CodeRedeemed');
  });

  it('leads back with the same code when the form is sent twice at once', async () => {
    const { pushed, send } = await decision();
    const replies = await Promise.all([send('approve'), send('approve', second), send('approve')]);
    const codes = new Set(replies.map((reply) => wayBack(reply).get('code')));
    expect(codes.size).toBe(1);
    answered(200, await redeemCode(second.url, pushed, [...codes][0] ?? ''));
  });

  it('leads back with the refusal again, and nobody then agrees', async () => {
    const { pushed, send } = await decision();
    for (const reply of [await send('reject'), await send('reject', second), await send('approve')]) {
      expect(Object.fromEntries(wayBack(reply))).toMatchObject({ error: 'access_denied', state: pushed.state });
      expect(wayBack(reply).has('code')).toBe(false);
    }
    expect(await lastEvents()).toEqual(['AuthorizationPushed', 'PersonIdentified', 'ConsentRefused']);
  });

  it('is the first one of two that come at once', async () => {
    const { send } = await decision();
    const [approved, refused] = await Promise.all([send('approve'), send('reject', second)]);
    const events = await lastEvents();
    if (events.includes('ConsentRefused')) {
      expect(wayBack(refused).get('error')).toBe('access_denied');
      expect(approved.headers.get('location') ?? '').not.toContain('code=');
    } else {
      expect(wayBack(approved).get('code')).not.toBeNull();
      expect(stateOf(refused)).toEqual([400, 'ended']);
    }
    expect(events.filter((type) => type === 'ConsentGiven' || type === 'ConsentRefused')).toHaveLength(1);
  });

  it('is told to no other browser, and to no form of another page', async () => {
    for (const button of ['approve', 'reject'] as const) {
      const { send } = await decision();
      const other = await decision();
      wayBack(await send(button));
      wayBack(await other.send(button));
      for (const changes of [{ cookie: 'a=b' }, { form_token: 'A'.repeat(43) }]) {
        expect(stateOf(await send(button, first, changes))).toEqual([400, 'ended']);
      }
    }
  });
});
