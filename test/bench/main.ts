import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres, type TestPostgres } from '../support/database/postgres';
import { appendRates } from './append-rates';
import { buildCosts } from './build-costs';
import { renderChart } from './chart';
import { cpuOfOthers } from './cpu';
import { compare, contendersOf } from './flow-rates';
import { embeddedCosts } from './embedded-costs';
import { floorNodes } from './floors';
import { formatCosts } from './format-costs';
import { growth } from './growth';
import { importCosts } from './imports';
import { mixed } from './mixed';
import { comparePeers } from './peers';
import { fullPlan, inFlight, type Plan, quickPlan } from './plan';
import { type PostgresFacts, readPostgresFacts } from './postgres-facts';
import { compareReplicas } from './replica-rates';
import * as report from './report';
import { signerRates } from './signer-rates';
import { statusLists } from './status-lists';
import { storeRates } from './store-rates';
import { tenantCosts } from './tenants';
import { root } from './service-process';
import { type Section, withFigures } from './written-figures';

interface Bench {
  readonly postgres: TestPostgres;
  readonly facts: PostgresFacts;
  readonly plan: Plan;
  /** To which the store grows. */
  readonly events: number;
  /** Of a file that is imported. */
  readonly rows: number;
}

interface Result {
  readonly sections: readonly Section[];
  /** SVG. */
  readonly chart?: string;
}

const modes: Readonly<Record<string, (bench: Bench) => Promise<Result>>> = {
  async flows({ postgres, facts, plan }) {
    const rates = await compare(await contendersOf(postgres, plan), facts.cpu, plan, inFlight);
    const appends = await appendRates(await postgres.createDatabase(), facts.cpu, plan);
    return sections({ flows: report.renderFlows(rates), appends: report.renderAppends(appends) });
  },
  async peers({ postgres, facts, plan }) {
    const rates = await comparePeers(postgres, facts.cpu, plan);
    const lines = { goals: report.renderGoals(rates), peers: report.renderFlows(rates) };
    return { ...sections(lines), chart: renderChart(rates) };
  },
  async mixed({ postgres, facts, plan }) {
    return sections({ mixed: report.renderMixed(await mixed(postgres, facts.cpu, plan)) });
  },
  async growth({ postgres, facts, plan, events }) {
    return sections({ growth: report.renderGrowth(await growth(postgres, facts.cpu, plan, events)) });
  },
  async replicas({ postgres, facts, plan }) {
    const rates = await compareReplicas(await postgres.createDatabase(), facts.cpu, plan);
    return sections({ replicas: report.renderReplicas(rates) });
  },
  async status({ postgres, facts, plan }) {
    return sections({ status: report.renderStatusLists(await statusLists(postgres, facts.cpu, plan)) });
  },
  async signers({ postgres, facts, plan }) {
    return sections({ signers: report.renderSigners(await signerRates(postgres, facts.cpu, plan)) });
  },
  async tenants({ postgres, facts, plan }) {
    const tenants = report.renderTenants(await tenantCosts(postgres, facts.cpu, plan));
    return sections({ tenants, stores: report.renderStores(await storeRates(plan)) });
  },
  async builds({ postgres, facts, plan }) {
    const before = process.env['BENCH_BEFORE'];
    if (before === undefined) throw new Error('Set BENCH_BEFORE to another checkout that is built.');
    return sections({ builds: report.renderBuilds(await buildCosts(postgres, facts.cpu, { before, plan })) });
  },
  async formats({ postgres, facts, plan }) {
    return sections({ formats: report.renderFormats(await formatCosts(postgres, facts.cpu, plan)) });
  },
  async imports({ postgres, facts, plan, rows }) {
    return sections({ imports: report.renderImports(await importCosts(postgres, facts.cpu, plan, rows)) });
  },
  async embedded({ postgres, facts, plan }) {
    const database = await postgres.createDatabase();
    return sections({ embedded: await embeddedCosts(database, facts.cpu, plan, process.env['BENCH_BEFORE']) });
  },
};

function sections(lines: Readonly<Record<string, string[]>>): Result {
  return { sections: Object.entries(lines).map(([name, own]) => ({ name, lines: own })) };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      events: { type: 'string', default: '3000000' },
    },
  });
  const [name = 'flows', ...more] = positionals;
  const mode = modes[name];
  if (!mode || more.length > 0)
    throw new Error(
      `Name one of ${Object.keys(modes).join(', ')}; options are --quick, --write and --events <number>.`,
    );
  const postgres = await startPostgres({ fsync: true });
  try {
    const facts = await readPostgresFacts(await postgres.createDatabase());
    const others = cpuOfOthers([process.pid, ...(facts.postmaster === undefined ? [] : [facts.postmaster])]);
    const refusals: string[] = [];
    const plan: Plan = {
      ...(values.quick ? quickPlan : fullPlan),
      others,
      note: (line) => void process.stderr.write(`${line}\n`),
      refused: (line) => void refusals.push(line),
    };
    const isWatched = others() !== undefined;
    const head = report.conditions(facts, floorNodes(), {
      quick: values.quick,
      isWatched,
      isTolerant: ['signers', 'formats', 'imports'].includes(name),
    });
    process.stdout.write(`${head}\n\n`);
    const { sections, chart } = await mode({
      ...{ postgres, facts, plan },
      ...{ events: Number(values.events), rows: values.quick ? 2_000 : 10_000 },
    });
    for (const { lines } of sections) process.stdout.write(`${lines.join('\n')}\n\n`);
    if (refusals.length > 0) {
      throw new Error(
        `No figure where there is none (n/a)${values.write ? ', and nothing was written' : ''}:\n${refusals.join('\n')}`,
      );
    }
    if (values.write) {
      write(
        sections.map((section) => ({ ...section, lines: [head, '', ...section.lines] })),
        chart,
      );
    }
  } finally {
    await postgres.stop();
  }
}

/** Into docs/performance.md and its chart. */
function write(sections: readonly Section[], chart: string | undefined): void {
  const page = join(root, 'docs/performance.md');
  writeFileSync(page, sections.reduce(withFigures, readFileSync(page, 'utf8')));
  if (chart !== undefined) writeFileSync(join(root, 'docs/performance.svg'), chart);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
