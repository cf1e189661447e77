import { isValidElement, type VNode } from 'preact';
import { text } from '../texts';

/** How pictures that browsers show begin, in base64url. */
const pictures = [
  ['_9j_', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
] as const;

/** A portrait, among claims that are bytes in base64url. */
function Picture({ bytes, type }: { readonly bytes: string; readonly type: string }): VNode {
  const base64 = bytes.replaceAll('-', '+').replaceAll('_', '/');
  return <img class="portrait" alt={text('common.picture')} src={`data:${type};base64,${base64}`} />;
}

/** Any JSON, as text and lists of names and values, and pictures. */
export function Value({ value }: { readonly value: unknown }): VNode {
  if (typeof value === 'string' && /^[\w-]{40,}$/.test(value)) {
    const type = pictures.find(([start]) => value.startsWith(start))?.[1];
    if (type !== undefined) return <Picture bytes={value} type={type} />;
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (items.every((item) => typeof item !== 'object'))
      return <span class="value">{items.map(String).join(', ')}</span>;
    return (
      <ol class="values">
        {items.map((item, index) => (
          <li key={index}>
            <Value value={item} />
          </li>
        ))}
      </ol>
    );
  }
  if (typeof value === 'object' && value !== null) return <Facts facts={Object.entries(value)} />;
  return <span class="value">{String(value)}</span>;
}

/** Names with their values; what is undefined or an empty list is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, unknown])[] }): VNode | null {
  const present = facts.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0));
  if (present.length === 0) return null;
  return (
    <dl class="facts">
      {present.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{isValidElement(value) ? value : <Value value={value} />}</dd>
        </div>
      ))}
    </dl>
  );
}
