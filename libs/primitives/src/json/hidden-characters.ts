/**
 * Format characters that nobody sees and that change how the text around them reads, or that hide text (Unicode category Cf). Not those
 * that scripts need: soft hyphens, joiners (Persian, emoji), direction marks, Arabic number signs, the tags in flags of regions.
 */
const hidden =
  /(?![\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u200c-\u200f\u{110bd}\u{110cd}])\p{Cf}(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{1,7})/u;
const everyHidden = new RegExp(hidden, 'gu');

/** The first one in a text, such as `U+202E`. */
export function hiddenCharacter(text: string): string | undefined {
  const [found] = hidden.exec(text) ?? [];
  return found && `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What is wrong with a text for people, as a constraint says it: a message that begins with a verb. */
export function hiddenFault(text: string): string | undefined {
  const character = hiddenCharacter(text);
  return (
    character && `must not contain ${character}, which nobody sees and which changes how the rest reads: leave it out`
  );
}

/** A text of others as it can be shown: each hidden character is seen as U+FFFD. */
export function withoutHidden(text: string): string {
  return text.replace(everyHidden, '\ufffd');
}
