import { randomBytes, randomUUID } from 'node:crypto';
import type { BareStore } from './bare-store';
import {
  base64url,
  bodyOfToken,
  digest,
  importedKey,
  type Json,
  opened,
  parsed,
  sealed,
  signedJwt,
  token,
  verifiedJwt,
  verifyingKey,
} from './floor-cryptography';
import { publicUrl } from './sealwright';
import { studentCardType } from './cards';

export interface BareRequest {
  readonly path: string;
  readonly body: string;
  /** Without the scheme. */
  readonly bearer: string;
}

export type Answer = (request: BareRequest) => object | string | Promise<object | string>;

const issuer = `${publicUrl}/openid4vci`;
const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

interface OfferState {
  readonly status: 'open' | 'redeemed' | 'issued';
  readonly templateId: string;
  readonly sealed: string;
}

/** The exchanges of the issuing flow: three durable events of one stream, three reads by primary key. */
export function issuingAnswers(store: BareStore): Readonly<Record<string, Answer>> {
  const offer = async (offerId: string, status: OfferState['status']) => {
    const found = await store.find<OfferState>(offerId);
    if (found.state.status !== status) throw new Error(`The offer is ${found.state.status}.`);
    return found;
  };
  const record = (streamId: string, version: number, type: string, data: object, state: OfferState, used?: string) =>
    store.append({
      streamId,
      version,
      type,
      data: JSON.stringify(data),
      state: JSON.stringify(state),
      ...(used !== undefined && { used }),
    });

  return {
    'POST /v0/templates': () => ({ templateId: randomUUID() }),
    'POST /v0/credentials': async ({ body }) => {
      const { offerId, templateId, credential } = JSON.parse(body) as {
        offerId: string;
        templateId: string;
        credential: { credentialSubject: object };
      };
      const { key, ...content } = sealed(credential.credentialSubject);
      const state: OfferState = { status: 'open', templateId, ...content };
      const text = JSON.stringify(state);
      await store.append({ streamId: offerId, version: 1, type: 'CredentialPrepared', data: text, state: text, key });
      const uri = `${issuer}/offers/${token('offer', offerId, 86_400)}`;
      return { offerId, credentialOffer: `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(uri)}` };
    },
    'GET /openid4vci/offers/': async ({ path }) => {
      const offerId = bodyOfToken('offer', lastPart(path));
      const { state } = await offer(offerId, 'open');
      const grant = { 'pre-authorized_code': token('code', offerId, 600) };
      const grants = { 'urn:ietf:params:oauth:grant-type:pre-authorized_code': grant };
      return { credential_issuer: issuer, credential_configuration_ids: [state.templateId], grants };
    },
    'GET /.well-known/openid-credential-issuer/openid4vci': () => issuerMetadata,
    'GET /.well-known/oauth-authorization-server/openid4vci': () => serverMetadata,
    'POST /openid4vci/token': async ({ body }) => {
      const offerId = bodyOfToken('code', new URLSearchParams(body).get('pre-authorized_code') ?? '');
      const { state } = await offer(offerId, 'open');
      await record(offerId, 2, 'OfferRedeemed', { redeemedAt: new Date() }, { ...state, status: 'redeemed' });
      return { access_token: token('access-token', offerId, 300), token_type: 'Bearer', expires_in: 300 };
    },
    'POST /openid4vci/nonce': () => ({ c_nonce: token('nonce', randomBytes(32).toString('base64url'), 300) }),
    'POST /openid4vci/credential': async ({ bearer, body }) => {
      const offerId = bodyOfToken('access-token', bearer);
      const { proofs } = JSON.parse(body) as { proofs: { jwt: [string] } };
      const { header, payload } = verifiedJwt(proofs.jwt[0], ({ jwk }) => importedKey(jwk));
      if (payload['aud'] !== issuer) throw new Error('The proof is for another issuer.');
      const used = bodyOfToken('nonce', payload['nonce'] as string);
      const { state, key } = await offer(offerId, 'redeemed');
      await record(offerId, 3, 'CredentialIssued', { holder: header['jwk'] }, { ...state, status: 'issued' }, used);
      return { credentials: [{ credential: sdJwt(opened(state.sealed, key) as Json, header['jwk']) }] };
    },
  };
}

