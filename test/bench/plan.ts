/** How long and how often to measure. Every figure is the median of its rounds; rounds of what is compared alternate. */
export interface Plan {
  readonly rounds: number;
  /** Fewer than the offers of the small store. */
  readonly warmUpFlows: number;
  /** Seconds of one round at each number in flight. */
  readonly flowSeconds: number;
  readonly emptySeconds: number;
  readonly appends: { readonly rounds: number; readonly seconds: number };
  /** Offers or credentials stored before, compared with each other. */
  readonly fills: { readonly few: number; readonly many: number };
  readonly flowsPerFill: number;
  /** Offers of which lists by state are made. */
  readonly offersByState: number;
  /** Service processes on one database, compared with each other. */
  readonly replicas: readonly number[];
}

export const inFlight = [1, 8, 32] as const;

export const fullPlan: Plan = {
  rounds: 5,
  warmUpFlows: 500,
  flowSeconds: 4,
  emptySeconds: 2,
  appends: { rounds: 5, seconds: 1 },
  fills: { few: 1_000, many: 100_000 },
  flowsPerFill: 400,
  offersByState: 600_000,
  replicas: [1, 2, 3],
};

export const quickPlan: Plan = {
  ...fullPlan,
  rounds: 1,
  flowSeconds: 3,
  appends: { rounds: 1, seconds: 2 },
};
