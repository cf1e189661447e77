import { type AccessToken, nonceLifetime, WalletTokens } from '@app/authorization';
import { Settings } from '@app/config';
import {
  type AttestationLevels,
  type AttestedBy,
  DID_DOCUMENT_TYPES,
  DidResolver,
  KeyProofError,
  type VerifiedKeyAttestation,
  type VerifiedKeyProofs,
  verifyKeyProofs,
} from '@app/credentials';
import type { SingleUse } from '@app/event-store';
import { guardedFetch, mostKeyBytes, WALLET_URLS } from '@app/identity';
import { type JwsAlgorithm } from '@app/primitives/jose';
import { hashOfSecret } from '@app/keys';
import {
  BINDING_METHODS,
  type CredentialRequest,
  isEarlierDialect,
  type OAuthError,
  proofRefusal,
  type WalletUrls,
} from '@app/openid4vc';
import { OutboundClient } from '@app/outbound';
import type { IssuableConfiguration } from '@app/templates';
import { Inject, Injectable } from '@nestjs/common';
import type { ProvenHolder } from '../credential/credential-request';
import { KeyAttestations } from './key-attestations';

/** `batch_credential_issuance.batch_size` of our metadata. */
export const batchSize = 10;
export const proofSigningAlgorithms: readonly JwsAlgorithm[] = ['ES256', 'EdDSA', 'ES384', 'Ed25519'];

export interface ProvenHolderKeys {
  readonly holders: readonly ProvenHolder[];
  /** Of each attestation of the keys, where the configuration requires one. */
  readonly attestedBy?: readonly AttestedBy[];
  /** The record that uses their nonce up. */
  readonly nonce: SingleUse;
}

/** Of one of the requests that a wallet sends together. */
export interface ProvenOnce extends ProvenHolderKeys {
  readonly isNonceNoted: boolean;
}

/** Verifies the proofs of one of the requests that a wallet sends together. Rejects with `OAuthError`. */
export type VerifyProofs = (request: CredentialRequest, configuration: IssuableConfiguration) => Promise<ProvenOnce>;

/** Keys whose nonce is not known yet to be fresh. */
interface Verified extends Omit<ProvenHolderKeys, 'nonce'> {
  readonly nonce: string;
}

/** Verifies the key proofs of a credential request against our policy, with the errors of the wallet's draft. */
@Injectable()
export class ProofVerifier {
  private readonly dids: DidResolver;

