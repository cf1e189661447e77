import type { ComponentChildren, VNode } from 'preact';
import { Badge } from './badge';

interface RowProps {
  readonly address?: string;
  readonly title: ComponentChildren;
  /** For those who look for it. */
  readonly id?: string;
  readonly state?: string;
  readonly about: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** One of several resources. */
export function Row({ address, title, id, state, about, actions }: RowProps): VNode {
  return (
    <li class="row">
      <div class="row-main">
        {address === undefined ? (
          <strong title={id}>{title}</strong>
        ) : (
          <a href={address} title={id}>
            {title}
          </a>
        )}
        {state !== undefined && <Badge state={state} />}
        <div class="hint">{about}</div>
      </div>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </li>
  );
}

interface RowsProps<T> {
  readonly items: readonly T[];
  readonly nothing: string;
  readonly children: (item: T) => VNode;
}

export function Rows<T>({ items, nothing, children }: RowsProps<T>): VNode {
  return items.length === 0 ? <p class="nothing">{nothing}</p> : <ul class="rows">{items.map(children)}</ul>;
}
