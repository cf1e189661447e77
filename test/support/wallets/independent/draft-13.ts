import {
  CredentialRequestClientBuilder,
  OpenID4VCIClientV1_0_13,
  ProofOfPossessionBuilder,
} from 'sphereon-oid4vci-client-draft-13';
import type { IndependentHolder } from './holder';

/** A draft 13 configuration: the library's type leaves the two members open that name the credential. */
interface Configuration {
  readonly format: 'jwt_vc_json' | 'vc+sd-jwt';
  readonly vct?: string;
  readonly credential_definition?: { readonly type: string[] };
}

/**
 * Redeems an offer link as Sphereon's draft 13 client does: it reads the appended metadata URL, asks by `format`,
 * and proves with one `proof` over the nonce that came with the token. Returns one credential per configuration. It waits for
 * those that the issuer defers, and asks every 50 ms.
 */
export async function receiveAsDraft13Wallet(
  offerLink: string,
  holder: IndependentHolder,
  txCode?: string,
): Promise<string[]> {
  const client = await OpenID4VCIClientV1_0_13.fromURI({ uri: offerLink, createAuthorizationRequestURL: false });
  const token = await client.acquireAccessToken(txCode === undefined ? {} : { pin: txCode });
  const { credentialOffer, endpointMetadata: metadata } = client;
  if (!credentialOffer) throw new Error('The client did not resolve the offer.');
  const supported: Record<string, unknown> = client.getCredentialsSupported();
  const { credential_configuration_ids: ids } = credentialOffer.credential_offer as unknown as Offer;
  // Where it looks for this address by itself, it takes that of the credential endpoint.
  const { deferred_credential_endpoint: deferredEndpoint = '' } = metadata.credentialIssuerMetadata ?? {};
  const received: string[] = [];
  let nonce = token.c_nonce;
  for (const id of ids) {
    const { format, vct, credential_definition: definition } = supported[id] as Configuration;
    const request = CredentialRequestClientBuilder.fromCredentialOffer({ credentialOffer, metadata })
      .withTokenFromResponse(token)
      .withFormat(format)
      .withCredentialType(definition?.type ?? vct ?? '')
      .withDeferredCredentialEndpoint(deferredEndpoint)
      .withDeferredCredentialAwait(true, 50)
      .build();
    const proof = ProofOfPossessionBuilder.fromAccessTokenResponse({
      accessTokenResponse: { ...token, ...(nonce === undefined ? {} : { c_nonce: nonce }) },
      callbacks: { signCallback: ({ header, payload }) => Promise.resolve(holder.sign(header, payload)) },
      version: client.version(),
    })
      .withIssuer(client.getIssuer())
      .withAlg(holder.alg);
    if (holder.kid === undefined) proof.withJWK(holder.publicJwk);
    else proof.withKid(holder.kid);
    const { successBody, errorBody } = await request.acquireCredentialsUsingProof({ proofInput: proof });
    const credential = successBody?.credential;
    if (typeof credential !== 'string') throw new Error(`No credential: ${JSON.stringify(errorBody ?? successBody)}`);
    received.push(credential);
    // Draft 13 §7.3: the nonce for the next proof comes with the credential.
    nonce = successBody?.c_nonce;
  }
  return received;
}

interface Offer {
  readonly credential_configuration_ids: string[];
}
