import { isExactNumber } from '@app/primitives/json';
import { LineCounter, parseDocument, visit } from 'yaml';

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** YAML with numbers that JSON does not have, or that would change; names the lines. */
export class InexactYamlError extends Error {
  override readonly name = 'InexactYamlError';
}

/** The value of a YAML or JSON text, with every number as it is written. Throws also what the parser throws. */
export function parseExactYaml(text: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error) throw error;
  const faults: string[] = [];
  visit(document, {
    Scalar: (_key, { value, source = '', range }) => {
      if (typeof value !== 'number') return;
      // Hexadecimal and octal numbers are whole.
      if (decimal.test(source) ? isExactNumber(source) : Number.isSafeInteger(value)) return;
      const { line } = lines.linePos(range?.[0] ?? 0);
      faults.push(`line ${line}: ${source} is a number that not every reader holds exactly; write it as text`);
    },
  });
  if (faults.length > 0) throw new InexactYamlError(faults.join('\n'));
  return document.toJS();
}