/** An SD-JWT VC whose claims can each be disclosed. */
function sdJwt(claims: Json, jwk: unknown): string {
  const disclosures = Object.entries(claims).map(([name, value]) =>
    base64url(JSON.stringify([randomBytes(16).toString('base64url'), name, value])),
  );
  const iat = Math.floor(Date.now() / 1000);
  const content = {
    iss: issuer,
    vct: studentCardType,
    iat,
    cnf: { jwk },
    _sd: disclosures.map(digest).sort(),
    _sd_alg: 'sha-256',
  };
  return [signedJwt({ typ: 'dc+sd-jwt' }, content), ...disclosures, ''].join('~');
}

interface RequestState {
  readonly status: 'created' | 'verified' | 'read';
  readonly query: object;
  readonly nonce: string;
  readonly sealed?: string;
}

const clientId = `redirect_uri:${publicUrl}/openid4vp`;

/** The exchanges of the verifying flow: three durable events of one stream, three reads by primary key. */
export function verifyingAnswers(store: BareStore): Readonly<Record<string, Answer>> {
  const record = (streamId: string, version: number, type: string, state: RequestState, key?: string) => {
    const text = JSON.stringify(state);
    return store.append({ streamId, version, type, data: text, state: text, ...(key !== undefined && { key }) });
  };
  return {
    'POST /v0/authorization_requests': async ({ body }) => {
      const { dcql_query: query } = JSON.parse(body) as { dcql_query: object };
      const id = randomUUID();
      await record(id, 1, 'AuthorizationRequested', {
        status: 'created',
        query,
        nonce: randomBytes(32).toString('base64url'),
      });
      const uri = `${publicUrl}/openid4vp/requests/${token('request', id, 600)}`;
      const link = new URLSearchParams({ client_id: clientId, request_uri: uri });
      return { state: id, authorizationRequest: `openid4vp://?${link.toString()}` };
    },
    'GET /openid4vp/requests/': async ({ path }) => {
      const id = bodyOfToken('request', lastPart(path));
      const { state } = await store.find<RequestState>(id);
      const { nonce, query } = state;
      const request = { client_id: clientId, nonce, state: id, dcql_query: query, response_mode: 'direct_post' };
      return signedJwt(
        { typ: 'oauth-authz-req+jwt' },
        { ...request, response_uri: `${publicUrl}/openid4vp/responses/${token('response', id, 600)}` },
      );
    },
    'POST /openid4vp/responses/': async ({ path, body }) => {
      const id = bodyOfToken('response', lastPart(path));
      const { card } = JSON.parse(new URLSearchParams(body).get('vp_token') ?? '') as { card: [string] };
      const { state } = await store.find<RequestState>(id);
      if (state.status !== 'created') throw new Error(`The request is ${state.status}.`);
      const result = sealed(verifiedClaims(card[0], state.nonce));
      await record(id, 2, 'PresentationVerified', { ...state, status: 'verified', sealed: result.sealed }, result.key);
      return {};
    },
    'GET /v0/authorization_requests/': async ({ path }) => {
      const id = lastPart(path);
      const { state, key } = await store.find<RequestState>(id);
      await record(id, 3, 'PresentationRead', { ...state, status: 'read' });
      return { state: id, status: state.status, claims: opened(state.sealed ?? '', key) };
    },
  };
}

function verifiedClaims(presentation: string, nonce: string): Json {
  const end = presentation.lastIndexOf('~') + 1;
  const [jwt = '', ...disclosures] = presentation.slice(0, end - 1).split('~');
  const { payload } = verifiedJwt(jwt, () => verifyingKey);
  const { _sd: digests, cnf } = payload as { _sd: string[]; cnf: { jwk: unknown } };
  const binding = verifiedJwt(presentation.slice(end), () => importedKey(cnf.jwk)).payload;
  const isBound = binding['nonce'] === nonce && binding['aud'] === clientId;
  if (!isBound || binding['sd_hash'] !== digest(presentation.slice(0, end)))
    throw new Error('It is for another purpose.');
  if (!disclosures.every((each) => digests.includes(digest(each))))
    throw new Error('A disclosure is of another credential.');
  return Object.fromEntries(
    disclosures.map((each) => (parsed(each) as [string, string, unknown]).slice(1) as [string, unknown]),
  );
}

const endpoint = (name: string): string => `${issuer}/${name}`;
const issuerMetadata = JSON.stringify({
  credential_issuer: issuer,
  credential_endpoint: endpoint('credential'),
  nonce_endpoint: endpoint('nonce'),
  credential_configurations_supported: { card: { format: 'dc+sd-jwt', vct: studentCardType } },
});
const serverMetadata = JSON.stringify({ issuer, token_endpoint: endpoint('token') });
