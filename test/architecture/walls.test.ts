import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');

interface Cruise {
  readonly totalCruised: number;
  /** `rule: file` of everything that breaks a rule. */
  readonly violations: readonly string[];
}

/** Runs dependency-cruiser as `npm run check:walls` does, in the repository or in a copy of it. */
function cruise(directory: string): Promise<Cruise> {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  return new Promise((resolve, reject) => {
    const parameters = [program, 'apps', 'libs', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
    const options = { cwd: directory, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, parameters, options, (_failed, stdout, stderr) => {
      try {
        const { summary } = JSON.parse(stdout) as {
          summary: { totalCruised: number; violations: { rule: { name: string }; from: string }[] };
        };
        const violations = summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
        resolve({ totalCruised: summary.totalCruised, violations });
      } catch {
        reject(new Error(`dependency-cruiser gave no result: ${stderr}`));
      }
    });
  });
}

/** One file for each wall, which climbs over it. */
const planted: Record<string, { readonly file: string; readonly imports: string }> = {
  'offers-meets-others-at-their-door': { file: 'libs/offers/src/planted.ts', imports: '@app/templates/src/template' },
  'issuance-meets-others-at-their-door': { file: 'libs/issuance/src/planted.ts', imports: '../../offers/src/offer' },
  'templates-imports-one-way': { file: 'libs/templates/src/planted.ts', imports: '@app/offers' },
  'verification-imports-one-way': { file: 'libs/verification/src/planted.ts', imports: '@app/offers' },
  'platform-knows-no-module': { file: 'libs/http/src/planted.ts', imports: '@app/templates' },
  'libraries-do-not-know-apps': { file: 'libs/time/src/planted.ts', imports: '../../../apps/server/src/version' },
  'openid4vc-is-pure': { file: 'libs/openid4vc/src/planted.ts', imports: 'node:fs' },
  'wallet-shares-no-server-code': { file: 'apps/wallet/src/planted.ts', imports: '@app/openid4vc' },
  'no-unresolved': { file: 'libs/keys/src/planted.ts', imports: './nowhere' },
  'no-cycles': { file: 'libs/outbound/src/planted.ts', imports: './planted-back' },
};

describe('the walls between modules', () => {
  it('hold, and the check has seen the code', async () => {
    const { totalCruised, violations } = await cruise(root);
    expect(violations).toEqual([]);
    expect(totalCruised).toBeGreaterThan(150);
  }, 60_000);

  it('are seen to break, each of them', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'walls-test-'));
    try {
      const kept = ['apps', 'libs', 'package.json', 'tsconfig.json', '.dependency-cruiser.cjs'];
      for (const name of kept) cpSync(join(root, name), join(copy, name), { recursive: true });
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
      for (const { file, imports } of Object.values(planted)) {
        writeFileSync(join(copy, file), `import * as planted from '${imports}';\nexport const use = planted;\n`);
      }
      const back = `import { use } from './planted';\nexport const back = use;\n`;
      writeFileSync(join(copy, 'libs/outbound/src/planted-back.ts'), back);
      const { violations } = await cruise(copy);
      // A cycle is told once, from one of its files.
      const places = violations.map((violation) => violation.replace(/\/[^/]+$/, ''));
      const expected = Object.entries(planted).map(([rule, { file }]) => `${rule}: ${dirname(file)}`);
      expect(places.sort()).toEqual(expected.sort());
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }, 90_000);
});
