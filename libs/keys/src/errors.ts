/** The password does not open the key store. The message is fixed: it reaches logs. */
export class KeyStoreLockedError extends Error {
  override readonly name = 'KeyStoreLockedError';
  constructor() {
    super(
      'The key store stays locked: SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD is not the password that sealed it.',
    );
  }
}

/** The service has never started on this database. */
export class NoKeysError extends Error {
  override readonly name = 'NoKeysError';
  constructor() {
    super('The database holds no keys yet: they are made when the service starts for the first time.');
  }
}

/** The first start of the service was interrupted before it made the key of proofs. */
export class NoProofsError extends Error {
  override readonly name = 'NoProofsError';
  constructor() {
    super('The keys have no proofs yet: start the service once, and repeat the command.');
  }
}

/** No signing key of this service has the thumbprint. */
export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
  constructor(kid: string) {
    super(`There is no signing key ${kid}.`);
  }
}

/** The key of all proofs was removed. A new one would prove anything that is in the database now. */
export class ProofKeyGoneError extends Error {
  override readonly name = 'ProofKeyGoneError';
  constructor() {
    super('The proof keys are gone from key_store: restore its rows with the purpose "proof" from a backup.');
  }
}

/** A data key is sealed under an erasure key, and this process knows no database of them. */
export class NoErasureKeysError extends Error {
  override readonly name = 'NoErasureKeysError';
  constructor() {
    super('The data key is sealed under an erasure key, and no database of erasure keys is set.');
  }
}

/** Something sealed was altered, cut, moved to another place, or sealed under another key. */
export class SealBrokenError extends Error {
  override readonly name: string = 'SealBrokenError';
  constructor(what = 'A sealed value') {
    super(`${what} cannot be opened: it is damaged or was sealed for another place.`);
  }
}

/** What is sealed names a version of its envelope that this release does not know. */
export class NewerSealError extends SealBrokenError {
  override readonly name = 'NewerSealError';
  readonly ofNewerRelease = true;
}
