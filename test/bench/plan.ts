import type { Rounds } from './load';

/** How long and how often to measure. Every figure is the median of its rounds; rounds of what is compared alternate. */
export interface Plan extends Rounds {
  readonly seconds: number;
  /** Before the first measurement, of each flow. */
  readonly warmUpFlows: number;
  /** Seconds without requests after which memory is read again. */
  readonly idleSeconds: number;
}

/** Wallets that take turns: more than a service keeps imported keys for, as in life each has a key of its own. */
export const wallets = 1_200;

/** Flows at the same time. */
export const inFlight = [1, 8, 32] as const;
export const mostInFlight = Math.max(...inFlight);

type Times = Omit<Plan, 'others' | 'note' | 'refused'>;

export const fullPlan: Times = { rounds: 5, seconds: 4, warmUpFlows: 1_000, idleSeconds: 30 };

export const quickPlan: Times = { rounds: 3, seconds: 1.2, warmUpFlows: 400, idleSeconds: 5 };
