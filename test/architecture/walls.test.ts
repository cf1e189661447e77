import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

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
  cruise(directory, '.dependency-cruiser.cjs', ['apps', 'libs']);

async function cruiseDeciders(directory: string): Promise<Cruise> {
  const config = '.dependency-cruiser.deciders.cjs';
  const { stdout } = await run(process.execPath, [config], { cwd: directory });
  return cruise(directory, config, stdout.split(' '));
}

interface Breach {
  readonly what: string;
  readonly file: string;
  readonly imports: string;
  readonly breaks: readonly string[];
}

const breaches: readonly Breach[] = [
  {
    what: 'a module past the door of another',
    file: 'libs/offers/src/planted.ts',
    imports: '@app/templates/src/template',
    breaks: ['libraries-are-entered-by-their-door'],
  },
  {
    what: 'a module past the door of another, by a relative path',
    file: 'libs/issuance/src/planted-relative.ts',
    imports: '../../offers/src/offer',
    breaks: ['libraries-are-entered-by-their-door'],
  },
  {
    what: 'a module at the Nest module of another',
    file: 'libs/issuance/src/planted-module.ts',
    imports: '@app/offers/src/offers.module',
    breaks: ['libraries-are-entered-by-their-door'],
  },
  {
    what: 'a new library past the door of a module',
    file: 'libs/newlib/src/index.ts',
    imports: '@app/templates/src/template',
    breaks: ['imports-go-down', 'libraries-are-entered-by-their-door', 'platform-knows-no-module'],
  },
  {
    what: 'a new module that has no floor',
    file: 'libs/newmodule/src/api.ts',
    imports: '@app/offers',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a module that imports one above it',
    file: 'libs/templates/src/planted.ts',
    imports: '@app/offers',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a module that imports its neighbour',
    file: 'libs/verification/src/planted.ts',
    imports: '@app/offers',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a library that looks up',
    file: 'libs/web/src/planted.ts',
    imports: '@app/http',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a library of the ground that imports another',
    file: 'libs/json/src/planted.ts',
    imports: '@app/jose',
    breaks: ['imports-go-down'],
  },
  {
    what: 'a platform library that knows a module',
    file: 'libs/http/src/planted.ts',
    imports: '@app/templates',
    breaks: ['imports-go-down', 'platform-knows-no-module'],
  },
  {
    what: 'a library that knows an app',
    file: 'libs/time/src/planted.ts',
    imports: '../../../apps/server/src/version',
    breaks: ['libraries-do-not-know-apps'],
  },
  {
    what: 'an app in a private file of a module',
    file: 'apps/server/src/planted.ts',
    imports: '@app/offers/src/offer-secrets',
    breaks: ['apps-only-compose'],
  },
  {
    what: 'an app in a private file of another app',
    file: 'apps/demo/src/planted.ts',
    imports: '../../wallet/src/holder-key',
    breaks: ['apps-only-compose'],
  },
  {
    what: 'the root key by a deep import',
    file: 'libs/offers/src/planted-key.ts',
    imports: '@app/keys/src/root-key',
    breaks: ['libraries-are-entered-by-their-door', 'root-key-stays-in-keys'],
  },
  {
    what: 'fixtures in the program',
    file: 'libs/offers/src/planted-fixture.ts',
    imports: '@app/keys/fixtures/root-keys',
    breaks: ['fixtures-are-for-tests'],
  },
  {
    what: 'jose inside issuance',
    file: 'libs/issuance/src/planted-jose.ts',
    imports: 'jose',
    breaks: ['jose-stays-in-its-libraries'],
  },
  {
    what: 'a file system in openid4vc',
    file: 'libs/openid4vc/src/planted.ts',
    imports: 'node:fs',
    breaks: ['openid4vc-is-pure'],
  },
  {
    what: 'server code in the wallet',
    file: 'apps/wallet/src/planted.ts',
    imports: '@app/openid4vc',
    breaks: ['clients-share-no-server-code'],
  },
  {
    what: 'server code in the console',
    file: 'apps/console/src/planted.ts',
    imports: '@app/problem-details',
    breaks: ['clients-share-no-server-code'],
  },
  {
    what: 'an import of nothing',
    file: 'libs/keys/src/planted.ts',
    imports: './nowhere',
    breaks: ['no-unresolved'],
  },
  // A cycle is reported once, from the first of its files.
  { what: 'a cycle', file: 'libs/outbound/src/planted-back.ts', imports: './planted', breaks: ['no-cycles'] },
  { what: 'its other half', file: 'libs/outbound/src/planted.ts', imports: './planted-back', breaks: [] },
];

const decider = (specifier: string): string =>
  `import type { OfferEvent } from './offer';
import * as planted from '${specifier}';
export const use = planted;
export const decide = (): OfferEvent[] => [];
`;

const importing = (specifier: string): string =>
  `import * as planted from '${specifier}';\nexport const use = planted;\n`;

/** Impure deciders and what they reach, by path. */
const impure: Readonly<Record<string, string>> = {
  'libs/offers/src/planted-clock.ts': decider('./planted-steps'),
  'libs/offers/src/planted-steps.ts': importing('node:fs'),
  'libs/offers/src/planted-hash.ts': decider('node:crypto'),
  'libs/offers/src/planted-nest.ts': decider('@nestjs/common'),
  'libs/offers/src/planted-keys.ts': decider('@app/keys'),
};

describe('the walls of the house', () => {
  let copy: string;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'walls-test-'));
    const kept = [
      'apps',
      'libs',
      'package.json',
      'tsconfig.json',
      '.dependency-cruiser.cjs',
      '.dependency-cruiser.deciders.cjs',
    ];
    for (const name of kept) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(() => {
    rmSync(copy, { recursive: true, force: true });
  });

  it('have every library in their picture', () => {
    const picture =
      /```mermaid\nflowchart[^]*?```/.exec(readFileSync(join(root, 'docs/architecture.md'), 'utf8'))?.[0] ?? '';
    const missing = readdirSync(join(root, 'libs')).filter((name) => !new RegExp(`\\b${name}\\b`).test(picture));
    expect(missing).toEqual([]);
  });

  it('hold everywhere but where they are seen to break, each of them', async () => {
    for (const { file, imports } of breaches) plant(file, importing(imports));
    const { totalCruised, violations } = await cruiseAll(copy);
    expect(totalCruised).toBeGreaterThan(150);
    const broken = (path: string): string[] =>
      violations.flatMap((violation) => (violation.endsWith(`: ${path}`) ? violation.split(':', 1) : []));
    const found = Object.fromEntries(breaches.map(({ what, file }) => [what, broken(file)]));
    expect(found).toEqual(Object.fromEntries(breaches.map(({ what, breaks }) => [what, breaks])));
    expect(violations).toHaveLength(Object.values(found).flat().length);
  }, 90_000);

  it('keep deciders pure, and are seen to break by an impure one, also by what it reaches', async () => {
    for (const [file, text] of Object.entries(impure)) plant(file, text);
    const { totalCruised, violations } = await cruiseDeciders(copy);
    const deciders = Object.keys(impure).filter((file) => file !== 'libs/offers/src/planted-steps.ts');
    // Those of the product as well, one for each kind of stream at least.
    expect(totalCruised).toBeGreaterThan(4 + Object.keys(impure).length);
    expect(violations).toEqual(deciders.map((file) => `deciders-are-pure: ${file}`).sort());
  }, 90_000);

  function plant(file: string, text: string): void {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  }
});
