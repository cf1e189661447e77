/** Requests of one purpose never wait for those of another: each has its own slots. */
export const outboundPurposes = [
  'access-tokens',
  'client-keys',
  'offer-sending',
  'issuer-keys',
  'status-lists',
  'holder-keys',
  'type-metadata',
  'trust-lists',
  'self-check',
  'webhooks',
  'credential-data',
  'login',
  'signer',
] as const;
export type OutboundPurpose = (typeof outboundPurposes)[number];

/** How many requests may be under way at once. */
export interface SlotLimits {
  readonly slots: number;
  readonly perRequester: number;
  /** Where there is but one host; absent: the share that any host has. */
  readonly perHost?: number;
  /**
   * Whether it is the answer that counts: then requests for one address at one time are one request, and one that has run
   * for long can be given up for another. False where the request itself is the act.
   */
  readonly isDocument: boolean;
}

/**
 * `access-tokens`, `client-keys`, `credential-data`, `login` and `trust-lists` go to addresses of our own settings, `offer-sending` to
 * those of portals, `self-check` to ourselves.
 * The addresses of the others are named by holders, who may name a hundred that hang. `webhooks` has a slot for every
 * request of every webhook there may be: those that hang take none from others. Providers of keys have a client each for `signer`, and
 * limits of their own before it.
 */
export const slotLimits: Readonly<Record<OutboundPurpose, SlotLimits>> = {
  'access-tokens': { slots: 4, perRequester: 4, isDocument: true },
  'client-keys': { slots: 16, perRequester: 16, isDocument: true },
  'offer-sending': { slots: 64, perRequester: 16, isDocument: false },
  'issuer-keys': { slots: 64, perRequester: 8, isDocument: true },
  'status-lists': { slots: 64, perRequester: 8, isDocument: true },
  'holder-keys': { slots: 64, perRequester: 8, isDocument: true },
  'type-metadata': { slots: 64, perRequester: 8, isDocument: true },
  'trust-lists': { slots: 16, perRequester: 16, isDocument: true },
  'self-check': { slots: 16, perRequester: 16, isDocument: false },
  webhooks: { slots: 500, perRequester: 4, isDocument: false },
  'credential-data': { slots: 64, perRequester: 2, perHost: 64, isDocument: false },
  login: { slots: 64, perRequester: 64, perHost: 64, isDocument: false },
  signer: { slots: 256, perRequester: 256, perHost: 256, isDocument: false },
};
