export { Authenticator, hashOfSecret } from './authenticator';
export { KeyStoreLockedError, NoKeysError, SealBrokenError } from './errors';
export { type ListedKey, listSigningKeys, openExistingKeys } from './existing-keys';
export { newPrivateKey } from './key-pair';
export { KeyRing, type ActiveKey, type PublishedKey, type Signer } from './key-ring';
export { KeysModule, type KeysOptions } from './keys.module';
export { SealedTokens, type ReadToken } from './sealed-token';
export { Sealer } from './sealer';
export { type SigningAlgorithm, signingAlgorithms } from './signing-key';
