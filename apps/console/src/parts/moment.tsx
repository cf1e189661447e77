import type { VNode } from 'preact';

const form = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time as the person's device writes it. @param at RFC 3339, or a word such as `never` */
export function Moment({ at }: { readonly at: string }): VNode {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} title={at}>
      {form.format(time)}
    </time>
  );
}
