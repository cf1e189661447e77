import { startPostgres, type TestPostgres } from '../support/postgres';
import { appendRates } from './append-rates';
import { compareFlows } from './flow-rates';
import { compareFills } from './fill-costs';
import { readPostgresFacts } from './postgres-facts';
import { fullPlan, quickPlan } from './plan';
import { machineLines, renderAppends, renderFills, renderFlows, renderRatios } from './report';

async function bench(postgres: TestPostgres, quick: boolean): Promise<void> {
  const plan = quick ? quickPlan : fullPlan;
  const say = (...lines: string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);
  const database = await postgres.createDatabase();
  const facts = await readPostgresFacts(database);
  say(...machineLines(facts, quick));

  const flows = await compareFlows(await postgres.createDatabase(), facts.cpu, plan);
  say('', ...renderFlows(flows));
  const appends = [
    await appendRates(database, facts.cpu, 1, plan.appends),
    await appendRates(database, facts.cpu, 32, plan.appends),
  ];
  say('', ...renderAppends(appends));
  const fills = await compareFills(postgres, facts.cpu, plan);
  say('', ...renderFills(fills));
  say('', ...renderRatios(flows, appends, fills));
}

async function main(): Promise<void> {
  const unknown = process.argv.slice(2).filter((argument) => argument !== '--quick');
  if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join(' ')}. There is one option, --quick.`);
  const postgres = await startPostgres({ fsync: true });
  try {
    await bench(postgres, process.argv.includes('--quick'));
  } finally {
    await postgres.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
