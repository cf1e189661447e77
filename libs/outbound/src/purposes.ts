/** Requests of one purpose never wait for those of another: each has slots of its own. */
export const outboundPurposes = [
  'access-tokens',
  'offer-sending',
  'issuer-keys',
  'status-lists',
  'holder-keys',
  'self-check',
] as const;
export type OutboundPurpose = (typeof outboundPurposes)[number];

/** How many requests may be under way at once. */
export interface SlotLimits {
  readonly slots: number;
  readonly perRequester: number;
  /** Whether requests for one address at one time are one request: for documents, not where the request itself is the act. */
  readonly isShared: boolean;
}

/**
 * `access-tokens` goes to the address of our own settings, `offer-sending` to those of portals, `self-check` to ourselves.
 * The addresses of the others are named by holders, who may name a hundred that hang.
 */
export const slotLimits: Readonly<Record<OutboundPurpose, SlotLimits>> = {
  'access-tokens': { slots: 4, perRequester: 4, isShared: true },
  'offer-sending': { slots: 32, perRequester: 16, isShared: false },
  'issuer-keys': { slots: 64, perRequester: 8, isShared: true },
  'status-lists': { slots: 64, perRequester: 8, isShared: true },
  'holder-keys': { slots: 64, perRequester: 8, isShared: true },
  'self-check': { slots: 16, perRequester: 16, isShared: false },
};
