import { join } from 'node:path';
import { sourceFiles } from '../support/repository/source-files';

const root = join(__dirname, '../..');

/** Ways to cite a numbered list that a reader of the tests does not have: in titles, in comments and in rows of tables. */
const citations = [
  /\b(?:cases?|refusals?|requirements?|findings?|tickets?) (?:no\.? ?|#)?\d+\b/gi,
  /(?<=['"`])\d{1,3}(?:, \d{1,3})*: (?=[a-z$%])/gi,
  /(?<=['"`])\d{2,3} (?:an?|the|no|another|several|is|are|when|with|without)\b/gi,
  /\bno: \d+\b/g,
  /\$no\b/g,
];

function citedIn(text: string): string[] {
  return citations.flatMap((pattern) => [...text.matchAll(pattern)].map(([cited]) => cited));
}

const tests = sourceFiles(
  ['apps', 'libs', 'test'],
  (path) => /\.spec\.ts$|(^|\/)fixtures\/.*\.ts$|^test\/.*\.ts$/.test(path) && join(root, path) !== __filename,
);

describe('the titles and comments of tests', () => {
  it('cite sentences, never the number of a case', () => {
    expect(tests.length).toBeGreaterThan(250);
    const citing = tests.flatMap(({ path, text }) => citedIn(text).map((cited) => `${path}: ${cited}`));
    expect(citing).toEqual([]);
  });

  it.each([
    ['a title', `it('case 54: answers 404', () => {`],
    ['a title of a number alone', `it('159, 160: is what a request asks for', () => {`],
    ['a title that begins with a number', `it('104 is refused with no certificate', () => {`],
    ['a title of a table', `it.each(rows)('$no: $what', () => {`],
    ['a row', `['106 a disclosure that the issuer did not sign', text]`],
    ['a row of objects', `{ no: 121, what: 'no key binding' },`],
    ['a comment', `/** Faults of the key binding (cases 121 to 132). */`],
  ])('would be found with one in %s', (_, planted) => {
    expect(citedIn(planted)).not.toEqual([]);
  });

  it('may count', () => {
    expect(citedIn(`['101 keys', 17, '404', '1,000 credentials', '3 of 6 events', 'draft 13: one proof']`)).toEqual([]);
  });
});
