import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** From so many rounds on a counted repetition is analysed as one without end. */
const manyRounds = 10;
/** A text that can be matched in so many ways, and not in more, takes some milliseconds at most. */
const mostWays = 500_000;

const parser = new RegExpParser();

/**
 * The expression as it is analysed. Unrolling `{1,255}` takes the analysis too long; and what has an
 * end counts as harmless, `(x{1,50}){1,50}` and `((x{0,9}){0,9}){0,9}` included. Repetitions are therefore analysed as
 * ones without end when they are counted often, or lead to many ways of matching: those nested in each other first, all
 * of them when there are many in a row. Throws for what is no regular expression.
 */
export function widened(pattern: string): string {
  const { alternatives } = parser.parsePattern(pattern, 0, undefined, { unicode: true });
  const counts: AST.Quantifier[] = [];
  if (
    waysOfOne(alternatives, (quantifier, ways) => quantifier.max >= manyRounds || ways > mostWays, counts) > mostWays
  ) {
    counts.length = 0;
    waysOfOne(alternatives, ({ min, max }, ways) => max >= manyRounds || max > min || ways > 1, counts);
  }
  return replaced(pattern, counts);
}

type IsWidened = (quantifier: AST.Quantifier, ways: number) => boolean;

/**
 * In how many ways one text can be matched at most, if every part matched whatever it is given. A repetition without
 * end counts once: the analysis sees what it leads to.
 * @param widened gets the counted repetitions that are to have no end
 */
function waysOfOne(alternatives: readonly AST.Alternative[], isWidened: IsWidened, widened: AST.Quantifier[]): number {
  return alternatives.reduce(
    (sum, { elements }) => sum + elements.reduce((product, one) => product * waysOf(one, isWidened, widened), 1),
    0,
  );
}

function waysOf(element: AST.Element, isWidened: IsWidened, widened: AST.Quantifier[]): number {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return waysOfOne(element.alternatives, isWidened, widened);
    case 'Assertion':
      return 'alternatives' in element ? waysOfOne(element.alternatives, isWidened, widened) : 1;
    case 'Quantifier': {
      const once = waysOf(element.element, isWidened, widened);
      if (element.max === Infinity) return 1;
      const ways = waysOfRounds(once, element);
      if (!isWidened(element, ways)) return ways;
      widened.push(element);
      return 1;
    }
    case 'Backreference':
    case 'Character':
    case 'CharacterClass':
    case 'CharacterSet':
    case 'ExpressionCharacterClass':
      return 1;
  }
}

function waysOfRounds(once: number, { min, max }: AST.Quantifier): number {
  let ways = 0;
  for (let rounds = min; rounds <= Math.min(max, min + manyRounds); rounds++) ways += once ** rounds;
  return ways;
}

function replaced(pattern: string, quantifiers: readonly AST.Quantifier[]): string {
  let text = '';
  let from = 0;
  for (const { element, end, min, greedy } of quantifiers.toSorted((one, other) => one.end - other.end)) {
    text += `${pattern.slice(from, element.end)}${min === 0 ? '*' : '+'}${greedy ? '' : '?'}`;
    from = end;
  }
  return text + pattern.slice(from);
}
