import { randomUUID } from 'node:crypto';
import { Wallet } from '../../../examples/wallet';
import { answered, get, type Json, postForm, postJson, type Reply } from '../http/requests';
import { selfIssued } from '../presenters/credentials';
import { type Asked, ask, linkOf, receiveRequest, respond, resultOf } from '../presenters/presenter';
import { clientId, codeForm, FormBrowser, pushRequest, wayBack } from '../wallets/authorization';
import { collect, deferredOffer, submit } from '../wallets/deferred';
import { dpopProof } from '../wallets/dpop';
import { type Holder, keyProof, newHolder } from '../wallets/key-proofs';
import {
  credentialRequest,
  nonceFrom,
  offerUri,
  openSession,
  readOffer,
  redeem,
  sessionByCode,
} from '../wallets/wallet';
import { claims, prepareOffer, publishedTemplate, quickStart } from './portal';

/** Between two steps of a flow. */
export type Between = () => Promise<void>;

/** One flow from its start to its end. Throws when it cannot be completed. */
export interface UpgradeFlow {
  readonly name: string;
  /** How often it calls `between`. */
  readonly gaps: number;
  readonly run: (between: Between) => Promise<void>;
}

/** What portals, wallets and people do with a service, each step by itself, through the load balancer at `url`. */
export async function upgradeFlows(url: string): Promise<UpgradeFlow[]> {
  const issuer = `${url}/openid4vci`;
  const membership = await publishedTemplate(url, { scope: 'membership' });
  const diploma = await publishedTemplate(url, { vct: 'https://credentials.example/diploma' });
  const holder = new Wallet({ onStep: () => undefined });
  await holder.receive((await prepareOffer(url, [diploma])).link);

  async function byPreAuthorizedCode(between: Between): Promise<void> {
    const key = newHolder();
    const { link, offerId } = await prepareOffer(url);
    await between();
    const offer = await readOffer(link);
    await between();
    const token = answered(200, await redeem(offer));
    await between();
    const session = await sessionByCode(issuer, offer.configurationIds, token);
    const nonce = await nonceFrom(issuer);
    await between();
    const body = await credentialRequest(session, { nonce, holders: [key] });
    const authorization = { authorization: `Bearer ${session.accessToken}` };
    const issued = answered(200, await postJson(`${issuer}/credential`, body, authorization));
    await between();
    const notification = { notification_id: issued['notification_id'], event: 'credential_accepted' };
    const { status, text } = await postJson(`${issuer}/notification`, notification, authorization);
    if (status !== 204) throw new Error(`notification: ${status} ${text}`);
    const { items } = answered(200, await get(`${url}/v0/credentials?offerId=${offerId}`)) as { items: Json[] };
    if (items[0]?.['status'] !== 'Accepted') throw new Error(`the credential is ${String(items[0]?.['status'])}`);
  }

  const bound = (key: Holder, path: string, nonce: string, token?: string): Record<string, string> => ({
    dpop: dpopProof(key, `${issuer}/${path}`, token, { claims: { nonce } }),
    ...(token !== undefined && { authorization: `DPoP ${token}` }),
  });

  async function byAuthorizationCode(between: Between): Promise<void> {
    const key = newHolder();
    const { link } = await prepareOffer(url, [membership], {
      grants: ['authorization_code'],
      identification: 'development',
    });
    await between();
    const { grants } = answered(200, await get(offerUri(link))) as { grants: Record<string, Json> };
    await between();
    const state = String(grants['authorization_code']?.['issuer_state']);
    const pushed = await pushRequest(url, { scope: 'membership', issuer_state: state });
    answered(201, pushed.answer);
    await between();
    const browser = new FormBrowser(url);
    await browser.open(pushed.page);
    await between();
    await browser.press('login', { username: 'ada', password: 'any' });
    await between();
    const code = wayBack(await browser.press('approve')).get('code') ?? '';
    // Without a proof, the service says which nonce a proof needs.
    const dpopNonce = (reply: Reply): string => reply.headers.get('dpop-nonce') ?? '';
    const asked = dpopNonce(
      await postForm(`${issuer}/token`, Object.entries(codeForm(code, pushed)), bound(key, 'token', 'none')),
    );
    await between();
    const form = Object.entries(codeForm(code, pushed));
    const granted = await postForm(`${issuer}/token`, form, bound(key, 'token', asked));
    const token = answered(200, granted);
    await between();
    const request = async (given: Json, nonce: string): Promise<Reply> => {
      const { accessToken } = await sessionByCode(issuer, [membership], given);
      const proof = keyProof(key, issuer, await nonceFrom(issuer), { claims: { iss: clientId } });
      const body = { credential_configuration_id: membership, proofs: { jwt: [proof] } };
      return postJson(`${issuer}/credential`, body, bound(key, 'credential', nonce, accessToken));
    };
    const issued = await request(token, dpopNonce(granted));
    answered(200, issued);
    await between();
    const refresh = { grant_type: 'refresh_token', refresh_token: String(token['refresh_token']), client_id: clientId };
    const refreshed = await postForm(
      `${issuer}/token`,
      Object.entries(refresh),
      bound(key, 'token', dpopNonce(issued)),
    );
    await between();
    answered(200, await request(answered(200, refreshed), dpopNonce(refreshed)));
  }

  async function deferred(between: Between): Promise<void> {
    const { offerId, link } = await deferredOffer(url, [membership]);
    await between();
    const session = await openSession(link);
    await between();
    const body = await credentialRequest(session);
    const authorization = { authorization: `Bearer ${session.accessToken}` };
    const { transaction_id: id } = answered(202, await postJson(`${issuer}/credential`, body, authorization));
    await between();
    const data = { offerId, templateId: membership, credential: { credentialSubject: claims } };
    answered(201, await submit(url, data));
    await between();
    answered(200, await collect(session, id));
  }

  async function presentation(between: Between): Promise<void> {
    const query = { id: 'asked', format: 'dc+sd-jwt', meta: { vct_values: ['https://credentials.example/diploma'] } };
    const asked = await ask(url, { dcql_query: { credentials: [{ ...query, claims: [{ path: ['given_name'] }] }] } });
    await between();
    await holder.present(linkOf(asked));
    await between();
    await verified(asked);
  }

  async function verified(asked: Asked): Promise<void> {
    const { status, withheld } = await resultOf(asked);
    if (status !== 'verified' || withheld !== null)
      throw new Error(`the request is ${JSON.stringify({ status, withheld })}`);
  }

  /** @param seen the request as the wallet gets it, when that is another one */
  async function answerOf(asked: Asked, between: Between): Promise<string> {
    const received = await receiveRequest(asked, 'siopv2');
    await between();
    const idToken = selfIssued(newHolder('ES256', 'did:jwk'), received, '');
    const back = new URL(String(answered(200, await respond(received, { idToken }))['redirect_uri']));
    await between();
    return new URLSearchParams(back.hash.slice(1)).get('response_code') ?? '';
  }

  async function onOneDevice(between: Between): Promise<void> {
    const asked = await ask(url, { redirectUri: 'https://shop.example/back' });
    await between();
    const responseCode = await answerOf(asked, between);
    answered(200, await postJson(`${url}/v0/authorization_requests/${asked.state}/response_code`, { responseCode }));
    await between();
    await verified(asked);
  }

  async function backToItsPage(between: Between): Promise<void> {
    const asked = await ask(url, { returnToPage: true });
    await between();
    const { page } = asked.answer['links'] as { page: string };
    const { text, headers } = await get(page);
    const [, link = ''] = /<a class="button" href="([^"]+)"/.exec(text) ?? [];
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    await between();
    const seen = { ...asked, answer: { variants: { siopv2: link.replaceAll('&#38;', '&') } } };
    const responseCode = await answerOf(seen, between);
    const { status } = await postJson(`${page}/return`, { responseCode }, { cookie });
    if (status !== 204) throw new Error(`the return was answered ${status}`);
    await verified(asked);
  }

  async function repeated(between: Between): Promise<void> {
    const body = {
      offerId: randomUUID(),
      credentialConfigurationId: quickStart,
      credential: { credentialSubject: claims },
    };
    const key = { 'Idempotency-Key': randomUUID() };
    const first = answered(201, await postJson(`${url}/v0/credentials`, body, key));
    await between();
    const again = answered(201, await postJson(`${url}/v0/credentials`, body, key));
    if (again['credentialId'] !== first['credentialId']) throw new Error('a repetition made another credential');
  }

  return [
    { name: 'by pre-authorized code', gaps: 5, run: byPreAuthorizedCode },
    { name: 'by authorization code', gaps: 9, run: byAuthorizationCode },
    { name: 'deferred', gaps: 4, run: deferred },
    { name: 'presentation', gaps: 2, run: presentation },
    { name: 'presentation on one device', gaps: 4, run: onOneDevice },
    { name: 'presentation that returns to its page', gaps: 4, run: backToItsPage },
    { name: 'request with an Idempotency-Key', gaps: 1, run: repeated },
  ];
}
