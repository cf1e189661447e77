import { type CallbackContext, clientAuthenticationAnonymous, type RequestDpopOptions } from '@openid4vc/oauth2';
import { AuthorizationFlow, Openid4vciClient, setGlobalConfig } from '@openid4vc/openid4vci';
import { createHash, randomBytes } from 'node:crypto';
import { type IndependentHolder, newHolder } from './holder';

// The service under test is not behind https.
setGlobalConfig({ allowInsecureUrls: true });

export interface ReceivedByCode {
  readonly tokenType: string;
  readonly accessToken: string;
  readonly credential: string;
}

/** The browser of the person. @returns the address that the page led back to */
type Visit = (page: string, redirectUri: string) => Promise<string>;

const clientId = 'https://wallet.example';
const redirectUri = 'https://wallet.example/cb';

function clientOf(holder: IndependentHolder): Openid4vciClient {
  const callbacks: Pick<CallbackContext, 'hash' | 'generateRandom' | 'clientAuthentication' | 'signJwt' | 'fetch'> = {
    fetch: (input, init) => fetch(input, init),
    hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
    generateRandom: (length) => randomBytes(length),
    clientAuthentication: clientAuthenticationAnonymous(),
    signJwt: (_signer, { header, payload }) =>
      Promise.resolve({
        jwt: holder.sign(header, payload),
        signerJwk: holder.publicJwk as { kty: string },
      }),
  };
  return new Openid4vciClient({ callbacks });
}

/**
 * Receives the credential of an offer as the client library of the OpenWallet Foundation does: the request is pushed, and it, the code
 * and the token are bound to a key by DPoP, with the nonces of the server.
 */
export async function receiveByCode(
  offerLink: string,
  holder: IndependentHolder,
  visit: Visit,
): Promise<ReceivedByCode> {
  const dpopKey = newHolder('ES256', 'jwk');
  const publicJwk = dpopKey.publicJwk as { kty: string };
  const bound: RequestDpopOptions = { signer: { method: 'jwk', alg: 'ES256', publicJwk } };
  const client = clientOf(dpopKey);
  const credentialOffer = await client.resolveCredentialOffer(offerLink);
  const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer);
  const [authorizationServerMetadata] = issuerMetadata.authorizationServers;
  const [configurationId = ''] = credentialOffer.credential_configuration_ids;
  const scope = issuerMetadata.credentialIssuer.credential_configurations_supported[configurationId]?.scope;
  if (!authorizationServerMetadata || scope === undefined) throw new Error('The metadata names no server or no scope.');
  const begun = await client.initiateAuthorization({
    ...{ clientId, redirectUri, scope, credentialOffer, issuerMetadata, dpop: bound },
  });
  if (begun.authorizationFlow !== AuthorizationFlow.Oauth2Redirect) throw new Error('There is no page to open.');
  const url = await visit(begun.authorizationRequestUrl, redirectUri);
  const back = client.parseAndVerifyAuthorizationResponseRedirectUrl({ url, authorizationServerMetadata });
  if (back.code === undefined) throw new Error(`The page led back with ${back.error}.`);
  const { accessTokenResponse, dpop = bound } = await client.retrieveAuthorizationCodeAccessTokenFromOffer({
    ...{ credentialOffer, issuerMetadata, authorizationCode: back.code, redirectUri, dpop: bound },
    additionalRequestPayload: { client_id: clientId },
    ...(begun.pkce && { pkceCodeVerifier: begun.pkce.codeVerifier }),
  });
  const { access_token: accessToken, token_type: tokenType } = accessTokenResponse;
  const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata });
  const { jwt } = await clientOf(holder).createCredentialRequestJwtProof({
    ...{ issuerMetadata, credentialConfigurationId: configurationId, nonce, clientId },
    signer: { method: 'jwk', alg: holder.alg, publicJwk: holder.publicJwk as { kty: string } },
  });
  const { credentialResponse } = await client.retrieveCredentials({
    ...{ issuerMetadata, credentialConfigurationId: configurationId, accessToken, dpop, proofs: { jwt: [jwt] } },
  });
  const first = credentialResponse.credentials?.[0] as { credential?: unknown } | undefined;
  if (typeof first?.credential !== 'string') throw new Error(`No credential: ${JSON.stringify(credentialResponse)}`);
  const { notification_id: notificationId } = credentialResponse;
  if (notificationId !== undefined) {
    const notification = { notificationId, event: 'credential_accepted' as const };
    await client.sendNotification({ issuerMetadata, accessToken, dpop, notification });
  }
  return { tokenType, accessToken, credential: first.credential };
}
