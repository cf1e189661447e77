import type { ImportLocale } from './locales';
import type { ColumnTarget } from './targets';

/** What each column of a file is. */
export interface Mapping {
  /** By the place of the column; null for one that is left out. */
  readonly columns: readonly (string | null)[];
  readonly locale?: ImportLocale | undefined;
}

/** Columns that are called like something a credential has; of several that are called alike, in their order. */
export function matched(headers: readonly string[], targets: readonly ColumnTarget[]): Mapping {
  const named = targets.map(({ labels, to }) => ({ to, names: new Set([...labels, to].map(plain)) }));
  const taken = new Set<string>();
  const columns = headers.map((header) => {
    const name = plain(header);
    const { to } = named.find((target) => target.names.has(name) && !taken.has(target.to)) ?? {};
    if (to === undefined) return null;
    taken.add(to);
    return to;
  });
  return { columns };
}

/** What is wrong with a mapping, in words; `undefined` when nothing is. */
export function faultIn(
  { columns }: Mapping,
  headers: readonly string[],
  targets: readonly ColumnTarget[],
): string | undefined {
  if (columns.length > headers.length) return `The file has ${headers.length} columns.`;
  const known = new Set(targets.map(({ to }) => to));
  const given = columns.filter((to) => to !== null);
  const unknown = given.find((to) => !known.has(to));
  if (unknown !== undefined) return 'A column is to be something that a credential of this template does not have.';
  return new Set(given).size < given.length ? 'Two columns are to be the same.' : undefined;
}

/** Case, accents, spaces and punctuation do not count. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
