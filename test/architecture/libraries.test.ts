import { dirname, join } from 'node:path/posix';
import ts from 'typescript';
import { type SourceFile, sourceFiles } from '../support/repository/source-files';

const ofLibrary = /^libs\/([^/]+)\/src\/(?:([^/]+)\/)?/;

/** Folders of one library that import each other. The list may only get shorter. */
const facing: readonly string[] = [
  'authorization: authorize ⇄ identification',
  'openid4vc: dcql ⇄ formats',
  'templates: configuration ⇄ template',
];

/** What a file declares and exports; what it passes on from other files is theirs. */
function exportedNames({ path, text }: SourceFile): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return file.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      if (moduleSpecifier || !exportClause || !ts.isNamedExports(exportClause)) return [];
      return exportClause.elements.map(({ name }) => name.text);
    }
    if (!ts.canHaveModifiers(statement)) return [];
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => named(name));
    return 'name' in statement ? named(statement.name as ts.Identifier) : [];
  });
}

function named(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? named(element.name) : []));
}

/** Libraries by the name that they share. */
function homonymsOf(files: readonly SourceFile[]): [name: string, libraries: string[]][] {
  const libraries = new Map<string, Set<string>>();
  for (const file of files) {
    const [, library = ''] = ofLibrary.exec(file.path) ?? [];
    for (const name of exportedNames(file)) libraries.set(name, (libraries.get(name) ?? new Set()).add(library));
  }
  return [...libraries]
    .map(([name, where]): [string, string[]] => [name, [...where].sort()])
    .filter(([, { length }]) => length > 1);
}

/** Pairs of folders right below `src` whose files import each other, as `keys: root ⇄ store`. */
function facingIn(files: readonly SourceFile[]): string[] {
  const arrows = new Set(files.flatMap(arrowsOf));
  const pairs = [...arrows].map((arrow) => arrow.split(' '));
  const back = pairs.filter(([library, from = '', to = '']) => from < to && arrows.has(`${library} ${to} ${from}`));
  return back.map(([library, from, to]) => `${library}: ${from} ⇄ ${to}`).sort();
}

/** Arrows of longer circles and those that lead there, as `keys: root → store`; folders that face each other are left out. */
function circlingIn(files: readonly SourceFile[]): string[] {
  const all = new Set(files.flatMap(arrowsOf));
  const pairs = [...all].map((arrow) => arrow.split(' ') as [library: string, from: string, to: string]);
  let arrows = pairs.filter(([library, from, to]) => !all.has(`${library} ${to} ${from}`));
  const goesOn = ([library, , to]: readonly string[]): boolean =>
    arrows.some(([other, from]) => other === library && from === to);
  while (!arrows.every(goesOn)) arrows = arrows.filter(goesOn);
  return arrows.map(([library, from, to]) => `${library}: ${from} → ${to}`).sort();
}

function arrowsOf({ path, text }: SourceFile): string[] {
  const [, library, from] = ofLibrary.exec(path) ?? [];
  return ts.preProcessFile(text).importedFiles.flatMap(({ fileName }) => {
    const target = fileName.startsWith('.') ? join(dirname(path), fileName) : '';
    const [, other, to] = ofLibrary.exec(target) ?? [];
    return from !== undefined && to !== undefined && other === library && from !== to
      ? [`${library} ${from} ${to}`]
      : [];
  });
}

const isSource = (path: string): boolean => ofLibrary.test(path) && path.endsWith('.ts') && !path.endsWith('.spec.ts');
const sources = sourceFiles(['libs'], isSource);

describe('a name', () => {
  it('is exported by one library', () => {
    expect(homonymsOf(sources)).toEqual([]);
  });

  it.each([
    'export const Same = 1;',
    'export const { a: Same } = one;',
    'export const [Same] = one;',
    'export async function Same() {}',
    'export abstract class Same {}',
    'export interface Same {}',
    'export type Same = 1;',
    'export enum Same {}',
    'class One {}\nexport { One as Same };',
  ])('is seen in: %s', (text) => {
    const one = { path: 'libs/one/src/one.ts', text: 'export const Same = 1, Own = 2;' };
    expect(homonymsOf([one, { path: 'libs/other/src/deep/other.ts', text }])).toEqual([['Same', ['one', 'other']]]);
    expect(homonymsOf([one, { path: 'libs/one/src/other.ts', text }])).toEqual([]);
  });

  it.each([
    "export { Same } from './one';",
    "export * from './one';",
    'const Same = 1;',
    'export const own = { Same: 1 };',
  ])('is none of the file in: %s', (text) => {
    expect(exportedNames({ path: 'libs/other/src/other.ts', text })).not.toContain('Same');
  });
});

describe('a folder of a library', () => {
  it('does not import one that imports it; the list of others gets shorter', () => {
    expect(facingIn(sources)).toEqual(facing);
  });

  it('is in no longer circle', () => {
    expect(circlingIn(sources)).toEqual([]);
    const circle = ['a b', 'b c', 'c a', 'c d', 'd e'].map((arrow) => {
      const [from, to] = arrow.split(' ');
      return { path: `libs/one/src/${from}/${to}.ts`, text: `import '../${to}/index';` };
    });
    expect(circlingIn(circle)).toEqual(['one: a → b', 'one: b → c', 'one: c → a']);
    expect(circlingIn(circle.slice(1))).toEqual([]);
  });

  it.each([
    "import type { A } from '../b/a';",
    "export { a } from '../b/deep/a';",
    "const a = await import('../b/a');",
  ])('is seen to import another: %s', (text) => {
    const back = { path: 'libs/one/src/b/deep/b.ts', text: "import '../../a/b';" };
    expect(facingIn([{ path: 'libs/one/src/a/a.ts', text }, back])).toEqual(['one: a ⇄ b']);
    expect(facingIn([{ path: 'libs/one/src/a.ts', text: "import './b/a';" }, back])).toEqual([]);
    expect(facingIn([{ path: 'libs/other/src/a/a.ts', text }, back])).toEqual([]);
  });
});
