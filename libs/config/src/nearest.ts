/** What to do about a setting that does not exist. @param ofFile its name if it stood for the path of a file */
export function noSuchSetting(name: string, ofFile: string, known: readonly string[]): string {
  if (known.includes(ofFile)) return `write the value into a file, and name the file in ${ofFile}`;
  const meant = nearest(name, known);
  return meant ? `there is no such setting; did you mean ${meant}?` : 'there is no such setting; remove it';
}

/** The name closest to a mistyped one, or undefined when none is near enough to be meant. */
function nearest(mistyped: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, edits: editsBetween(mistyped, name) }))
    .sort((one, other) => one.edits - other.edits);
  const best = ranked[0];
  return best && best.edits <= Math.max(3, mistyped.length / 4) ? best.name : undefined;
}

/** Levenshtein distance, one row of the table at a time. */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [row, letter] of Array.from(one).entries()) {
    const current = [row + 1];
    for (const [column, target] of Array.from(other).entries()) {
      const replaced = (above[column] ?? 0) + (letter === target ? 0 : 1);
      current.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    above = current;
  }
  return above[other.length] ?? 0;
}
