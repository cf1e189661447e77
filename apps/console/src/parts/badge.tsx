import type { VNode } from 'preact';
import { textFor } from '../texts';

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
  'approved',
  'Done',
  'ready',
  'created',
  'Active',
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
  'Failed',
  'faulty',
  'Deleting',
];

/** A state in a few words. Its colour repeats what the word says. */
export function Badge({ state, word }: { readonly state: string; readonly word?: string }): VNode {
  const tone = good.includes(state) ? 'good' : bad.includes(state) ? 'bad' : 'neutral';
  return <span class={`badge ${tone}`}>{word ?? textFor('states', state) ?? state}</span>;
}
