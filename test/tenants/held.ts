import { randomBytes } from 'node:crypto';
import { answered, get, type Json, postForm, send } from '../support/http/requests';
import { png, sendPicture } from '../support/portal/pictures';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { selfIssued } from '../support/presenters/credentials';
import { idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { type Asked, ask, receiveRequest, respond, type Variant } from '../support/presenters/presenter';
import { authorize, codeForm, FormBrowser, type PushedRequest, pushRequest } from '../support/wallets/authorization';
import { contentOf } from '../support/wallets/credentials';
import { deferredOffer } from '../support/wallets/deferred';
import { newDpopKey } from '../support/wallets/dpop';
import { newHolder } from '../support/wallets/key-proofs';
import { tokenFor } from '../support/wallets/token-wallet';
import {
  nonceFrom,
  offerUri,
  openSession,
  preAuthorizedGrant,
  readOffer,
  type RequestClass,
  requestCredential,
  type Session,
} from '../support/wallets/wallet';

// What wallets, browsers and the wallets of relying parties get to know at an address of the service: all of it text.

export const shop = 'https://shop.example';
/** Of whoever asks: the same everywhere. */
export const key = newDpopKey();
export const holder = newHolder('ES256', 'did:jwk');
const w3c = { format: 'jwt_vc_json', vct: undefined };

/** Revocable, and of a type of its own. */
const template = (url: string, changes: Json = {}): Promise<string> =>
  publishedTemplate(url, { vct: undefined, revocable: true, ...changes });
const offer = async (url: string, changes: Json = {}): Promise<string> =>
  (await prepareOffer(url, [await template(url)], changes)).link;
const lastOf = (path: string): string => path.split('/').at(-1) ?? '';
const issuerOf = (url: string): string => `${url}/openid4vci`;

export const heldOfferAddress = async (url: string) => ({ handle: lastOf(offerUri(await offer(url))) });

export const heldCode = async (url: string) => ({ code: (await readOffer(await offer(url))).code });

export async function heldIssuerState(url: string) {
  const templateId = await template(url);
  const { link } = await prepareOffer(url, [templateId], { grants: ['authorization_code'] });
  const grants = answered(200, await get(offerUri(link)))['grants'] as Record<string, Json>;
  return { templateId, issuerState: String(grants['authorization_code']?.['issuer_state']) };
}

export const heldType = async (url: string) => ({ templateId: await template(url) });

/** Before the credential is asked for. */
async function session(url: string, requestClass: RequestClass = 'F', changes: Json = {}) {
  const templateId = await template(url, changes);
  return { templateId, opened: await openSession((await prepareOffer(url, [templateId])).link, requestClass) };
}

export async function heldToken(url: string) {
  const { templateId, opened } = await session(url);
  return { templateId, token: opened.accessToken, nonce: await nonceFrom(issuerOf(url)) };
}

export async function heldDraftToken(url: string) {
  const { templateId, opened } = await session(url, 'L13');
  return { templateId, token: opened.accessToken, nonce: String(opened.token['c_nonce']) };
}

export async function heldNotification(url: string) {
  const { opened } = await session(url);
  const issued = answered(200, await requestCredential(opened));
  return { token: opened.accessToken, notificationId: String(issued['notification_id']) };
}

async function waiting(url: string, requestClass: RequestClass, changes: Json = {}): Promise<[Session, Json]> {
  const { link } = await deferredOffer(url, [await template(url, changes)]);
  const opened = await openSession(link, requestClass);
  return [opened, answered(202, await requestCredential(opened))];
}

export async function heldTransaction(url: string) {
  const [{ accessToken }, answer] = await waiting(url, 'F');
  return { token: accessToken, transactionId: String(answer['transaction_id']) };
}

/** Of a wallet of draft 11. */
export async function heldAcceptance(url: string) {
  const [, answer] = await waiting(url, 'L11', w3c);
  return { acceptanceToken: String(answer['acceptance_token']) };
}

/** A code that was not redeemed, with what the service wants to read in the proof of a key. */
export async function heldDpopNonce(url: string) {
  const answer = await send(`${issuerOf(url)}/nonce`, { method: 'POST' });
  return {
    ...(await heldCode(url)),
    templateId: await template(url),
    dpopNonce: answer.headers.get('dpop-nonce') ?? '',
  };
}

/** The token of a code, bound to the key. */
export async function heldBoundToken(url: string) {
  const { code, dpopNonce } = await heldDpopNonce(url);
  const form = { grant_type: preAuthorizedGrant, 'pre-authorized_code': code };
  return { dpopNonce, token: String((await tokenFor(issuerOf(url), form, key))['access_token']) };
}

export async function heldChallenge(url: string) {
  const answer = answered(200, await postForm(`${issuerOf(url)}/challenge`, ''));
  return { templateId: await template(url), challenge: String(answer['attestation_challenge']) };
}

const requestUriOf = ({ answer }: PushedRequest): string => String(answered(201, answer)['request_uri']);

/** The page of an authorization, as the browser has it in which it was opened. */
export async function heldPage(url: string) {
  const pushed = await pushRequest(url, { scope: await template(url) });
  const browser = new FormBrowser(url);
  await browser.open(pushed.page);
  const [cookieName = '', cookie = ''] = browser.cookie.split('=');
  return { requestUri: requestUriOf(pushed), cookieName, cookie, formToken: browser.form().fields['form_token'] ?? '' };
}

export async function heldAuthorizationCode(url: string) {
  const pushed = await pushRequest(url, { scope: await template(url) });
  return { code: await authorize(url, pushed), verifier: pushed.verifier };
}

export async function heldRefreshToken(url: string) {
  const { code, verifier } = await heldAuthorizationCode(url);
  const token = await tokenFor(issuerOf(url), codeForm(code, { verifier }), key);
  return { refreshToken: String(token['refresh_token']) };
}

/** What brings a person back to the page who has shown by a presentation who they are. A login at a provider has the same. */
export async function heldIdentification(url: string) {
  const presentation = { credentials: [{ ...idCard, claims: [{ path: ['given_name'] }] }] };
  const claims = { '/given_name': 'presentation:/given_name' };
  const browser = new FormBrowser(url);
  await browser.open((await pushRequest(url, { scope: await template(url, { presentation, claims }) })).page);
  const received = await receiveRequest(shownIn(browser.shown?.text, url));
  const holdings = await receiveHoldings(url, { given_name: 'Erika' });
  const tokens = tokensFor(holdings, received, ['id_card']);
  const back = new URL(String(answered(200, await respond(received, { tokens }))['redirect_uri']));
  const [state = '', responseCode = ''] = ['state', 'response_code'].map((name) => back.searchParams.get(name) ?? '');
  const [cookieName = '', cookie = ''] = browser.cookie.split('=');
  return { state, responseCode, cookieName, cookie };
}

/** The request that a page gives to wallets in the same browser. */
function shownIn(page: string | undefined, url: string, variant: Variant = '1.0'): Asked {
  const [, link = ''] = /<a class="button" href="([^"]+)"/.exec(page ?? '') ?? [];
  return { url, state: '', answer: { variants: { [variant]: link.replaceAll('&#38;', '&') } } };
}

