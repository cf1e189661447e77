import { certify } from '@app/credentials/fixtures/certificates';
import { selfIssued } from '../support/presenters/credentials';
import { AttestedWallet } from '../support/wallets/attested-wallet';
import { clientId, codeForm, redirectUri } from '../support/wallets/authorization';
import { dpopProof } from '../support/wallets/dpop';
import { keyProof, newHolder } from '../support/wallets/key-proofs';
import { nonceFrom, preAuthorizedGrant } from '../support/wallets/wallet';
import * as held from './held';
import type { Held } from './strangers';

/** What of a request is not in its route. */
export interface Sent {
  /** By the names of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A way to use at a tenant what is held of another one. */
export interface Way {
  /** What it is. */
  readonly what: string;
  readonly hold: (url: string) => Promise<Held>;
  /** @param own what is held of the tenant that is asked; the same as `given` where that is of it */
  readonly sent: (given: Held, own: Held, url: string) => Sent | Promise<Sent>;
  /** Whether it needs what is held of the tenant that is asked. */
  readonly isBeside: boolean;
  /** Whether the answer is the same for what is genuine. */
  readonly isSilent?: true;
}

type Sending<H extends Held> = (given: H, own: H, url: string) => Sent | Promise<Sent>;

/** With nothing else. */
function alone<H extends Held>(what: string, hold: (url: string) => Promise<H>, sent: Sending<H>): Way {
  return { what, hold, sent: sent as Way['sent'], isBeside: false };
}

/** Where all else is the tenant's own that is asked. */
function beside<H extends Held>(what: string, hold: (url: string) => Promise<H>, sent: Sending<H>): Way {
  return { what, hold, sent: sent as Way['sent'], isBeside: true };
}

const form = (fields: Readonly<Record<string, string>>, headers: Sent['headers'] = {}): Sent => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  body: new URLSearchParams(fields).toString(),
});
const json = (body: object, headers: Sent['headers'] = {}): Sent => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const cookie = (name: string, value: string) => ({ cookie: `${name}=${value}` });

const day = 24 * 60 * 60 * 1000;
const validity = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
const walletRoot = certify({ name: 'wallets', isAuthority: true, ...validity });
const walletProvider = certify({ name: 'provider', issuer: walletRoot, isAuthority: false, ...validity });
/** Whom to trust with the attestations of wallets. */
export const walletAnchor = walletRoot.certificate.toString();

const proofAt = (url: string, path: string, nonce: string, token?: string) => ({
  dpop: dpopProof(held.key, `${url}/openid4vci/${path}`, token, { claims: { nonce } }),
});
const attested = (url: string, challenge: string) =>
  new AttestedWallet(walletProvider, `${url}/openid4vci`, clientId).headers({ proof: { challenge } });

const codeOf = (code: string) => ({ grant_type: preAuthorizedGrant, 'pre-authorized_code': code });
const pushed = (more: Readonly<Record<string, string>> = {}) => ({
  client_id: clientId,
  response_type: 'code',
  redirect_uri: redirectUri,
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  ...more,
});

async function requestOf(templateId: string, url: string, nonce?: string): Promise<object> {
  const issuer = `${url}/openid4vci`;
  const jwt = keyProof(newHolder(), issuer, nonce ?? (await nonceFrom(issuer)));
  return { credential_configuration_id: templateId, proofs: { jwt: [jwt] } };
}

const draftRequest = (templateId: string, url: string, nonce: string): object => ({
  format: 'vc+sd-jwt',
  vct: `${url}/vct/${templateId}/1`,
  proof: { proof_type: 'jwt', jwt: keyProof(newHolder(), `${url}/openid4vci`, nonce) },
});

const byHandle =
  (more: Sent = {}, params: Readonly<Record<string, string>> = {}) =>
  ({ handle }: { readonly handle: string }): Sent => ({ ...more, path: { handle, ...params } });