  constructor(
    outbound: OutboundClient,
    private readonly settings: Settings,
    private readonly tokens: WalletTokens,
    private readonly attestations: KeyAttestations,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {
    const fetchKeys = guardedFetch(outbound, 'holder-keys', mostKeyBytes);
    this.dids = new DidResolver({
      fetchDocument: (url) => fetchKeys(url, DID_DOCUMENT_TYPES),
      plainHttpHosts: () => settings.outbound.allowPrivateHosts,
    });
  }

  /**
   * For requests that are sent together: they may share a nonce, and a proof that serves for several of them is verified once.
   * @param now the database's clock
   */
  forRequests(token: AccessToken, now: Date): VerifyProofs {
    const known = new Map<string, Promise<VerifiedKeyProofs>>();
    const nonces = new Set<string>();
    const keysOf: KeysOf = (request) => {
      const proofs = request.proofs.join();
      const keys = known.get(proofs) ?? this.verifyKeys(request, token, now);
      known.set(proofs, keys);
      return keys;
    };
    return (request, { keyAttestationsRequired: required }) =>
      this.verify(request, required, now, keysOf).then((verified) => {
        const used = this.tokens.readNonce(verified.nonce, token.grant, now);
        if (!used) throw unknownNonce(request, 'key proof');
        const nonce = used.hash.toString('hex');
        const isNonceNoted = nonces.has(nonce);
        nonces.add(nonce);
        return { ...verified, nonce: used, isNonceNoted };
      });
  }

  private async verify(
    request: CredentialRequest,
    required: AttestationLevels | undefined,
    now: Date,
    keysOf: KeysOf,
  ): Promise<Verified> {
    try {
      if (request.proofType === 'attestation') return await this.verifyAttestation(request, required, now);
      const keys = await keysOf(request);
      return required ? await this.verifyAttested(request, keys, required, now) : holdersOf(keys);
    } catch (error) {
      if (error instanceof KeyProofError) throw proofRefusal(request, error.reason, error.message, error);
      throw error;
    }
  }

  /** The attestation is the proof: a credential for each key that it attests. */
  private async verifyAttestation(
    request: CredentialRequest,
    required: AttestationLevels | undefined,
    now: Date,
  ): Promise<Verified> {
    const [jwt = ''] = request.proofs;
    if (!required) {
      const description = 'The proof type attestation is not accepted for this credential; jwt is expected.';
      throw proofRefusal(request, 'proof-type-unknown', description);
    }
    const {
      keys,
      nonce = '',
      attestedBy,
    } = await this.attestations.verify(jwt, {
      ...attestationRules,
      required,
      isProof: true,
      now,
    });
    const holders = keys.map(({ jwk, thumbprint }) => ({ holder: { jwk }, thumbprint }));
    return { holders, attestedBy: [attestedBy], nonce };
  }

  private async verifyAttested(
    request: CredentialRequest,
    keys: VerifiedKeyProofs,
    required: AttestationLevels,
    now: Date,
  ): Promise<Verified> {
    const { proofs, nonce } = keys;
    const { holders: proven } = holdersOf(keys);
    const rules = { ...attestationRules, required, isProof: false, now };
    const verified = new Map<string, VerifiedKeyAttestation>();
    for (const { attestation: jwt, thumbprint } of proofs) {
      if (jwt === undefined) throw new KeyProofError('attestation-missing');
      if (typeof jwt !== 'string') throw new KeyProofError('attestation-malformed');
      const attestation = verified.get(jwt) ?? (await this.attestations.verify(jwt, rules));
      verified.set(jwt, attestation);
      if (!attestation.keys.some((key) => key.thumbprint === thumbprint)) throw new KeyProofError('key-not-attested');
      if (attestation.nonce !== undefined && attestation.nonce !== nonce)
        throw unknownNonce(request, 'key attestation');
    }
    const attestations = [...verified.values()];
    const holders = proofs.length === 1 && request.requestClass === 'F' ? attested(attestations, proven) : proven;
    return { holders, attestedBy: attestations.map(({ attestedBy }) => attestedBy), nonce };
  }

  private verifyKeys(request: CredentialRequest, { clientHash }: AccessToken, now: Date): Promise<VerifiedKeyProofs> {
    const isEarlier = isEarlierDialect(request);
    return verifyKeyProofs(request.proofs, {
      credentialIssuer: this.urls.issuer,
      algorithms: proofSigningAlgorithms,
      bindingMethods: BINDING_METHODS,
      ...(clientHash && { isClient: (id: string) => hashOfSecret(id).equals(clientHash) }),
      legacy: isEarlier,
      // Up to draft 15 the nonce may say alone how old a proof is; libraries of then write one `iat` into every proof.
      ...((this.settings.haip || !isEarlier) && { maxAgeSeconds: nonceLifetime }),
      maxProofs: batchSize,
      now,
      dids: this.dids,
    });
  }
}

function holdersOf({ proofs, nonce }: VerifiedKeyProofs): Verified {
  return { holders: proofs.map(({ holder, thumbprint }) => ({ holder, thumbprint })), nonce };
}

type KeysOf = (request: CredentialRequest) => Promise<VerifiedKeyProofs>;

const attestationRules = { algorithms: proofSigningAlgorithms, maxKeys: batchSize };

/**
 * OpenID4VCI 1.0 appendix F.1: one proof stands for every key of its attestation. The key that has signed keeps the name that the wallet
 * gave it.
 */
function attested(
  attestations: readonly VerifiedKeyAttestation[],
  proven: readonly ProvenHolder[],
): readonly ProvenHolder[] {
  const keys = attestations.flatMap((attestation) => attestation.keys);
  return keys.map(
    ({ jwk, thumbprint }) => proven.find((one) => one.thumbprint === thumbprint) ?? { holder: { jwk }, thumbprint },
  );
}

function unknownNonce(request: CredentialRequest, what: string): OAuthError {
  return proofRefusal(request, 'nonce-unknown', `The nonce of the ${what} is unknown, expired or not yours.`);
}