const handleIn = ({ pathname }: URL): string => pathname.split('/').at(-2) ?? '';

/** What is asked of a wallet. */
export async function heldRequest(url: string) {
  const { responseUri, nonce, state, clientId: audience } = await receiveRequest(await ask(url, {}), 'siopv2');
  return { handle: handleIn(new URL(responseUri)), nonce, state, audience };
}

/** The page of a request, with what its browser keeps and gives to wallets. */
async function openedPage(url: string) {
  const { answer } = await ask(url, { returnToPage: true });
  const page = String((answer['links'] as Json)['page']);
  const { text, headers } = await get(page);
  return { page, headers, received: await receiveRequest(shownIn(text, url, 'siopv2'), 'siopv2') };
}

export const heldRequestOfPage = async (url: string) => ({
  handle: handleIn(new URL((await openedPage(url)).received.responseUri)),
});

/** The page of a request, with what brings its browser back from the wallet. */
export async function heldReturn(url: string) {
  const { page, headers, received } = await openedPage(url);
  const answer = answered(200, await respond(received, { idToken: selfIssued(holder, received, '') }));
  const back = new URL(String(answer['redirect_uri']));
  const [cookieName = '', cookie = ''] = (headers.get('set-cookie')?.split(';')[0] ?? '').split('=');
  const responseCode = new URLSearchParams(back.hash.slice(1)).get('response_code') ?? '';
  return { handle: lastOf(new URL(page).pathname), responseCode, cookieName, cookie };
}

/** A request that pages elsewhere make over the Digital Credentials API. */
export async function heldDigitalRequest(url: string) {
  const body = { dcql_query: { credentials: [idCard] }, responseMode: 'dc_api', expectedOrigins: [shop] };
  const { answer } = await ask(url, body);
  return { handle: handleIn(new URL(String(answer['responseUrl']))) };
}

async function listOf(url: string, changes: Json = {}) {
  const { opened } = await session(url, 'F', changes);
  const [issued = {}] = answered(200, await requestCredential(opened))['credentials'] as Json[];
  const { payload } = contentOf(String(issued['credential']));
  const [, listId = ''] = /\/status_lists\/([^/"]+)/.exec(JSON.stringify(payload)) ?? [];
  return { listId };
}

/** The halves of its id, so that what nobody has is hexadecimal as well. */
export async function heldPicture(url: string) {
  const id = String(answered(201, await sendPicture(url, png(1, 1, [...randomBytes(3)])))['imageId']);
  return { first: id.slice(0, 32), second: id.slice(32) };
}

export const heldList = (url: string) => listOf(url);
export const heldBitstringList = (url: string) => listOf(url, w3c);
