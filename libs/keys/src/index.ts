export { Authenticator, hashOfSecret } from './proofs/authenticator';
export {
  type CertifiableKey,
  type CertificateKey,
  CertificateKeys,
  type CertificateKind,
} from './signing/certificate-keys';
export { checkKeyRows } from './inspection/check-key-rows';
export {
  type CheckpointKey,
  CheckpointKeys,
  isSignedByCheckpointKey,
  listCheckpointKeys,
} from './signing/checkpoint-keys';
export { KeyStoreLockedError, NoKeysError, NoProofsError, SealBrokenError } from './errors';
export {
  type CheckingKeys,
  type ListedKey,
  listSigningKeys,
  openCheckingKeys,
  openExistingCertificateKeys,
  openExistingKeys,
  openProofKeys,
} from './inspection/existing-keys';
export { checkDataKeys } from './sealing/data-keys';
export { DecryptionKey } from './encryption/decryption-key';
export { EncryptionKeys, type PublishedEncryptionKey } from './encryption/encryption-keys';
export { addErasureKeys, type ChangedDataKeys, removeErasureKeys } from './sealing/erasure-key-changes';
export { type AdoptedKey, KeyRing, type PublishedKey } from './signing/key-ring';
export type { SigningPolicy, SigningUse } from './signing/providers/provided-key';
export { readingPolicy, signingPolicy } from './signing/providers/signing-policy';
export { KeysModule, type KeysOptions } from './keys.module';
export { type HttpProviderOptions, openHttpProvider } from './signing/providers/open-http-provider';
export {
  type KeyProvider,
  type ProviderKey,
  type ProviderType,
  providerTypes,
  SignerError,
  type SignerFault,
} from './signing/providers/provider';
export { type Secret, secretFile } from './signing/providers/secret-file';
export { ProofKeys } from './proofs/proof-keys';
export { changePassword } from './change/password-change';
export { PublicHandles } from './proofs/public-handles';
export { rewrap, RewrapRunningError } from './change/rewrap';
export { SealedTokens, type ReadToken } from './proofs/sealed-token';
export { NamedShapes } from './shapes';
export { SignedCheckpoints } from './signing/signed-checkpoints';
export { additionalDataOf, type SealedPlace, Sealer } from './sealing/sealer';
export { type KeyPair, type SigningAlgorithm, signingAlgorithms, SigningKey, signJwt } from './signing/signing-key';
