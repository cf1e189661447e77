import { earlierNames } from '../wire/algorithm-names';
import {
  renderCredentialEncryption,
  renderResponseEncryption,
  type RequestEncryptionKey,
} from '../credential/credential-encryption';
import { draft13Claims } from './draft-13-claims';
import { type CredentialConfiguration, formatOf } from '../formats/registry';
import { type VerifierInfo } from '../request/verifier-info';
import { type WalletUrls } from './wallet-urls';

export interface IssuerDisplay {
  readonly name: string;
  readonly locale?: string;
  readonly logo?: { readonly uri: string; readonly alt_text?: string };
}

export interface IssuerMetadata {
  readonly urls: WalletUrls;
  /** Sound ones only, see `faultsOfConfiguration`. */
  readonly configurations: readonly CredentialConfiguration[];
  /** How many proofs one credential request may carry; below 2 no batches are announced. */
  readonly batchSize: number;
  /** Every name of the algorithms a key proof may be signed with; older wallets see the names they know. */
  readonly proofSigningAlgorithms: readonly string[];
  /** To which wallets encrypt requests. */
  readonly encryptionKey: RequestEncryptionKey;
  /** Whether no credential is sent in clear. */
  readonly isEncryptionRequired: boolean;
  readonly display?: readonly IssuerDisplay[];
  /** What others attest about the issuer (ETSI TS 119 472-3), in the form of `verifier_info`. */
  readonly issuerInfo?: readonly VerifierInfo[] | undefined;
}

/** The OpenID4VCI 1.0 document (§12.2.4), for the inserted well-known URL. */
export function renderIssuerMetadata(metadata: IssuerMetadata): Record<string, unknown> {
  return {
    ...renderIssuer(metadata, {
      credential_endpoint: metadata.urls.credential,
      deferred_credential_endpoint: metadata.urls.deferredCredential,
    }),
    ...renderCredentialEncryption(metadata.encryptionKey, metadata.isEncryptionRequired),
    credential_configurations_supported: byId(metadata, (configuration) => ({
      format: configuration.format,
      ...formatOf(configuration.format).renderType(configuration),
      ...renderKeyBinding(configuration),
      credential_signing_alg_values_supported: formatOf(configuration.format).signingAlgorithmValues(
        configuration.signingAlgorithm,
      ),
      proof_types_supported: renderProofTypes(configuration, metadata.proofSigningAlgorithms),
      ...renderCredentialMetadata(configuration),
    })),
    ...(metadata.issuerInfo && { issuer_info: metadata.issuerInfo }),
  };
}

/**
 * The same issuer as drafts 13 and 14 describe it, for the appended well-known URL: earlier format names, claims as
 * nested maps, and a separate credential endpoint, which shows which document the wallet of a later request has read.
 * `nonce_endpoint` stays, because draft 15 reads this document as well. No `credential_metadata`: some clients take it
 * as proof of 1.0.
 */
export function renderDraft13IssuerMetadata(metadata: IssuerMetadata): Record<string, unknown> {
  return {
    ...renderIssuer(withEarlierLogos(metadata), {
      credential_endpoint: metadata.urls.draft13Credential,
      // Draft 14 took it out; some libraries of before can ask for a second credential nowhere else.
      batch_credential_endpoint: metadata.urls.draft13BatchCredential,
      deferred_credential_endpoint: metadata.urls.draft13DeferredCredential,
    }),
    // Where it is only offered, these wallets need not hear of it.
    ...(metadata.isEncryptionRequired && renderResponseEncryption(true)),
    credential_configurations_supported: byId(metadata, (configuration) => ({
      format: formatOf(configuration.format).earlierName,
      ...formatOf(configuration.format).renderEarlierType(configuration, draft13Claims(configuration.claims ?? [])),
      ...renderKeyBinding(configuration),
      credential_signing_alg_values_supported: [configuration.signingAlgorithm],
      proof_types_supported: renderEarlierProofTypes(configuration, earlierNames(metadata.proofSigningAlgorithms)),
      ...withEarlierLogos(configuration.display === undefined ? {} : { display: configuration.display }),
    })),
  };
}

/** Drafts 11 and 12, and the examples of draft 13, have the address of a logo as `url`. */
function withEarlierLogos<T extends { readonly display?: readonly Pick<IssuerDisplay, 'logo'>[] }>(shown: T): T {
  if (!shown.display) return shown;
  const display = shown.display.map((one) => (one.logo ? { ...one, logo: { ...one.logo, url: one.logo.uri } } : one));
  return { ...shown, display };
}

function renderIssuer({ urls, batchSize, display }: IssuerMetadata, credentialEndpoints: object): object {
  return {
    credential_issuer: urls.issuer,
    // authorization_servers is left out: we are our own, and an offer then needs to name none.
    ...credentialEndpoints,
    nonce_endpoint: urls.nonce,
    notification_endpoint: urls.notification,
    ...(batchSize < 2 ? {} : { batch_credential_issuance: { batch_size: batchSize } }),
    ...(display === undefined || display.length === 0 ? {} : { display }),
  };
}

function byId(metadata: IssuerMetadata, render: (configuration: CredentialConfiguration) => object): object {
  return Object.fromEntries(
    metadata.configurations.map((configuration) => [configuration.id, render(configuration)] as const),
  );
}

function renderKeyBinding(configuration: CredentialConfiguration): object {
  return {
    // HAIP 1.0 §4.1 wants one for every configuration.
    scope: configuration.scope,
    cryptographic_binding_methods_supported: formatOf(configuration.format).bindingMethods,
  };
}

/** Who may attest keys may let the attestation be the proof. */
function renderProofTypes(configuration: CredentialConfiguration, algorithms: readonly string[]): object {
  const { jwt } = renderEarlierProofTypes(configuration, algorithms);
  return configuration.keyAttestationsRequired ? { jwt, attestation: jwt } : { jwt };
}

/** Strictly typed older wallets fail on the whole document at a proof type they do not know. */
function renderEarlierProofTypes(
  { keyAttestationsRequired: required }: CredentialConfiguration,
  algorithms: readonly string[],
): { readonly jwt: object } {
  const { keyStorage, userAuthentication } = required ?? {};
  const levels = {
    ...(keyStorage && { key_storage: keyStorage }),
    ...(userAuthentication && { user_authentication: userAuthentication }),
  };
  const jwt = { proof_signing_alg_values_supported: algorithms };
  return { jwt: required ? { ...jwt, key_attestations_required: levels } : jwt };
}

function renderCredentialMetadata({ format, display, claims, disclosurePolicy }: CredentialConfiguration): object {
  // On the wire a claims path starts at the root of the credential.
  const { pathToClaims } = formatOf(format);
  // Present even when empty: clients recognise a 1.0 document by it.
  return {
    credential_metadata: {
      ...(display === undefined ? {} : { display }),
      ...(claims && { claims: claims.map((claim) => ({ ...claim, path: [...pathToClaims, ...claim.path] })) }),
      ...(disclosurePolicy && { embedded_disclosure_policy: disclosurePolicy }),
    },
  };
}
