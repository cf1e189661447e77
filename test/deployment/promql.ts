import { parser } from '@prometheus-io/lezer-promql';

/** What an expression asks of one metric, or of none when a grouping names labels. */
export interface Asked {
  readonly metric: string;
  /** Labels in braces, with the operator and the values they are compared with. */
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

export interface Expression {
  readonly asked: readonly Asked[];
  /** Labels of `by`, `on` and the like. */
  readonly groupedBy: readonly string[];
}

type Tree = ReturnType<typeof parser.parse>;
type Node = Tree['topNode'];

/** Reads PromQL by Prometheus' own grammar. Throws when it is not PromQL. */
export function readExpression(text: string): Expression {
  const asked: Asked[] = [];
  const groupedBy: string[] = [];
  const textOf = (node: Node | null): string => (node ? text.slice(node.from, node.to) : '');
  parser.parse(text).iterate({
    enter: ({ node, type, from }) => {
      if (type.isError) throw new Error(`This is no PromQL, from "${text.slice(from, from + 20)}" on: ${text}`);
      if (type.name === 'VectorSelector') asked.push(selector(node, textOf));
      if (type.name === 'GroupingLabels') groupedBy.push(...node.getChildren('LabelName').map(textOf));
    },
  });
  return { asked, groupedBy };
}

function selector(node: Node, textOf: (node: Node | null) => string): Asked {
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  return {
    metric: textOf(node.getChild('Identifier')),
    matchers: matchers.map((matcher) => ({
      label: textOf(matcher.getChild('LabelName')),
      operator: textOf(matcher.getChild('MatchOp')),
      value: textOf(matcher.getChild('StringLiteral')).slice(1, -1),
    })),
  };
}
