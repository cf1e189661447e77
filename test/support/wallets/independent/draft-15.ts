import { OpenID4VCIClientV1_0_15 } from '@sphereon/oid4vci-client';
import type { IndependentHolder } from './holder';

/**
 * Redeems an offer link as Sphereon's draft 15 client does: it reads the appended metadata URL, asks by
 * configuration id with a single `proof`, and fetches the nonce from the nonce endpoint. Returns one credential per
 * configuration.
 */
export async function receiveAsDraft15Wallet(
  offerLink: string,
  holder: IndependentHolder,
  txCode?: string,
): Promise<string[]> {
  const client = await OpenID4VCIClientV1_0_15.fromURI({ uri: offerLink, createAuthorizationRequestURL: false });
  await client.acquireAccessToken(txCode === undefined ? {} : { pin: txCode });
  const supported: Record<string, unknown> = client.getCredentialsSupported();
  const received: string[] = [];
  for (const credentialConfigurationId of client.getCredentialOfferConfigurationIds()) {
    const { format } = supported[credentialConfigurationId] as { format: 'jwt_vc_json' | 'vc+sd-jwt' | 'dc+sd-jwt' };
    await client.acquireNonce();
    const { credentials } = await client.acquireCredentials({
      credentialConfigurationId,
      format,
      proofCallbacks: { signCallback: ({ header, payload }) => Promise.resolve(holder.sign(header, payload)) },
      alg: holder.alg,
      ...(holder.kid === undefined ? { jwk: holder.publicJwk } : { kid: holder.kid }),
    });
    const credential = credentials?.[0]?.credential;
    if (typeof credential !== 'string') throw new Error(`No credential: ${JSON.stringify(credentials)}`);
    received.push(credential);
  }
  return received;
}
