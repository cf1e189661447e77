import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import type { Json } from '../http/requests';

/** RE2 refuses more, also of a repetition in a repetition together. */
const mostRepetitions = 1000;

/** The regular expressions of a document, by where the first one of each is. */
export function patternsIn(value: unknown, place = '', found = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, member] of Object.entries(value as Json)) {
    const at = `${place}/${name}`;
    if (name === 'pattern' && typeof member === 'string') found.set(member, found.get(member) ?? at);
    else patternsIn(member, at, found);
  }
  return found;
}

/** What Python, Go and JavaScript, with the flag `u` or without it, do not read alike in a regular expression. */
export function strangeIn(pattern: string): string[] {
  const strange = new Set<string>();
  const see =
    <Node extends AST.Node>(isUsual: (node: Node) => boolean) =>
    (node: Node): void => {
      if (!isUsual(node)) strange.add(node.raw);
    };
  const parser = new RegExpParser();
  for (const flags of [{}, { unicode: true }]) {
    visitRegExpAST(parser.parsePattern(pattern, 0, pattern.length, flags), {
      // `\d`, `\s`, `\w`, `\p` and `.` are sets of other characters elsewhere.
      onCharacterSetEnter: see(() => false),
      onAssertionEnter: see(({ kind }) => kind === 'start' || kind === 'end'),
      onBackreferenceEnter: see(() => false),
      onCapturingGroupEnter: see(({ name }) => name === null),
      onCharacterEnter: see(({ raw }) => /^(\\[^\w\s]|\\x[0-9a-f]{2}|[^\\])$/iu.test(raw)),
      onQuantifierEnter: see((node) => repetitionsOf(node) <= mostRepetitions),
    });
  }
  return [...strange];
}

function repetitionsOf(node: AST.Node | null): number {
  if (!node) return 1;
  const { min, max } = node.type === 'Quantifier' ? node : { min: 1, max: 1 };
  return Math.max(1, max === Infinity ? min : max) * repetitionsOf(node.parent);
}
