import type { VNode } from 'preact';
import { currentLocale, textFor } from '../texts';

/** A time as the language and the region of the person write it. @param at RFC 3339, or a word such as `never` */
export function Moment({ at }: { readonly at: string }): VNode {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <span>{textFor('states', at) ?? at}</span>;
  return (
    <time dateTime={at} title={at}>
      {momentText(at)}
    </time>
  );
}

export function momentText(at: string): string {
  return new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));
}
