import { installationWithJit, startPostgres, type TestPostgres } from '../support/database/postgres';
import { appendRates } from './append-rates';
import { buildCosts } from './build-costs';
import { renderBuilds } from './build-report';
import { checkCosts } from './check-costs';
import { renderChecks } from './check-report';
import { compareFlows } from './flow-rates';
import { compareFills } from './fill-costs';
import { type PostgresFacts, readPostgresFacts } from './postgres-facts';
import { fullPlan, type Plan, quickPlan } from './plan';
import { pagingCosts } from './paging-costs';
import { renderPaging } from './paging-report';
import { compareReplicas } from './replica-rates';
import { machineLines, renderAppends, renderFills, renderFlows, renderRatios, renderReplicas } from './report';
import { stateCosts } from './state-costs';
import { renderStates } from './state-report';

type Say = (...lines: string[]) => void;

async function benchAll(postgres: TestPostgres, database: string, facts: PostgresFacts, plan: Plan, say: Say) {
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
  const words = process.argv.slice(2);
  const unknown = words.filter(
    (word) => !['--quick', 'replicas', 'paging', 'states', 'checks', 'builds'].includes(word),
  );
  if (unknown.length > 0)
    throw new Error(
      `Unknown: ${unknown.join(' ')}. There are "replicas", "paging", "states", "checks", "builds" and --quick.`,
    );
  const quick = words.includes('--quick');
  const plan = quick ? quickPlan : fullPlan;
  const say: Say = (...lines) => void process.stdout.write(`${lines.join('\n')}\n`);
  // A server that compiles statements shows what that costs.
  const installation = words.includes('states') ? installationWithJit() : undefined;
  const postgres = await startPostgres({ fsync: true, installation });
  try {
    const database = await postgres.createDatabase();
    const facts = await readPostgresFacts(database);
    say(...machineLines(facts, quick));
    if (words.includes('replicas')) say('', ...renderReplicas(await compareReplicas(database, facts.cpu, plan)));
    else if (words.includes('paging')) say('', ...renderPaging(await pagingCosts(database, facts.cpu, plan)));
    else if (words.includes('states')) say('', ...renderStates(await stateCosts(postgres, facts.cpu, plan)));
    else if (words.includes('builds')) {
      const before = process.env['BENCH_BEFORE'];
      if (before === undefined) throw new Error('Set BENCH_BEFORE to another checkout that is built.');
      say('', ...renderBuilds(await buildCosts(postgres, facts.cpu, { before, plan })));
    } else if (words.includes('checks')) say('', ...renderChecks(await checkCosts(postgres, plan)));
    else await benchAll(postgres, database, facts, plan, say);
  } finally {
    await postgres.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
