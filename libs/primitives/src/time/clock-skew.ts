/** Seconds by which the clocks of others may differ from ours, whatever they sign: credentials, proofs, attestations, tokens. */
export const CLOCK_SKEW_SECONDS = 60;
