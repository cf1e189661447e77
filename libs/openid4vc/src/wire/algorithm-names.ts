/** The JWS algorithms that credentials are signed with, by the names in JOSE headers; the first one is the usual. */
export const CREDENTIAL_SIGNING_ALGORITHMS = ['ES256', 'EdDSA'] as const;

export type CredentialSigningAlgorithm = (typeof CREDENTIAL_SIGNING_ALGORITHMS)[number];

/**
 * RFC 9864 gave EdDSA over edwards25519 the name `Ed25519` and deprecated `EdDSA`, which leaves the curve open. What is
 * verified here goes by both names; which ones a document lists depends on who reads it.
 */
type Algorithms = readonly string[];

/** For wallets older than the final specifications: strictly typed ones fail on a name they do not know. */
export function earlierNames(algorithms: Algorithms): Algorithms {
  return algorithms.filter((algorithm) => ['ES256', 'ES384', 'EdDSA'].includes(algorithm));
}

/** For members that the specification wants fully specified identifiers in. */
export function fullySpecifiedNames(algorithms: Algorithms): Algorithms {
  return algorithms.filter((algorithm) => algorithm !== 'EdDSA');
}

/** Every name of one algorithm: first the one that is used in JOSE headers. */
export function namesOf(algorithm: string): Algorithms {
  return algorithm === 'EdDSA' ? ['EdDSA', 'Ed25519'] : [algorithm];
}

const COSE_ALGORITHMS: Readonly<Record<string, readonly number[]>> = {
  ES256: [-7, -9],
  ES384: [-35, -51],
  EdDSA: [-8, -19],
};

/** The numbers of an algorithm in COSE, the fully specified one last (RFC 9864 §2); none for a second name of it. */
export function coseAlgorithmsOf(algorithm: string): readonly number[] {
  return COSE_ALGORITHMS[algorithm] ?? [];
}
