/** How a protection that not every wallet knows is used: with the wallets that ask for it, or with all. */
export const demands = ['offered', 'required'] as const;
export type Demand = (typeof demands)[number];
