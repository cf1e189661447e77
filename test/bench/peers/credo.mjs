/** Credo's issuer and verifier, everything in memory. Listens on PORT; `POST /portal/...` is what a portal on Credo would have. */
import { Agent, DidsModule, InjectionSymbols, JwkDidRegistrar, JwkDidResolver, Kms } from '@credo-ts/core';
import { OpenId4VcModule } from '@credo-ts/openid4vc';
import express from 'express';
import { EventEmitter } from 'node:events';
import { KeysInMemory } from './credo-keys.mjs';
import { RecordsInMemory } from './credo-records.mjs';

const port = Number(process.env.PORT);
const url = `http://127.0.0.1:${port}`;
const vct = 'https://credentials.example/student';
const app = express();

/** @returns what to sign for one wallet: the claims that the portal submitted, each to be disclosed by itself */
function credentialFor({ issuanceSession, holderBinding }) {
  const { claims } = issuanceSession.issuanceMetadata;
  const credentials = holderBinding.keys.map(({ jwk }) => ({
    payload: { vct, ...claims },
    holder: { method: 'jwk', jwk },
    issuer: { method: 'did', didUrl },
    disclosureFrame: { _sd: Object.keys(claims) },
    headerType: 'dc+sd-jwt',
  }));
  return { type: 'credentials', format: 'dc+sd-jwt', credentials };
}

const agent = new Agent({
  config: { allowInsecureHttpUrls: true },
  dependencies: { FileSystem: class {}, EventEmitterClass: EventEmitter, fetch, WebSocketClass: class {} },
  modules: {
    storage: {
      register: (manager) => manager.registerInstance(InjectionSymbols.StorageService, new RecordsInMemory()),
    },
    kms: new Kms.KeyManagementModule({ backends: [new KeysInMemory()] }),
    dids: new DidsModule({ resolvers: [new JwkDidResolver()], registrars: [new JwkDidRegistrar()] }),
    openid4vc: new OpenId4VcModule({
      app,
      issuer: { baseUrl: `${url}/oid4vci`, credentialRequestToCredentialMapper: credentialFor },
      verifier: { baseUrl: `${url}/oid4vp` },
    }),
  },
});
await agent.initialize();
const { didState } = await agent.dids.create({
  method: 'jwk',
  options: { createKey: { type: { kty: 'EC', crv: 'P-256' } } },
});
const didUrl = didState.didDocument.verificationMethod[0].id;
const { issuer, verifier } = agent.openid4vc;
const { issuerId } = await issuer.createIssuer({
  issuerId: 'bench',
  credentialConfigurationsSupported: {
    card: {
      format: 'dc+sd-jwt',
      vct,
      cryptographic_binding_methods_supported: ['jwk'],
      credential_signing_alg_values_supported: ['ES256'],
      proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
    },
  },
});
const { verifierId } = await verifier.createVerifier({ verifierId: 'bench' });

app.use('/portal', express.json());
app.post('/portal/offers', async ({ body: { claims } }, response) => {
  const { credentialOffer } = await issuer.createCredentialOffer({
    issuerId,
    credentialConfigurationIds: ['card'],
    preAuthorizedCodeFlowConfig: {},
    issuanceMetadata: { claims },
  });
  response.json({ credentialOffer });
});
app.post('/portal/requests', async ({ body: { query } }, response) => {
  const { authorizationRequest, verificationSession } = await verifier.createAuthorizationRequest({
    verifierId,
    requestSigner: { method: 'did', didUrl },
    dcql: { query },
    responseMode: 'direct_post',
    version: 'v1',
  });
  response.json({ id: verificationSession.id, authorizationRequest });
});
app.get('/portal/requests/:id', async ({ params: { id } }, response) => {
  const { dcql } = await verifier.getVerifiedAuthorizationResponse(id);
  response.json({ presentations: dcql.presentations.card.map(({ prettyClaims }) => prettyClaims) });
});
app.get('/readyz', (_, response) => response.json({}));
app.listen(port, '127.0.0.1');
process.once('SIGTERM', () => process.exit());
