import { type AccessToken, nonceLifetime, WalletTokens } from '@app/authorization';
import { Settings } from '@app/config';
import {
  DID_DOCUMENT_TYPES,
  DidResolver,
  KeyProofError,
  type VerifiedKeyProofs,
  verifyKeyProofs,
} from '@app/credentials';
import type { SingleUse } from '@app/event-store';
import { guardedFetch, mostKeyBytes, WALLET_URLS } from '@app/identity';
import { type JwsAlgorithm } from '@app/jose';
import { hashOfSecret } from '@app/keys';
import {
  BINDING_METHODS,
  type CredentialRequest,
  isEarlierDialect,
  proofRefusal,
  type WalletUrls,
} from '@app/openid4vc';
import { OutboundClient } from '@app/outbound';
import { Inject, Injectable } from '@nestjs/common';

/** `batch_credential_issuance.batch_size` of our metadata. */
export const batchSize = 10;
export const proofSigningAlgorithms: readonly JwsAlgorithm[] = ['ES256', 'EdDSA', 'ES384', 'Ed25519'];

export interface ProvenKeys {
  readonly proofs: VerifiedKeyProofs['proofs'];
  /** The record that uses their nonce up. */
  readonly nonce: SingleUse;
}

/** Verifies the key proofs of a credential request against our policy, with the errors of the wallet's draft. */
@Injectable()
export class ProofVerifier {
  private readonly dids: DidResolver;

  constructor(
    outbound: OutboundClient,
    settings: Settings,
    private readonly tokens: WalletTokens,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {
    const fetchKeys = guardedFetch(outbound, 'holder-keys', mostKeyBytes);
    this.dids = new DidResolver({
      fetchDocument: (url) => fetchKeys(url, DID_DOCUMENT_TYPES),
      plainHttpHosts: settings.outbound.allowPrivateHosts,
    });
  }

  /** @param now the database's clock. Throws `OAuthError`. */
  async verify(request: CredentialRequest, token: AccessToken, now: Date): Promise<ProvenKeys> {
    const { proofs, nonce } = await this.verifyProofs(request, token, now);
    const used = this.tokens.readNonce(nonce, token.grant, now);
    if (!used) {
      throw proofRefusal(request, 'nonce-unknown', 'The nonce of the key proof is unknown, expired or not yours.');
    }
    return { proofs, nonce: used };
  }

  private async verifyProofs(
    request: CredentialRequest,
    { clientHash }: AccessToken,
    now: Date,
  ): Promise<VerifiedKeyProofs> {
    try {
      return await verifyKeyProofs(request.proofs, {
        credentialIssuer: this.urls.issuer,
        algorithms: proofSigningAlgorithms,
        bindingMethods: BINDING_METHODS,
        ...(clientHash && { isClient: (id: string) => hashOfSecret(id).equals(clientHash) }),
        legacy: isEarlierDialect(request),
        maxAgeSeconds: nonceLifetime,
        maxProofs: batchSize,
        now,
        dids: this.dids,
      });
    } catch (error) {
      if (error instanceof KeyProofError) throw proofRefusal(request, error.reason, error.message, error);
      throw error;
    }
  }
}
