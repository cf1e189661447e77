import { type CallbackContext } from '@openid4vc/oauth2';
import { Openid4vciClient, Openid4vciVersion } from '@openid4vc/openid4vci';
import { renderAuthorizationServerMetadata } from './authorization-server-metadata';
import { type CredentialConfiguration } from '../formats/registry';
import { type CredentialRequest, parseCredentialRequest } from '../credential/credential-request';
import { renderCredentialResponse } from '../credential/credential-response';
import { renderDraft13IssuerMetadata, renderIssuerMetadata } from './issuer-metadata';
import { parseNotificationRequest } from '../credential/notification-request';
import { renderOAuthErrorBody } from '../wire/oauth-error';
import { proofRefusal } from '../credential/proofs';
import { selectConfiguration } from '../credential/select-configuration';
import { parseTokenRequest } from '../token/token-request';
import { renderNonceResponse, renderTokenResponse } from '../token/token-response';
import { walletUrls } from './wallet-urls';

/** A public client library talks to our parsers and renderers; what it sends and accepts is the judge. */
const urls = walletUrls('https://issuer.example.com/base');
const types = ['VerifiableCredential', 'Degree'];
const configurations: CredentialConfiguration[] = [
  {
    id: 'degree',
    scope: 'degree',
    format: 'jwt_vc_json',
    types,
    signingAlgorithm: 'ES256',
    claims: [{ path: ['name'] }],
  },
  {
    id: 'identity',
    scope: 'identity',
    format: 'dc+sd-jwt',
    vct: 'https://example.com/vct',
    signingAlgorithm: 'EdDSA',
    claims: [{ path: ['a', 'b'] }],
  },
];
const encryptionKey = { kid: 'k1', publicJwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AQ' } };
const metadata = {
  urls,
  configurations,
  batchSize: 5,
  proofSigningAlgorithms: ['ES256', 'EdDSA'],
  encryptionKey,
  isEncryptionRequired: false,
};
const preAuthorizedCode = 'a-code';
const nonce = { nonce: 'nonce-1', nonceExpiresIn: 300 };
const offer = {
  credential_issuer: urls.issuer,
  credential_configuration_ids: ['degree', 'identity'],
  grants: { 'urn:ietf:params:oauth:grant-type:pre-authorized_code': { 'pre-authorized_code': preAuthorizedCode } },
};

type Documents = 'both' | 'draft-13 only';

function conversation(documents: Documents, staleNonce = false) {
  const seen: CredentialRequest[] = [];
  const answer = (url: string, body: string): Response => {
    switch (url) {
      case urls.issuerMetadata:
        return documents === 'both' ? Response.json(renderIssuerMetadata(metadata)) : new Response('', { status: 404 });
      case urls.draft13IssuerMetadata:
        return Response.json(renderDraft13IssuerMetadata(metadata));
      case urls.authorizationServerMetadata:
        return Response.json(renderAuthorizationServerMetadata({ urls, scopes: [], clients: { methods: ['none'] } }));
      case urls.nonce:
        return Response.json(renderNonceResponse(nonce.nonce));
      case urls.token: {
        const request = parseTokenRequest(new URLSearchParams(body));
        expect(request).toEqual({ grant: 'pre-authorized_code', preAuthorizedCode, transactionCode: '4711' });
        return Response.json(renderTokenResponse({ accessToken: 'at', tokenType: 'Bearer', expiresIn: 300, ...nonce }));
      }
      case urls.credential:
      case urls.draft13Credential: {
        const endpoint = url === urls.credential ? 'final' : 'draft-13';
        const request = parseCredentialRequest(JSON.parse(body), {
          endpoint,
          batchSize: metadata.batchSize,
          isRequestEncrypted: false,
          isRequired: false,
        });
        seen.push(request);
        if (staleNonce) {
          const refused = proofRefusal(request, 'nonce-unknown', 'The nonce of the proof has expired.');
          const error = refused.nonceWanted ? refused.withNonce('nonce-2', 300) : refused;
          return Response.json(renderOAuthErrorBody(error), { status: error.status, headers: error.headers });
        }
        const token = { configurationIds: offer.credential_configuration_ids, identifiersGiven: false };
        const { id } = selectConfiguration(request.named, token, configurations);
        const credentials = request.proofs.map((_proof, index) => `${id}-${index}`) as [string, ...string[]];
        return Response.json(renderCredentialResponse(request, { credentials, notificationId: 'n-1', ...nonce }));
      }
      case urls.notification:
        expect(parseNotificationRequest(JSON.parse(body))).toMatchObject({ event: 'credential_accepted' });
        return new Response(null, { status: 204 });
      default:
        return new Response('', { status: 404 });
    }
  };
  const callbacks = {
    fetch: (url: unknown, init?: RequestInit) => {
      const { body } = init ?? {};
      const text = body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : '';
      return Promise.resolve(answer(String(url), text));
    },
    clientAuthentication: () => undefined,
  } as unknown as CallbackContext;
  return { client: new Openid4vciClient({ callbacks }), seen };
}

const request = { accessToken: 'at', tokenType: 'Bearer', credentialConfigurationId: 'degree' };

describe('a client that finds both documents', () => {
  it('takes us for a 1.0 issuer and knows both credentials', async () => {
    const issuerMetadata = await conversation('both').client.resolveIssuerMetadata(urls.issuer);
    expect(issuerMetadata.originalDraftVersion).toBe(Openid4vciVersion.V1);
    expect(Object.keys(issuerMetadata.knownCredentialConfigurations)).toEqual(['degree', 'identity']);
    expect(issuerMetadata.authorizationServers).toHaveLength(1);
  });

  it('redeems its code, fetches a nonce, a batch, and reports success', async () => {
    const { client, seen } = conversation('both');
    const issuerMetadata = await client.resolveIssuerMetadata(urls.issuer);
    const { accessTokenResponse } = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({
      credentialOffer: offer,
      issuerMetadata,
      txCode: '4711',
    });
    expect(accessTokenResponse).toMatchObject({ access_token: 'at', c_nonce: 'nonce-1' });
    await expect(client.requestNonce({ issuerMetadata })).resolves.toEqual({ c_nonce: 'nonce-1' });
    const { credentialResponse } = await client.retrieveCredentials({
      ...request,
      issuerMetadata,
      proofs: { jwt: ['a.b.c', 'd.e.f'] },
    });
    expect(credentialResponse.credentials).toEqual([{ credential: 'degree-0' }, { credential: 'degree-1' }]);
    expect(seen).toMatchObject([{ requestClass: 'F', endpoint: 'final', proofs: ['a.b.c', 'd.e.f'] }]);
    const sent = await client.sendNotification({
      issuerMetadata,
      accessToken: 'at',
      notification: { event: 'credential_accepted', notificationId: credentialResponse.notification_id ?? '' },
    });
    expect(sent.response.status).toBe(204);
  });

  it('hears invalid_nonce and nothing old about a stale nonce', async () => {
    const { client } = conversation('both', true);
    const issuerMetadata = await client.resolveIssuerMetadata(urls.issuer);
    const attempt = client.retrieveCredentials({ ...request, issuerMetadata, proofs: { jwt: ['a.b.c'] } });
    await expect(attempt).rejects.toMatchObject({
      response: { credentialErrorResponseResult: { success: true, data: { error: 'invalid_nonce' } } },
    });
  });
});

describe('a client that finds the draft-13 document', () => {
  it('takes us for a draft-14 issuer and knows both credentials', async () => {
    const issuerMetadata = await conversation('draft-13 only').client.resolveIssuerMetadata(urls.issuer);
    expect(issuerMetadata.originalDraftVersion).toBe(Openid4vciVersion.Draft14);
    expect(Object.keys(issuerMetadata.knownCredentialConfigurations)).toEqual(['degree', 'identity']);
  });

  it.each([
    ['degree', { by: 'format', format: 'jwt_vc_json', types }],
    ['identity', { by: 'format', format: 'vc+sd-jwt', vct: 'https://example.com/vct' }],
  ])('asks for %s by format and reads the answer', async (credentialConfigurationId, named) => {
    const { client, seen } = conversation('draft-13 only');
    const issuerMetadata = await client.resolveIssuerMetadata(urls.issuer);
    const { credentialResponse } = await client.retrieveCredentials({
      ...request,
      credentialConfigurationId,
      issuerMetadata,
      proof: { proof_type: 'jwt', jwt: 'a.b.c' },
    });
    expect(credentialResponse).toMatchObject({ credential: `${credentialConfigurationId}-0`, c_nonce: 'nonce-1' });
    expect(seen).toEqual([{ requestClass: 'L13', endpoint: 'draft-13', named, proofType: 'jwt', proofs: ['a.b.c'] }]);
  });

  it('gets bare credentials for a batch', async () => {
    const { client } = conversation('draft-13 only');
    const issuerMetadata = await client.resolveIssuerMetadata(urls.issuer);
    const { credentialResponse } = await client.retrieveCredentials({
      ...request,
      issuerMetadata,
      proofs: { jwt: ['a.b.c', 'd.e.f'] },
    });
    expect(credentialResponse.credentials).toEqual(['degree-0', 'degree-1']);
  });

  it('hears invalid_proof with a nonce to try again', async () => {
    const { client } = conversation('draft-13 only', true);
    const issuerMetadata = await client.resolveIssuerMetadata(urls.issuer);
    const attempt = client.retrieveCredentials({
      ...request,
      issuerMetadata,
      proof: { proof_type: 'jwt', jwt: 'a.b.c' },
    });
    const data = { error: 'invalid_proof', c_nonce: 'nonce-2', c_nonce_expires_in: 300 };
    await expect(attempt).rejects.toMatchObject({
      response: { credentialErrorResponseResult: { success: true, data } },
    });
  });
});
