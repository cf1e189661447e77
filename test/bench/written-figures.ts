/** Tables of a benchmark, and the place of a page that has them. */
export interface Section {
  readonly name: string;
  readonly lines: readonly string[];
}

/**
 * The page with the section in place of what stands between `<!-- figures: name -->` and `<!-- end -->`. Throws when the
 * page has no such place.
 */
export function withFigures(page: string, { name, lines }: Section): string {
  const begin = `<!-- figures: ${name} -->`;
  const [before, rest, ...more] = page.split(begin);
  const end = rest?.indexOf('<!-- end -->') ?? -1;
  if (before === undefined || rest === undefined || more.length > 0 || end < 0)
    throw new Error(`The page must have one place for figures called "${name}".`);
  return [before, begin, '\n\n', lines.join('\n'), '\n\n', rest.slice(end)].join('');
}
