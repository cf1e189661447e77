import { Linter } from 'eslint';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import tseslint from 'typescript-eslint';
import { type Breach, breaches, exempt, impure, textOf } from './breaches';

const root = join(__dirname, '../..');
const run = promisify(execFile);

interface Cruise {
  readonly totalCruised: number;
  /** `rule: file` of everything that breaks a rule, once. */
  readonly violations: readonly string[];
}

/** Runs dependency-cruiser as `npm run check:walls` does, in the repository or in a copy of it. */
async function cruise(directory: string, config: string, paths: readonly string[]): Promise<Cruise> {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const parameters = [program, '--config', config, '--output-type', 'json', ...paths];
  const { stdout } = await run(process.execPath, parameters, { cwd: directory, maxBuffer: 64 * 1024 * 1024 });
  const { summary } = JSON.parse(stdout) as {
    summary: { totalCruised: number; violations: { rule: { name: string }; from: string }[] };
  };
  const violations = new Set(summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`));
  return { totalCruised: summary.totalCruised, violations: [...violations].sort() };
}

const cruiseAll = (directory: string): Promise<Cruise> =>
  cruise(directory, '.dependency-cruiser.cjs', ['apps', 'examples', 'libs']);

async function cruiseDeciders(directory: string): Promise<Cruise> {
  const config = '.dependency-cruiser.deciders.cjs';
  const { stdout } = await run(process.execPath, [config], { cwd: directory });
  return cruise(directory, config, stdout.split(' '));
}

/** Lints files of a copy by the walls alone, as eslint.walls.cjs of the copy has them: `rule: file` of every finding, once. */
function lint(directory: string, files: readonly string[]): readonly string[] {
  const { walls } = jest.requireActual<{ walls: Linter.Config[] }>(join(directory, 'eslint.walls.cjs'));
  const parsing = { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } };
  const linter = new Linter({ cwd: directory });
  const found = files.flatMap((file) => {
    const path = join(directory, file);
    const messages = linter.verify(readFileSync(path, 'utf8'), [parsing, ...walls], { filename: path });
    return messages.map(({ ruleId, message }) => `${ruleId ?? message}: ${file}`);
  });
  return [...new Set(found)].sort();
}

describe('the walls of the house', () => {
  let copy: string;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'walls-test-'));
    const kept = [
      'apps',
      'examples',
      'libs',
      'package.json',
      'tsconfig.json',
      '.dependency-cruiser.cjs',
      '.dependency-cruiser.deciders.cjs',
      '.deciders.cjs',
      'eslint.walls.cjs',
    ];
    for (const name of kept) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(() => {
    rmSync(copy, { recursive: true, force: true });
  });

  it('have every library in their picture', () => {
    const picture =
      /```mermaid\nflowchart[^]*?```/.exec(readFileSync(join(root, 'docs/architecture/overview.md'), 'utf8'))?.[0] ??
      '';
    const missing = readdirSync(join(root, 'libs')).filter((name) => !new RegExp(`\\b${name}\\b`).test(picture));
    expect(missing).toEqual([]);
  });

  it('hold everywhere but where they are seen to break, each of them', async () => {
    for (const breach of breaches) plant(breach.file, textOf(breach));
    const { totalCruised, violations } = await cruiseAll(copy);
    expect(totalCruised).toBeGreaterThan(150);
    expect(violations).toEqual(expected('cruise'));
    const files = breaches.map(({ file }) => file);
    expect(lint(copy, [...files, ...exempt])).toEqual(expected('lint'));
  });

  it('keep deciders pure, and are seen to break by an impure one, also by what it reaches', async () => {
    for (const [file, text] of Object.entries(impure)) plant(file, text);
    const { totalCruised, violations } = await cruiseDeciders(copy);
    const deciders = Object.keys(impure).filter((file) => file !== 'libs/offers/src/planted-steps.ts');
    // Those of the product as well, one for each kind of stream at least.
    expect(totalCruised).toBeGreaterThan(4 + Object.keys(impure).length);
    expect(violations).toEqual(deciders.map((file) => `deciders-are-pure: ${file}`).sort());
  });

  it('are the last word of the linter', () => {
    const config = readFileSync(join(root, 'eslint.config.mjs'), 'utf8');
    expect(config).toMatch(/\n {2}\.\.\.walls,\n\);\n$/);
    // A rule that was configured twice would lose what the first one says.
    expect(config).not.toContain('no-restricted-');
  });

  function expected(by: Breach['by']): string[] {
    const ofIt = breaches.filter((breach) => breach.by === by);
    return ofIt.flatMap(({ file, breaks }) => breaks.map((rule) => `${rule}: ${file}`)).sort();
  }

  function plant(file: string, text: string): void {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  }
});
