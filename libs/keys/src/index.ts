export { Authenticator, hashOfSecret } from './authenticator';
export { KeyStoreLockedError, SealBrokenError, UnknownKeyError } from './errors';
export { newPrivateKey } from './key-pair';
export { KeyRing, type ActiveKey, type PublishedKey, type Signer } from './key-ring';
export { KeysModule, type KeysOptions } from './keys.module';
export { SealedTokens, type ReadToken } from './sealed-token';
export { Sealer } from './sealer';
export { type SigningAlgorithm } from './signing-key';
