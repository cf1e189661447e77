import type { Command } from 'commander';
import { examine } from './doctor/examination';
import type { Finding } from './doctor/finding';
import { type OfTenant, tenantOption } from './tenant';

const outcomes = ['ok', 'warn', 'fail'] as const;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Diagnoses a service: its settings, public URL, documents, database and keys.')
    .option('--json', 'print {"ok", "findings"} as JSON instead of lines')
    .addOption(tenantOption())
    .addHelpText('after', '\nExample:\n  sealwright doctor')
    .action(({ json, tenant }: OfTenant & { json?: true }) => doctor(json === true, tenant));
}

async function doctor(asJson: boolean, tenant: string | undefined): Promise<void> {
  const findings: Finding[] = [];
  await examine((finding) => {
    findings.push(finding);
    if (!asJson) process.stdout.write(linesOf(finding));
  }, tenant);
  const healthy = !findings.some(({ outcome }) => outcome === 'fail');
  const counts = outcomes.map((each) => `${findings.filter(({ outcome }) => outcome === each).length} ${each}`);
  process.stdout.write(
    asJson ? `${JSON.stringify({ ok: healthy, findings }, undefined, 2)}\n` : `${counts.join(', ')}\n`,
  );
  // The findings have said it; a message on stderr would say it twice.
  if (!healthy) process.exitCode = 1;
}

function linesOf({ check, outcome, found, remedy }: Finding): string {
  const todo = remedy === undefined ? '' : `      ${' '.repeat(32)}${remedy}\n`;
  return `${outcome.padEnd(4)}  ${check.padEnd(30)}  ${found}\n${todo}`;
}
