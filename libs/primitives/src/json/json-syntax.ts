import { printParseErrorCode, visit } from 'jsonc-parser';

/** What is wrong, by the name that jsonc-parser has for it. */
const faults: Readonly<Record<string, string>> = {
  InvalidSymbol: 'unexpected characters',
  InvalidNumberFormat: 'a malformed number',
  PropertyNameExpected: 'a name in double quotation marks is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace or a comma is expected',
  CloseBracketExpected: 'a closing bracket or a comma is expected',
  EndOfFileExpected: 'the end is expected',
  InvalidCommentToken: 'a comment (JSON has none)',
  UnexpectedEndOfComment: 'a comment (JSON has none)',
  UnexpectedEndOfString: 'a string without a closing quotation mark',
  UnexpectedEndOfNumber: 'a malformed number',
  InvalidUnicode: 'a malformed escape in a string',
  InvalidEscapeCharacter: 'a malformed escape in a string',
  InvalidCharacter: 'a control character that is not escaped',
};

/** The first fault of a text that is not JSON, and where it is. The texts of it are not repeated. */
export function syntaxFault(text: string): string {
  let fault = 'it cannot be read';
  try {
    visit(
      text,
      {
        onError: (code, offset) => {
          const end = offset >= text.length ? ', where the text ends' : '';
          fault = `${faults[printParseErrorCode(code)] ?? fault} at ${placeIn(text, offset)}${end}`;
          throw new StopIteration();
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (!(error instanceof StopIteration)) throw error;
  }
  return fault;
}

/** `line 3, column 1`; columns count UTF-16 code units. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `line ${line}, column ${offset - before.lastIndexOf('\n')}`;
}

class StopIteration extends Error {}
