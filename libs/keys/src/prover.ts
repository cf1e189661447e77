/** Proves content so that whoever can write to the database, and has no key, cannot. */
export interface Prover {
  /** The generation of the key (1 byte) and HMAC-SHA-256 (32 bytes). */
  prove(content: Buffer): Buffer;
  /** Whether a key of this service, of whatever generation, made the proof for this content. */
  check(content: Buffer, proof: Buffer): boolean;
}

/** Proofs of one purpose are none for another. */
export interface Provers {
  for(purpose: string): Prover;
}
