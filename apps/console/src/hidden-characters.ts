import type { ComponentChildren } from 'preact';

/** As `withoutHidden` of libs/primitives/src/json: what nobody sees and changes how the rest reads. */
const hidden =
  /(?![\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u200c-\u200f\u{110bd}\u{110cd}])\p{Cf}(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{1,7})/gu;

/** On each node before it is shown: texts in elements have such characters as U+FFFD; what is in inputs stays as it was typed. */
export function showHidden({ type, props }: { type: unknown; props: { children?: ComponentChildren } }): void {
  if (typeof type === 'string' && props.children !== undefined) props.children = shown(props.children);
}

function shown(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return children.replace(hidden, '\ufffd');
  return Array.isArray(children) ? children.map((child: ComponentChildren) => shown(child)) : children;
}
