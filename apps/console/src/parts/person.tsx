import type { VNode } from 'preact';
import type { Approval } from '../api/resources';

/** Who did something, by their name where that is known, with what the audit calls them for those who look there. */
export function Person({ of: { name, client, principal } }: { readonly of: Approval['requestedBy'] }): VNode {
  return (
    <span title={principal}>
      <bdi>{name ?? shortNameOf(client)}</bdi>
    </span>
  );
}

/** `oauth:https://login.example.edu|u-1` is `u-1`. */
export function shortNameOf(principal: string): string {
  return /^oauth:.+\|([^|]+)$/.exec(principal)?.[1] ?? principal;
}
