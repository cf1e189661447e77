import { sealwright, sealwrightWith } from './command-line';

export interface Finding {
  readonly check: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly remedy?: string;
}

/**
 * What the doctor finds, by check.
 * @param directory where it runs in a process of its own; without, it runs in that of the tests
 */
export async function examine(settings: Record<string, string>, directory?: string) {
  const { code, stdout, stderr } = await (directory === undefined
    ? sealwrightWith(settings, ['doctor', '--json'])
    : sealwright(['doctor', '--json'], settings, directory));
  expect(stderr).toBe('');
  expect(stdout).not.toContain('Canary');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  expect(code).toBe(ok ? 0 : 1);
  expect(ok).toBe(!findings.some(({ outcome }) => outcome === 'fail'));
  for (const { outcome, remedy } of findings) expect(remedy === undefined).toBe(outcome === 'ok');
  return {
    ok,
    findings,
    of: (check: string) => findings.find((finding) => finding.check === check),
    failed: findings.filter(({ outcome }) => outcome === 'fail').map(({ check }) => check),
  };
}
