/** From so many rounds on a repetition counts as one without end. */
const manyRounds = 10;

/**
 * Whether a regular expression repeats a group that holds a repetition, such as `(a+)+`: on a text that nearly matches,
 * such an expression tries exponentially many ways. Other slow expressions exist; they are stopped when they run.
 */
export function repeatsRepetition(pattern: string): boolean {
  const groups: boolean[] = [false];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '(') {
      groups.push(false);
      continue;
    }
    const inside = character === ')' ? groups.pop() : false;
    if (character === '\\') at++;
    if (character === '[') at = endOfClass(pattern, at);
    const isRepeated = repeats(pattern.slice(at + 1));
    if (isRepeated && inside === true) return true;
    if (isRepeated || inside === true) groups[groups.length - 1] = true;
  }
  return false;
}

function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  while (at < pattern.length && pattern.charAt(at) !== ']') at += pattern.charAt(at) === '\\' ? 2 : 1;
  return at;
}

/** Whether the text begins with a quantifier for many rounds. */
function repeats(rest: string): boolean {
  if (/^[*+]/.test(rest)) return true;
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(rest) ?? [];
  if (least === undefined) return false;
  return comma === ',' && most === '' ? true : Number(most === '' ? least : most) >= manyRounds;
}
