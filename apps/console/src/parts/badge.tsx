import type { VNode } from 'preact';

const good = [
  'Published',
  'Redeemed',
  'Accepted',
  'Issued',
  'Valid',
  'verified',
  'passed',
  'trusted',
  'ok',
  'valid',
  'Online',
  'redeemed',
];
const bad = [
  'Locked',
  'Withdrawn',
  'Expired',
  'Refused',
  'Deleted',
  'Revoked',
  'rejected',
  'refused',
  'failed',
  'expired',
  'revoked',
];

/** A state in one word. Its colour repeats what the word says. */
export function Badge({ state }: { readonly state: string }): VNode {
  const tone = good.includes(state) ? 'good' : bad.includes(state) ? 'bad' : 'neutral';
  return <span class={`badge ${tone}`}>{state}</span>;
}
