export { Authenticator, hashOfSecret } from './authenticator';
export { type CertifiableKey, type CertificateKey, CertificateKeys, type CertificateKind } from './certificate-keys';
export { checkKeyRows } from './check-key-rows';
export { type CheckpointKey, CheckpointKeys, isSignedBy, listCheckpointKeys } from './checkpoint-keys';
export { KeyStoreLockedError, NoKeysError, NoProofsError, SealBrokenError } from './errors';
export {
  type CheckingKeys,
  type ListedKey,
  listSigningKeys,
  openCheckingKeys,
  openExistingCertificateKeys,
  openExistingKeys,
  openProofKeys,
} from './existing-keys';
export { checkDataKeys } from './data-keys';
export { DecryptionKey } from './decryption-key';
export { EncryptionKeys, type PublishedEncryptionKey } from './encryption-keys';
export { addErasureKeys, type ChangedDataKeys, removeErasureKeys } from './erasure-key-changes';
export { KeyRing, type ActiveKey, type PublishedKey, type Signer } from './key-ring';
export { KeysModule, type KeysOptions } from './keys.module';
export { type FirstProofs, ProofKeys } from './proof-keys';
export { changePassword } from './password-change';
export { PublicHandles } from './public-handles';
export { rewrap, RewrapRunningError } from './rewrap';
export { SealedTokens, type ReadToken } from './sealed-token';
export { NamedShapes } from './shapes';
export { SignedCheckpoints } from './signed-checkpoints';
export { additionalDataOf, type SealedPlace, Sealer } from './sealer';
export { type SigningAlgorithm, signingAlgorithms, SigningKey } from './signing-key';
