import { dirname, relative } from 'node:path';
import ts from 'typescript';
import { sourceFiles } from '../support/repository/source-files';

const isSource = (path: string): boolean => /\.tsx?$/.test(path);

describe('a source file', () => {
  const isWritten = (path: string): boolean => isSource(path) && !path.endsWith('/management-api.ts');
  const all = sourceFiles(['apps', 'examples', 'libs', 'test'], isWritten);

  it('is one of many', () => {
    expect(all.length).toBeGreaterThan(150);
  });

  it('has at most 400 lines', () => {
    const lengths = all.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    expect(lengths.filter(({ lines }) => lines > 400)).toEqual([]);
  });

  it('is short in the examples of a wallet and of a demonstration, which leave the protocols to libraries', () => {
    const written = all.filter(({ path }) => /^examples\/(wallet|demo)\//.test(path) && !path.endsWith('.spec.ts'));
    expect(written.reduce((lines, { text }) => lines + text.split('\n').length - 1, 0)).toBeLessThan(2_510);
  });

  it('reads the environment in libs/config only', () => {
    const readers = sourceFiles(['apps', 'libs'], isSource).filter(({ text }) =>
      /\bprocess\s*\.\s*env\b|\bprocess\[['"]env/.test(text),
    );
    const strangers = readers.filter(({ path }) => !path.startsWith('libs/config/'));
    expect(strangers.map(({ path }) => path)).toEqual([]);
    expect(readers.map(({ path }) => path)).toContain('libs/config/src/traces-environment.ts');
  });

  it('is in no catch-all folder', () => {
    const odd = /(^|\/)(utils?|common|shared|helpers?|base|managers?)(\/|\.ts$)/;
    expect(all.map(({ path }) => path).filter((path) => odd.test(path.replace(/^(libs|apps|test)\//, '')))).toEqual([]);
  });

  it('is compiled for benchmarks as it is for the service', () => {
    const built = compiledBy('tsconfig.build.json');
    expect(built).toContain('apps/server/src/main.ts');
    expect(compiledBy('test/bench/tsconfig.json').filter((path) => !path.startsWith('test/'))).toEqual(built);
  });
});

/** Paths from the root of the repository. */
function compiledBy(project: string): string[] {
  const { config } = ts.readConfigFile(project, (path) => ts.sys.readFile(path)) as { config: unknown };
  const { fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(project));
  return fileNames.map((path) => relative('.', path)).sort();
}
