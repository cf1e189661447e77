/** How long and how often to measure. Every figure is the median of its rounds; rounds of what is compared alternate. */
export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  /** Before the first measurement, of each flow. */
  readonly warmUpFlows: number;
  /** Wallets that take turns. */
  readonly wallets: number;
  /** Seconds without requests after which memory is read again. */
  readonly idleSeconds: number;
}

/** Flows at the same time. */
export const inFlight = [1, 8, 32] as const;
export const mostInFlight = Math.max(...inFlight);

export const fullPlan: Plan = { rounds: 5, seconds: 4, warmUpFlows: 1_000, wallets: 1_200, idleSeconds: 30 };

export const quickPlan: Plan = { rounds: 3, seconds: 1.5, warmUpFlows: 300, wallets: 300, idleSeconds: 5 };