const offer = [alone('an offer', held.heldOfferAddress, byHandle())];
const askedPage = [alone('a request', held.heldReturn, byHandle())];
const object = [
  alone('a request', held.heldRequest, byHandle({}, { variant: 'siopv2' })),
  alone('a request whose page gives the links', held.heldRequestOfPage, byHandle({}, { variant: 'siopv2' })),
];
const authorizationPage = [
  alone('a request_uri and its cookie', held.heldPage, ({ requestUri, cookieName, cookie: value }) => ({
    query: { client_id: clientId, request_uri: requestUri },
    headers: cookie(cookieName, value),
  })),
  beside('the cookie of a page', held.heldPage, ({ cookie: value }, { requestUri, cookieName }) => ({
    query: { client_id: clientId, request_uri: requestUri },
    headers: cookie(cookieName, value),
  })),
];
const formOfPage = (button: Readonly<Record<string, string>>) => [
  alone('a request_uri, its cookie and form', held.heldPage, (given) =>
    form(
      { ...button, client_id: clientId, request_uri: given.requestUri, form_token: given.formToken },
      cookie(given.cookieName, given.cookie),
    ),
  ),
  beside('the cookie and form of a page', held.heldPage, (given, own) =>
    form(
      { ...button, client_id: clientId, request_uri: own.requestUri, form_token: given.formToken },
      cookie(own.cookieName, given.cookie),
    ),
  ),
  beside('the form of a page', held.heldPage, (given, own) =>
    form(
      { ...button, client_id: clientId, request_uri: own.requestUri, form_token: given.formToken },
      cookie(own.cookieName, own.cookie),
    ),
  ),
];
const credential = [
  alone('an access token', held.heldToken, async ({ token, templateId }, _, url) =>
    json(await requestOf(templateId, url), bearer(token)),
  ),
  beside('a nonce', held.heldToken, async ({ nonce }, { token, templateId }, url) =>
    json(await requestOf(templateId, url, nonce), bearer(token)),
  ),
  beside('the name of a credential', held.heldToken, async ({ templateId }, { token }, url) =>
    json(await requestOf(templateId, url), bearer(token)),
  ),
];
const inDraft = (body: (request: object) => object) => [
  alone('an access token', held.heldDraftToken, ({ token, templateId, nonce }, _, url) =>
    json(body(draftRequest(templateId, url, nonce)), bearer(token)),
  ),
  beside('a nonce', held.heldDraftToken, ({ nonce }, { token, templateId }, url) =>
    json(body(draftRequest(templateId, url, nonce)), bearer(token)),
  ),
];
const deferred = [
  alone('an access token', held.heldTransaction, ({ token, transactionId }) =>
    json({ transaction_id: transactionId }, bearer(token)),
  ),
  beside('a transaction', held.heldTransaction, ({ transactionId }, { token }) =>
    json({ transaction_id: transactionId }, bearer(token)),
  ),
];
const notification = (notification_id: string, token: string): Sent =>
  json({ notification_id, event: 'credential_accepted' }, bearer(token));
const idToken = ({ audience, nonce }: { readonly audience: string; readonly nonce: string }): string =>
  selfIssued(held.holder, { clientId: audience, nonce }, '');

const comingBack = ({ state, responseCode: code }: { readonly state: string; readonly responseCode: string }) => ({
  state,
  response_code: code,
  code,
});
const back = [
  alone('a state and its cookie', held.heldIdentification, (given) => ({
    query: comingBack(given),
    headers: cookie(given.cookieName, given.cookie),
  })),
  beside('a state', held.heldIdentification, (given, own) => ({
    query: comingBack(given),
    headers: cookie(own.cookieName, own.cookie),
  })),
  beside('a cookie', held.heldIdentification, (given, own) => ({
    query: comingBack(own),
    headers: cookie(own.cookieName, given.cookie),
  })),
];
/** Which result is released shows on the page that the answer leads to. */
const codeOfPresentation: Way = {
  ...beside('a response code', held.heldIdentification, ({ responseCode }, own) => ({
    query: comingBack({ ...own, responseCode }),
    headers: cookie(own.cookieName, own.cookie),
  })),
  isSilent: true,
};

