import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { sourceFiles } from '../support/repository/source-files';

const root = join(__dirname, '../..');

/** Entry points below a package's name that its documentation gives, where the package has no list of exports. */
const documented = new Set(['ajv/dist/2019', 'ajv/dist/2020']);

interface PackageManifest {
  readonly browser?: unknown;
  readonly exports?: Readonly<Record<string, unknown>> | string;
}

function manifestOf(name: string): PackageManifest | undefined {
  const path = join(root, 'node_modules', name, 'package.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as PackageManifest) : undefined;
}

/** Whether the path below a package's name is one that the package gives to others. */
function isPublic(specifier: string): boolean {
  const [, name = '', below] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (below === undefined || builtinModules.includes(specifier) || documented.has(specifier)) return true;
  const { exports, browser } = manifestOf(name) ?? {};
  // Node.js itself refuses what is not in the list of exports.
  return exports !== undefined || below === browser || below === 'package.json';
}

function importedIn(text: string): string[] {
  const patterns = [/\bfrom '([^']+)'/g, /\b(?:import|require|resolve|module)(?:\(| )'([^']+)'/g];
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([, specifier = '']) => specifier))
    .filter((specifier) => !/^(\.|node:|@app\/)/.test(specifier));
}

const sources = sourceFiles(['apps', 'examples', 'libs', 'test'], (path) => /\.(ts|js)$/.test(path));

describe('what the code imports of a package', () => {
  it('is a public entry point', () => {
    const hidden = sources.flatMap(({ path, text }) =>
      importedIn(text)
        .filter((specifier) => !isPublic(specifier))
        .map((specifier) => `${path}: ${specifier}`),
    );
    expect(hidden).toEqual([]);
  });

  it('is seen by this test', () => {
    expect(importedIn(`import { a } from 'b';\nconst c = require('d');\nimport 'e';`)).toEqual(['b', 'd', 'e']);
    expect(isPublic('class-transformer/cjs/storage')).toBe(false);
    expect(isPublic('@nestjs/common/constants')).toBe(false);
    expect(isPublic('@nestjs/common')).toBe(true);
    expect(isPublic('kubernetes-models/apps/v1')).toBe(true);
  });
});
