/** What we verify, preferred first, under every name. */
export const verifiedAlgorithms = ['ES256', 'EdDSA', 'ES384', 'Ed25519'] as const;
