import { availableParallelism, cpus, loadavg, platform, release } from 'node:os';
import type { AppendRates } from './append-rates';
import type { FillCost } from './fill-costs';
import type { FlowComparison } from './flow-rates';
import { requestsPerFlow } from './issuing-flow';
import type { PostgresFacts } from './postgres-facts';

export function machineLines({ version, durability }: PostgresFacts, quick: boolean): string[] {
  return [
    `Sealwright benchmark${quick ? ' (quick: one short round, for a first look only)' : ''}`,
    `machine     ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${platform()} ${release()}`,
    `software    Node ${process.versions.node}, PostgreSQL ${version}`,
    `durability  ${Object.entries(durability)
      .map(([name, value]) => `${name} = ${value}`)
      .join(', ')}`,
    'Service, PostgreSQL and load generator share these cores.',
    ...disturbance(loadavg()[0] ?? 0),
  ];
}

/** Work that goes on beside the benchmark takes its cores: rates and latencies then say more about that work. */
function disturbance(load: number): string[] {
  if (load < 0.5) return [];
  return [`NOT A QUIET MACHINE: load average ${load.toFixed(1)} before the first measurement.`];
}

export function renderFlow({ rates, peakMemory }: FlowComparison): string[] {
  const rows = rates.map(({ inFlight, flow, empty }) => [
    String(inFlight),
    whole(flow.perSecond),
    whole(flow.perSecond * requestsPerFlow),
    milliseconds(flow.p50),
    milliseconds(flow.p99),
    whole(perRequest(flow.cpu['service'])),
    whole(perRequest(flow.cpu['postgres'])),
    whole(perRequest(flow.cpu['generator'])),
    whole(empty.perSecond),
    whole(empty.cpu['service']),
    percent(flow.perSecond * requestsPerFlow, empty.perSecond),
  ]);
  return [
    `Issuing flow, ${requestsPerFlow} requests each, from handing in the data to the credential; CPU in µs per request`,
    ...table(
      [
        'in flight',
        'flows/s',
        'requests/s',
        'p50 ms',
        'p99 ms',
        'service',
        'database',
        'generator',
        'empty req/s',
        'empty CPU',
        'flow/empty',
      ],
      rows,
    ),
    `Peak memory of the service: ${whole(peakMemory)} MiB`,
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
    'Appends of one 1 KB event with its state; CPU in µs per append',
    ...table(['callers', 'bare SQL/s', 'Node', 'database', 'repository/s', 'Node', 'database', 'ratio'], rows),
  ];
}

export function renderFills(fills: readonly FillCost[]): string[] {
  const rows = fills.map(({ storedOffers, flow }) => [
    storedOffers.toLocaleString('en'),
    whole(flow.perSecond),
    milliseconds(flow.p50),
    whole(flow.cpu['service']),
    whole(flow.cpu['postgres']),
  ]);
  return [
    'Cost of a flow by the number of offers stored before, 8 in flight; CPU in µs per flow',
    ...table(['stored offers', 'flows/s', 'p50 ms', 'service', 'database'], rows),
  ];
}

/** The aims, one line each. */
export function renderRatios(
  flow: FlowComparison,
  appends: readonly AppendRates[],
  [few, many]: readonly FillCost[],
): string[] {
  const many32 = appends.at(-1);
  return [
    'Ratios and aims',
    ...flow.rates.map(({ inFlight, flow, empty }) =>
      ratio(
        `flow / empty endpoint, ${inFlight} in flight`,
        flow.perSecond * requestsPerFlow,
        empty.perSecond,
        '>= 45 %',
      ),
    ),
    ratio('repository / bare SQL, 32 callers', many32?.repository.perSecond, many32?.bare.perSecond, '>= 90 %'),
    ratio('CPU of a flow, large / small store', cpuOf(many), cpuOf(few), 'about 100 %'),
    ratio('flows/s, large / small store', many?.flow.perSecond, few?.flow.perSecond, 'about 100 %'),
  ];
}

function cpuOf(fill: FillCost | undefined): number | undefined {
  const { service, postgres } = fill?.flow.cpu ?? {};
  return service === undefined || postgres === undefined ? undefined : service + postgres;
}

function ratio(name: string, figure: number | undefined, floor: number | undefined, aim: string): string {
  return `  ${name.padEnd(38)} ${percent(figure, floor).padStart(6)}   (aim: ${aim})`;
}

function table(head: readonly string[], rows: readonly string[][]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  return [head, ...rows].map((row) => `  ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}`);
}

function perRequest(perFlow: number | undefined): number | undefined {
  return perFlow === undefined ? undefined : perFlow / requestsPerFlow;
}

function whole(figure: number | undefined): string {
  return figure === undefined || Number.isNaN(figure) ? 'n/a' : Math.round(figure).toLocaleString('en');
}

function milliseconds(figure: number): string {
  return figure.toFixed(1);
}

function percent(figure: number | undefined, of: number | undefined): string {
  return figure === undefined || of === undefined ? 'n/a' : `${Math.round((100 * figure) / of)} %`;
}
