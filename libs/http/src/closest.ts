import { distance } from 'fastest-levenshtein';

/** The known name that a caller may have meant; `undefined` when none is near. */
export function closestOf(name: string, known: readonly string[]): string | undefined {
  // Longer names are not compared: the time grows with the product of both lengths.
  if (name.length > 64) return undefined;
  const [best] = known
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(candidate.length > 3 ? 2 : 1, candidate.length / 3))
    .sort((one, other) => one.edits - other.edits);
  return best?.candidate;
}
