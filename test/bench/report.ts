import { availableParallelism, cpus, loadavg, platform, release } from 'node:os';
import type { AppendRates } from './append-rates';
import type { FillCost, FillCosts } from './fill-costs';
import type { FlowComparison, FlowComparisons } from './flow-rates';
import type { PostgresFacts } from './postgres-facts';
import type { ReplicaRates } from './replica-rates';

export function machineLines({ version, durability }: PostgresFacts, quick: boolean): string[] {
  const settings = Object.entries(durability).map(([name, value]) => `${name} = ${value}`);
  return [
    `Sealwright benchmark${quick ? ' (quick: one short round, for a first look only)' : ''}`,
    '',
    `- Machine: ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${platform()} ${release()}`,
    `- Software: Node ${process.versions.node}, PostgreSQL ${version}`,
    `- Durability: ${settings.join(', ')}`,
    '- Service, PostgreSQL and load generator share these cores.',
    ...disturbance(loadavg()[0] ?? 0),
  ];
}

/** Other work on the machine takes its cores: rates and latencies then say more about that work. */
function disturbance(load: number): string[] {
  if (load < 0.5) return [];
  return [`- NOT A QUIET MACHINE: load average ${load.toFixed(1)} before the first measurement.`];
}

export function renderFlows({ issuing, verifying, peakMemory }: FlowComparisons): string[] {
  return [...renderFlow(issuing), ...renderFlow(verifying), `Peak memory of the service: ${whole(peakMemory)} MiB.`];
}

function renderFlow({ flow, rates }: FlowComparison): string[] {
  const perRequest = (perFlow: number | undefined) => (perFlow === undefined ? undefined : perFlow / flow.requests);
  const rows = rates.map(({ inFlight, measured, empty }) => [
    String(inFlight),
    whole(measured.perSecond),
    milliseconds(measured.p50),
    milliseconds(measured.p99),
    whole(perRequest(measured.cpu['service'])),
    whole(perRequest(measured.cpu['postgres'])),
    whole(perRequest(measured.cpu['generator'])),
    whole(empty.perSecond),
    whole(empty.cpu['service']),
    percent(measured.perSecond * flow.requests, empty.perSecond),
  ]);
  return [
    `${flow.name}, ${flow.requests} requests each:`,
    '',
    ...table(
      [
        'in flight',
        'flows/s',
        'p50 ms',
        'p99 ms',
        'service µs/req',
        'database µs/req',
        'generator µs/req',
        'empty req/s',
        'empty µs/req',
        'flow/empty',
      ],
      rows,
    ),
    '',
  ];
}

export function renderAppends(appends: readonly AppendRates[]): string[] {
  const rows = appends.map(({ callers, bare, repository }) => [
    String(callers),
    whole(bare.perSecond),
    whole(bare.cpu['node']),
    whole(bare.cpu['postgres']),
    whole(repository.perSecond),
    whole(repository.cpu['node']),
    whole(repository.cpu['postgres']),
    percent(repository.perSecond, bare.perSecond),
  ]);
  return [
    'Appends of one 1 KB event with its state, by bare SQL and through a repository:',
    '',
    ...table(
      ['callers', 'bare SQL/s', 'Node µs', 'database µs', 'repository/s', 'Node µs', 'database µs', 'ratio'],
      rows,
    ),
  ];
}

export function renderFills({ few, many }: FillCosts): string[] {
  const rows = [few, many].map(({ storedOffers, measured }) => [
    storedOffers.toLocaleString('en'),
    whole(measured.perSecond),
    milliseconds(measured.p50),
    whole(measured.cpu['service']),
    whole(measured.cpu['postgres']),
  ]);
  return [
    'Issuing flow by the number of offers stored before, 8 in flight:',
    '',
    ...table(['stored offers', 'flows/s', 'p50 ms', 'service µs/flow', 'database µs/flow'], rows),
  ];
}

export function renderReplicas(rates: readonly ReplicaRates[]): string[] {
  const rows = rates.map(({ replicas, measured }) => [
    String(replicas),
    whole(measured.perSecond),
    milliseconds(measured.p50),
    milliseconds(measured.p99),
    whole(measured.cpu['service']),
    whole(measured.cpu['postgres']),
    whole(measured.cpu['generator']),
  ]);
  return [
    'Issuing flow over replicas on one database, every request to the next replica, 32 in flight:',
    '',
    ...table(
      ['replicas', 'flows/s', 'p50 ms', 'p99 ms', 'services µs/flow', 'database µs/flow', 'generator µs/flow'],
      rows,
    ),
  ];
}

/** The aims, one line each; the verifying flow has none. */
export function renderRatios(
  { issuing: { flow, rates } }: FlowComparisons,
  appends: readonly AppendRates[],
  { few, many }: FillCosts,
): string[] {
  const many32 = appends.at(-1);
  return [
    'Ratios and aims:',
    '',
    ...rates.map(({ inFlight, measured, empty }) =>
      ratio(
        `${flow.name} / empty endpoint, ${inFlight} in flight`,
        measured.perSecond * flow.requests,
        empty.perSecond,
        '>= 45 %',
      ),
    ),
    ratio('Repository / bare SQL, 32 callers', many32?.repository.perSecond, many32?.bare.perSecond, '>= 90 %'),
    ratio('CPU of a flow, large / small store', cpuOf(many), cpuOf(few), 'about 100 %'),
    ratio('Flows/s, large / small store', many.measured.perSecond, few.measured.perSecond, 'about 100 %'),
  ];
}

export function cpuOf({ measured }: Pick<FillCost, 'measured'>): number | undefined {
  const { service, postgres } = measured.cpu;
  return service === undefined || postgres === undefined ? undefined : service + postgres;
}

export function ratio(name: string, figure: number | undefined, floor: number | undefined, aim: string): string {
  return `- ${name}: ${percent(figure, floor)} (aim: ${aim})`;
}

/** A Markdown table, laid out as Prettier leaves it. */
export function table(head: readonly string[], rows: readonly string[][]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const padded = (row: readonly string[]) => line(row.map((cell, column) => cell.padStart(widths[column] ?? 0)));
  return [padded(head), line(widths.map((width) => `${'-'.repeat(width - 1)}:`)), ...rows.map(padded)];
}

export function whole(figure: number | undefined): string {
  return figure === undefined || Number.isNaN(figure) ? 'n/a' : Math.round(figure).toLocaleString('en');
}

export function milliseconds(figure: number): string {
  return figure.toFixed(1);
}

function percent(figure: number | undefined, of: number | undefined): string {
  return figure === undefined || of === undefined ? 'n/a' : `${Math.round((100 * figure) / of)} %`;
}
