import { availableParallelism, cpus } from 'node:os';
import type { AppendRates } from './append-rates';
import type { BuildCosts } from './build-costs';
import type { Memory } from './contenders';
import { type FlowRates, floor, service } from './flow-rates';
import type { Growth } from './growth';
import type { Measured } from './load';
import type { Mixed } from './mixed';
import { mostInFlight } from './plan';
import type { PostgresFacts } from './postgres-facts';
import type { ReplicaRates } from './replica-rates';
import type { StatusFigures } from './status-lists';

/** Under which conditions the figures below it were measured. @param free share of the cores that other work left before */
export function conditions({ version, durability }: PostgresFacts, free: number, quick: boolean): string {
  const settings = Object.entries(durability).map(([name, value]) => `${name} ${value}`);
  return [
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}) shared by`,
    `servers, PostgreSQL and load generator, Node ${process.versions.node}, PostgreSQL ${version} (${settings.join(', ')}),`,
    `${quick ? 'short rounds (`--quick`)' : 'full rounds'}; other work left ${Math.round(100 * free)} % of the cores before`,
    // Rates and latencies then say more about the other work.
    free > 0.9 ? '(a quiet machine).' : '(**not a quiet machine**).',
  ].join(' ');
}

export function renderFlows({ rates, memory }: FlowRates): string[] {
  const rows = rates.flatMap(({ flow, inFlight, measured }) =>
    [...measured].map(([name, figures]) => [
      flow,
      String(inFlight),
      name,
      ...rateOf(figures),
      ...cpuOf(figures, 'service', 'postgres', 'generator'),
      percent(figures.perSecond, measured.get(floor)?.perSecond),
    ]),
  );
  const cpu = ['service µs', 'database µs', 'generator µs'];
  return [
    ...table(['flow', 'in flight', 'server', 'flows/s', 'p50 ms', 'p99 ms', ...cpu, 'of the floor'], rows),
    '',
    ...table(
      ['server', 'peak MiB', 'idle MiB'],
      [...memory].map(([name, { peak, idle }]) => [name, whole(peak), whole(idle)]),
    ),
  ];
}

/** What one run of the service, its floor and its peers has to show. */
export function renderGoals({ rates }: FlowRates): string[] {
  const of = (inFlight: number, name: string) =>
    rates.find((rate) => rate.flow === 'issuing' && rate.inFlight === inFlight)?.measured.get(name);
  const own = of(mostInFlight, service);
  const times = (name: string) => (own?.perSecond ?? NaN) / (of(mostInFlight, name)?.perSecond ?? NaN);
  const goals: readonly [string, string, number, boolean][] = [
    ['service CPU of an issuing flow, ms', 'at most 1.9', (own?.cpu['service'] ?? NaN) / 1000, false],
    ['database CPU of an issuing flow, ms', 'at most 0.5', (own?.cpu['postgres'] ?? NaN) / 1000, false],
    ['issuing flows/s, of the bare floor', 'at least 0.5', times(floor), true],
    ['issuing flows/s, of Sphereon in memory', 'at least 1.0', times('Sphereon'), true],
    ['issuing flows/s, of Credo in memory', 'at least 5.0', times('Credo'), true],
    ['issuing flow of a lone wallet, ms', 'at most 6.0', of(1, service)?.p50 ?? NaN, false],
  ];
  const rows = goals.map(([what, goal, figure, isFloor]) => {
    const limit = Number(/[\d.]+$/.exec(goal)?.[0]);
    const isReached = isFloor ? figure >= limit : figure <= limit;
    return [what, goal, figure.toFixed(2), isReached ? 'reached' : 'not reached'];
  });
  return table(['figure', 'goal', 'measured', 'result'], rows);
}

export function renderAppends(appends: readonly AppendRates[]): string[] {
  const rows = appends.map(({ callers, bare, repository }) => [
    String(callers),
    whole(bare.perSecond),
    ...cpuOf(bare, 'node', 'postgres'),
    whole(repository.perSecond),
    ...cpuOf(repository, 'node', 'postgres'),
    percent(repository.perSecond, bare.perSecond),
  ]);
  const cpu = ['Node µs', 'database µs'];
  return table(['callers', 'bare SQL/s', ...cpu, 'repository/s', ...cpu, 'of the floor'], rows);
}

export function renderMixed({ measured, latencies: { alone, together }, memory }: Mixed): string[] {
  const kinds = [...together].map(([kind, { requests, p50, p99 }]) => {
    const without = alone.get(kind);
    const before = without ? [milliseconds(without.p50), milliseconds(without.p99)] : ['', ''];
    return [kind, whole(requests), ...before, milliseconds(p50), milliseconds(p99)];
  });
  const flows = Object.entries(measured).map(([name, figures]) => [
    name === 'alone' ? 'flows' : 'flows, lists and results',
    ...rateOf(figures),
    ...cpuOf(figures, 'service', 'postgres'),
  ]);
  return [
    ...table(['load', 'flows/s', 'p50 ms', 'p99 ms', 'service µs/flow', 'database µs/flow'], flows),
    '',
    ...table(['request', 'requests', 'p50 alone', 'p99 alone', 'p50 beside lists', 'p99 beside lists'], kinds),
    '',
    memoryLine(memory),
  ];
}

export function renderGrowth({ steps, perCredential, perVerification, fillPerSecond, memory }: Growth): string[] {
  const rows = steps.map(({ events, bytes, measured: { issuing, verifying, floor, list } }) => [
    whole(events),
    (bytes / 2 ** 30).toFixed(2),
    whole(issuing.perSecond),
    ...cpuOf(issuing, 'service', 'postgres'),
    percent(issuing.perSecond, floor.perSecond),
    whole(verifying.perSecond),
    ...cpuOf(verifying, 'service', 'postgres'),
    milliseconds(list.p50),
  ]);
  const cpu = ['service µs', 'database µs'];
  return [
    ...table(['events', 'GiB', 'issuing/s', ...cpu, 'of the floor', 'verifying/s', ...cpu, 'page p50 ms'], rows),
    '',
    `On disk, with indexes and audit: ${whole(perCredential)} bytes for an issued credential, ${whole(perVerification)} for a ` +
      `verification. The store was filled with ${whole(fillPerSecond)} events a second.`,
    '',
    memoryLine(memory),
  ];
}

export function renderBuilds(costs: BuildCosts): string[] {
  const rows = Object.entries(costs).map(([name, figures]) => {
    const { service = NaN, postgres = NaN } = figures.cpu;
    return [name, ...rateOf(figures), ...cpuOf(figures, 'service', 'postgres'), whole(service + postgres)];
  });
  const cpu = ['service µs/flow', 'database µs/flow', 'together µs/flow'];
  return table(['flow, 8 in flight', 'flows/s', 'p50 ms', 'p99 ms', ...cpu], rows);
}

export function renderStatusLists({ lists, reach, issuing }: StatusFigures): string[] {
  const rebuilt = lists.map(({ changed, rebuilt, again, bytes }) =>
    [changed, rebuilt, again, bytes / 1024].map((figure, place) =>
      place === 0 ? whole(figure) : milliseconds(figure),
    ),
  );
  const costs = Object.entries(issuing).map(([name, figures]) => {
    const { service = NaN, postgres = NaN } = figures.cpu;
    return [name, ...rateOf(figures), ...cpuOf(figures, 'service', 'postgres'), whole(service + postgres)];
  });
  const cpu = ['service µs/flow', 'database µs/flow', 'together µs/flow'];
  return [
    ...table(['changed entries of 1,048,576', 'rebuilt and signed, ms', '1,000 more, ms', 'token, KiB'], rebuilt),
    '',
    `1,000 revocations by one request: answered after ${whole(reach.answered)} ms, all of them in the list that another ` +
      `replica serves ${whole(reach.served)} ms after that.`,
    '',
    ...table(['issuing flow, 8 in flight', 'flows/s', 'p50 ms', 'p99 ms', ...cpu], costs),
  ];
}

export function renderReplicas(rates: readonly ReplicaRates[]): string[] {
  const rows = rates.map(({ replicas, measured }) => [
    String(replicas),
    ...rateOf(measured),
    ...cpuOf(measured, 'service', 'postgres', 'generator'),
  ]);
  const cpu = ['services µs/flow', 'database µs/flow', 'generator µs/flow'];
  return table(['replicas', 'flows/s', 'p50 ms', 'p99 ms', ...cpu], rows);
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

function memoryLine({ peak, idle }: Memory): string {
  return `Memory of the service: ${whole(peak)} MiB at its peak, ${whole(idle)} MiB after a time without requests.`;
}

function rateOf({ perSecond, p50, p99 }: Measured): string[] {
  return [whole(perSecond), milliseconds(p50), milliseconds(p99)];
}

function cpuOf({ cpu }: Measured, ...names: readonly string[]): string[] {
  return names.map((name) => whole(cpu[name]));
}

function milliseconds(figure: number): string {
  return figure.toFixed(1);
}

function percent(figure: number, of: number | undefined): string {
  return of === undefined ? 'n/a' : `${Math.round((100 * figure) / of)} %`;
}