/** By route, everything that can be asked for there by something that one tenant gave. */
export const ways: Readonly<Record<string, readonly Way[]>> = {
  'GET /openid4vci/offers/:handle': offer,
  'GET /o/:handle': offer,
  'GET /o/:handle/qr.svg': offer,
  'GET /o/:handle/qr.png': offer,
  'GET /o/:handle/events': offer,
  'GET /vct/:id/:version': [
    alone('a type', held.heldType, ({ templateId }) => ({ path: { id: templateId, version: '1' } })),
  ],
  'POST /openid4vci/token': [
    alone('a pre-authorized code', held.heldCode, ({ code }) => form(codeOf(code))),
    alone('an authorization code', held.heldAuthorizationCode, ({ code, verifier }) =>
      form(codeForm(code, { verifier })),
    ),
    alone('a refresh token', held.heldRefreshToken, ({ refreshToken }, _, url) =>
      form(
        { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId },
        { dpop: dpopProof(held.key, `${url}/openid4vci/token`) },
      ),
    ),
    beside('the nonce of a DPoP proof', held.heldDpopNonce, ({ dpopNonce }, { code }, url) =>
      form(codeOf(code), proofAt(url, 'token', dpopNonce)),
    ),
  ],
  'POST /openid4vci/revoke': [
    {
      ...alone('a refresh token', held.heldRefreshToken, ({ refreshToken }, _, url) =>
        form({ token: refreshToken, client_id: clientId }, { dpop: dpopProof(held.key, `${url}/openid4vci/revoke`) }),
      ),
      isSilent: true,
    },
    alone('an access token', held.heldToken, ({ token }) => form({ token, client_id: clientId })),
  ],
  'POST /openid4vci/par': [
    beside('an offer', held.heldIssuerState, ({ issuerState }, { templateId }) =>
      form(pushed({ scope: templateId, issuer_state: issuerState })),
    ),
    alone('a scope', held.heldType, ({ templateId }) => form(pushed({ scope: templateId }))),
    alone('the name of a credential', held.heldType, ({ templateId }) => {
      const details = [{ type: 'openid_credential', credential_configuration_id: templateId }];
      return form(pushed({ authorization_details: JSON.stringify(details) }));
    }),
    beside('the nonce of a DPoP proof', held.heldDpopNonce, ({ dpopNonce }, { templateId }, url) =>
      form(pushed({ scope: templateId }), proofAt(url, 'par', dpopNonce)),
    ),
    beside('a challenge', held.heldChallenge, ({ challenge }, { templateId }, url) =>
      form(pushed({ scope: templateId }), attested(url, challenge)),
    ),
  ],
  'POST /openid4vci/credential': [
    ...credential,
    beside('the nonce of a DPoP proof', held.heldBoundToken, ({ dpopNonce }, { token }, url) =>
      json({}, { authorization: `DPoP ${token}`, ...proofAt(url, 'credential', dpopNonce, token) }),
    ),
  ],
  'POST /openid4vci/draft-13/credential': inDraft((request) => request),
  'POST /openid4vci/draft-13/batch_credential': inDraft((request) => ({ credential_requests: [request] })),
  'POST /openid4vci/deferred_credential': deferred,
  'POST /openid4vci/draft-13/deferred_credential': [
    ...deferred,
    alone('an acceptance token', held.heldAcceptance, ({ acceptanceToken }) => ({
      headers: bearer(acceptanceToken),
    })),
  ],
  'POST /openid4vci/notification': [
    alone('an access token', held.heldNotification, ({ notificationId, token }) => notification(notificationId, token)),
    beside('a notification', held.heldNotification, ({ notificationId }, { token }) =>
      notification(notificationId, token),
    ),
  ],
  'GET /images/:file': [
    alone('a picture', held.heldPicture, ({ first, second }) => ({ path: { file: `${first}${second}.png` } })),
  ],
  'GET /status_lists/:listId': [alone('a status list', held.heldList, ({ listId }) => ({ path: { listId } }))],
  'GET /status_lists/:listId/:purpose': [
    alone('a status list', held.heldBitstringList, ({ listId }) => ({ path: { listId, purpose: 'revocation' } })),
  ],
  'GET /openid4vp/:variant/:handle/request': object,
  'POST /openid4vp/:variant/:handle/request': object.map((way) => ({
    ...way,
    sent: (given, own, url) => ({ ...form({ wallet_nonce: 'any' }), ...(way.sent(given, own, url) as Sent) }),
  })),
  'POST /openid4vp/:variant/:handle/response': [
    alone('a request', held.heldRequest, (given) => ({
      ...form({ state: given.state, id_token: idToken(given) }),
      path: { handle: given.handle, variant: 'siopv2' },
    })),
    beside('the state of a request', held.heldRequest, ({ state }, own) => ({
      ...form({ state, id_token: idToken(own) }),
      path: { handle: own.handle, variant: 'siopv2' },
    })),
    beside('the nonce of a request', held.heldRequest, ({ nonce }, own) => ({
      ...form({ state: own.state, id_token: idToken({ ...own, nonce }) }),
      path: { handle: own.handle, variant: 'siopv2' },
    })),
  ],
  'GET /r/:handle': askedPage,
  'GET /r/:handle/qr.svg': askedPage,
  'GET /r/:handle/qr.png': askedPage,
  'GET /r/:handle/events': askedPage,
  'GET /r/:handle/return': askedPage,
  'POST /r/:handle/return': [
    alone('a response code and its cookie', held.heldReturn, ({ handle, responseCode, ...browser }) => ({
      ...json({ responseCode }, cookie(browser.cookieName, browser.cookie)),
      path: { handle },
    })),
    beside('a response code', held.heldReturn, ({ responseCode }, { handle, ...browser }) => ({
      ...json({ responseCode }, cookie(browser.cookieName, browser.cookie)),
      path: { handle },
    })),
    beside('a cookie', held.heldReturn, (given, { handle, responseCode, cookieName }) => ({
      ...json({ responseCode }, cookie(cookieName, given.cookie)),
      path: { handle },
    })),
  ],
  'OPTIONS /r/:handle/digital_credential': [
    alone('a request', held.heldDigitalRequest, byHandle({ headers: { origin: held.shop } })),
  ],
  'POST /r/:handle/digital_credential': [
    alone(
      'a request',
      held.heldDigitalRequest,
      byHandle(json({ protocol: 'openid4vp-v1-unsigned', data: { vp_token: {} } }, { origin: held.shop })),
    ),
  ],
  'GET /authorize': authorizationPage,
  'GET /authorize/login': authorizationPage,
  'GET /authorize/decision': authorizationPage,
  'POST /authorize/login': formOfPage({ username: 'ada.lovelace', password: 'any', login: 'login' }),
  'POST /authorize/decision': formOfPage({ approve: 'approve' }),
  'GET /authorize/login/callback': back,
  'GET /authorize/presentation': [...back, codeOfPresentation],
};
