import { distance } from 'fastest-levenshtein';

/** Longer names are not compared: the time grows with the product of both lengths. */
const longest = 64;
const negations = ['un', 'in', 'ir', 'dis', 'de', 'non', 'not', 'no'];
/** Other words for what is known under a name that is not spelt like them. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  unsuspend: ['reinstate'],
  unrevoke: ['reinstate'],
  resume: ['reinstate'],
  unpublish: ['archive'],
  unarchive: ['publish'],
};

/** The known name that a caller may have meant; `undefined` when none is near. Never one that says the opposite. */
export function closestOf(name: string, known: readonly string[]): string | undefined {
  if (name.length > longest) return undefined;
  const meant = Object.hasOwn(synonyms, name.toLowerCase()) ? (synonyms[name.toLowerCase()] ?? []) : [];
  const synonym = known.find((candidate) => meant.includes(candidate));
  if (synonym !== undefined) return synonym;
  const likely = known.filter((candidate) => !isNegated(name, candidate) && !isNegated(candidate, name));
  const [best] = likely
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(candidate.length > 3 ? 2 : 1, candidate.length / 3))
    .sort((one, other) => one.edits - other.edits);
  return best?.candidate ?? withWordsOf(name, likely);
}

/** `unsuspend` for `suspend`: one letter or two away, and the opposite. */
function isNegated(name: string, positive: string): boolean {
  return negations.some((negation) => name.toLowerCase() === `${negation}${positive.toLowerCase()}`);
}

/** The name that has all the words of another one, and more: `require_cryptographic_holder_binding` for `holderBinding`. */
function withWordsOf(name: string, known: readonly string[]): string | undefined {
  const words = wordsOf(name);
  if (words.length < 2) return undefined;
  return known.find((candidate) => {
    const others = candidate.length > longest ? [] : wordsOf(candidate);
    return words.every((word) => others.includes(word));
  });
}

function wordsOf(name: string): readonly string[] {
  const split = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return split.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

/** A question after a message, when one of the known names is near to what was sent; else nothing. */
export function meant(value: unknown, known: readonly string[]): string {
  const closest = typeof value === 'string' ? closestOf(value, known) : undefined;
  return closest === undefined ? '' : `. Did you mean ${closest}?`;
}

const mostCompared = 100;
/** How often an answer lists the known names. */
const mostListed = 3;

/**
 * The message for a name that is not known.
 * @param kind property or parameter
 * @param index how many other faults come before: an answer lists a hundred at most, and comparing names takes time
 */
export function unknownName(kind: string, name: string, known: readonly string[], index: number): string {
  const closest = index < mostCompared ? closestOf(name, known) : undefined;
  if (closest !== undefined) return `Unknown ${kind}. Did you mean ${closest}?`;
  if (index >= mostListed) return `Unknown ${kind}.`;
  return known.length > 0 ? `Unknown ${kind}. Known: ${known.join(', ')}.` : `Unknown ${kind}. There are none here.`;
}
