import type { VNode } from 'preact';
import { useKindNames } from '../api/kinds';

/** Kinds of credentials by their names, with the ids for those who look for them. */
export function Kind({ ids }: { readonly ids: string | readonly string[] }): VNode {
  const all = [ids].flat();
  const nameOf = useKindNames(all);
  return <span title={all.join(', ')}>{all.map(nameOf).join(', ')}</span>;
}
