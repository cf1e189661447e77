import type { VNode } from 'preact';
import { text } from '../texts';
import { Facts } from './value';

/** What systems call things, for those who look after them. */
export function Technical({ facts }: Parameters<typeof Facts>[0]): VNode | null {
  if (facts.every(([, value]) => value === undefined)) return null;
  return (
    <details>
      <summary>{text('common.technical')}</summary>
      <Facts facts={facts} />
    </details>
  );
}
