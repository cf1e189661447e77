import { availableParallelism, cpus } from 'node:os';
import type { AppendRates } from './append-rates';
import type { BuildCosts } from './build-costs';
import type { Memory } from './contenders';
import { type FlowName, type FlowRates, service } from './flow-rates';
import { fasterFloor, type FloorNode, missingFloor } from './floors';
import type { FormatCosts } from './format-costs';
import type { Growth } from './growth';
import type { ImportCosts } from './imports';
import { type Measured, mostOfOthers } from './load';
import type { Mixed } from './mixed';
import { mostInFlight } from './plan';
import type { PostgresFacts } from './postgres-facts';
import type { ReplicaRates } from './replica-rates';
import type { SignerRates } from './signer-rates';
import type { StatusFigures } from './status-lists';
import type { StoreRates } from './store-rates';
import { type TenantCosts, tenants } from './tenants';

/** Under which conditions the figures below it were measured. @param isWatched whether other work on the machine is known */
export function conditions(
  { version, durability }: PostgresFacts,
  floors: readonly FloorNode[],
  {
    quick,
    isWatched,
    isTolerant = false,
  }: { readonly [name in 'quick' | 'isWatched']: boolean } & { isTolerant?: boolean },
): string {
  const settings = Object.entries(durability).map(([name, value]) => `${name} ${value}`);
  const missing = missingFloor(floors);
  return [
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}) shared by`,
    `servers, PostgreSQL and load generator, Node ${process.versions.node}${missing === undefined ? '' : ` (${missing})`},`,
    `PostgreSQL ${version} (${settings.join(', ')}), ${quick ? 'short rounds (`--quick`)' : 'full rounds'};`,
    isTolerant
      ? 'every round counts, whatever other work there was beside it.'
      : isWatched
        ? `no round counts beside which other work took more than ${mostOfOthers} of a core.`
        : '**how much other work there was is not known**.',
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
      percent(figures.perSecond, fasterFloor(measured)?.perSecond),
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

/** What one run of the service, its floors and its peers has to show; what has no peer there is left out. */
export function renderGoals({ rates, memory }: FlowRates): string[] {
  const rate = (flow: FlowName, inFlight: number) =>
    rates.find((one) => one.flow === flow && one.inFlight === inFlight)?.measured ?? new Map<string, Measured>();
  const own = (flow: FlowName, inFlight = mostInFlight) => rate(flow, inFlight).get(service);
  const floor = (flow: FlowName, inFlight = mostInFlight) => fasterFloor(rate(flow, inFlight));
  const over = (figure: number | undefined, other: number | undefined) => (figure ?? NaN) / (other ?? NaN);
  const peer = (name: string) => rate('issuing', mostInFlight).get(name);
  const [issuing, verifying] = [own('issuing'), own('verifying')];
  const beside = (name: string, goal: number): Goal[] => {
    const other = peer(name);
    if (other === undefined) return [];
    return [[`issuing flows/s, of ${name} in memory`, goal, 'least', over(issuing?.perSecond, other.perSecond)]];
  };
  const goals: readonly Goal[] = [
    [
      'service CPU of an issuing flow, of the floor',
      2.5,
      'most',
      over(issuing?.cpu['service'], floor('issuing')?.cpu['service']),
    ],
    [
      'database CPU of an issuing flow, of the floor',
      1.8,
      'most',
      over(issuing?.cpu['postgres'], floor('issuing')?.cpu['postgres']),
    ],
    ['issuing flows/s, of the floor', 0.5, 'least', over(issuing?.perSecond, floor('issuing')?.perSecond)],
    ['verifying flows/s, of the floor', 0.5, 'least', over(verifying?.perSecond, floor('verifying')?.perSecond)],
    ...beside('Sphereon', 1),
    ...beside('Credo', 4),
    ['service CPU of an authorizing flow, ms', 4, 'most', over(own('authorizing')?.cpu['service'], 1000)],
    [
      'issuing flow of a lone wallet, of the floor',
      1.6,
      'most',
      over(own('issuing', 1)?.p50, floor('issuing', 1)?.p50),
    ],
    ["service CPU of the issuer's metadata, µs", 50, 'most', own('metadata')?.cpu['service'] ?? NaN],
    ['peak memory of the service, MiB', 220, 'most', memory.get(service)?.peak ?? NaN],
  ];
  const rows = goals.map(([what, limit, kind, figure]) => {
    const isReached = kind === 'least' ? figure >= limit : figure <= limit;
    const digits = limit < 10 ? 2 : 0;
    const result = isReached ? 'reached' : 'not reached';
    return [what, `at ${kind} ${limit}`, figures(figure, digits), Number.isNaN(figure) ? 'n/a' : result];
  });
  return table(['figure', 'goal', 'measured', 'result'], rows);
}

type Goal = readonly [what: string, limit: number, kind: 'least' | 'most', figure: number];

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
  const rows = steps.map(({ events, bytes, floor, measured: { issuing, verifying, list } }) => [
    whole(events),
    (bytes / 2 ** 30).toFixed(2),
    whole(issuing.perSecond),
    ...cpuOf(issuing, 'service', 'postgres'),
    percent(issuing.perSecond, floor?.perSecond),
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

export function renderFormats(costs: FormatCosts): string[] {
  const total = ({ cpu: { service = NaN, postgres = NaN } }: Measured): number => service + postgres;
  const flows = (['issuing', 'verifying'] as const).flatMap((flow) => {
    const base = total(costs[`${flow} SD-JWT VC`]);
    return (['SD-JWT VC', 'mdoc'] as const).map((format) => {
      const measured = costs[`${flow} ${format}`];
      const ratio = figures(total(measured) / base, 2);
      return [`${flow} ${format}`, ...cpuOf(measured, 'service', 'postgres'), whole(total(measured)), ratio];
    });
  });
  const cpu = ['service µs/flow', 'database µs/flow', 'together µs/flow'];
  return table(['flow, 8 in flight', ...cpu, 'of SD-JWT VC'], flows);
}

export function renderImports({ rows, checking, issuing, flows }: ImportCosts): string[] {
  const steps = Object.entries({ 'read and checked': checking, offered: issuing }).map(([name, { seconds, cpu }]) => [
    name,
    figures(seconds, 1),
    whole(rows / seconds),
    whole(cpu.service),
    whole(cpu.postgres),
  ]);
  const beside = Object.entries(flows).map(([name, measured]) => [
    name,
    ...rateOf(measured),
    percent(measured.p99, flows.alone.p99),
  ]);
  return [
    ...table([`${whole(rows)} rows`, 's', 'rows/s', 'service µs/row', 'database µs/row'], steps),
    '',
    ...table(['issuing flow, 8 in flight', 'flows/s', 'p50 ms', 'p99 ms', 'p99 of alone'], beside),
  ];
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

export function renderSigners({ measured, coresOfOthers }: SignerRates): string[] {
  const rows = Object.entries(measured).map(([name, figures]) => [
    name,
    ...rateOf(figures),
    ...cpuOf(figures, 'service', 'postgres', 'generator'),
    percent(figures.perSecond, measured['local']?.perSecond),
  ]);
  const cpu = ['service µs', 'database µs', 'generator µs'];
  return [
    ...table(['keys', 'flows/s', 'p50 ms', 'p99 ms', ...cpu, 'of local'], rows),
    '',
    `Other work took ${figures(coresOfOthers ?? NaN, 2)} of a core meanwhile; the more, the less do figures other than the ratio say.`,
  ];
}

export function renderTenants({ without, with: all, memory, rates }: TenantCosts): string[] {
  const row = (name: string, of: (given: typeof without) => string): string[] => [name, of(without), of(all)];
  const flows = [
    ['one', rates.one, memory.one],
    [whole(tenants), rates.all, memory.all],
  ] as const;
  const cpu = ['service µs', 'database µs', 'generator µs'];
  return [
    ...table(
      ['', 'no tenants', `${whole(tenants)} tenants`],
      [
        row('start, s', ({ startSeconds }) => figures(startSeconds, 2)),
        row('MiB after the start', ({ memory }) => whole(memory)),
        row('database while nothing is asked, % of a core', ({ idleDatabase = NaN }) => figures(100 * idleDatabase, 1)),
      ],
    ),
    '',
    ...table(
      ['tenants in turn', 'flows/s', 'p50 ms', 'p99 ms', ...cpu, 'of one', 'MiB after as many flows'],
      flows.map(([name, measured, used]) => [
        name,
        ...rateOf(measured),
        ...cpuOf(measured, 'service', 'postgres', 'generator'),
        percent(measured.perSecond, rates.one.perSecond),
        whole(used),
      ]),
    ),
  ];
}

export function renderStores(rates: readonly StoreRates[]): string[] {
  const name = ({ stores, isFirstAmong }: StoreRates): string => (isFirstAmong ? String(stores) : `${stores} further`);
  const sum = (figures: readonly (number | undefined)[]): number =>
    figures.reduce<number>((all, one) => all + (one ?? NaN), 0);
  const cpu = ['services µs/flow', 'databases µs/flow', 'generator µs/flow'];
  return [
    ...table(
      ['stores with tenants', 'flows/s', 'p50 ms', 'p99 ms', ...cpu],
      rates.map((one) => [
        name(one),
        ...rateOf(one.measured),
        ...cpuOf(one.measured, 'services', 'databases', 'generator'),
      ]),
    ),
    '',
    ...table(
      [
        'stores with tenants',
        'store',
        'database µs/flow',
        'of all',
        'WAL bytes/flow',
        'of all',
        'disk bytes/flow',
        'of all',
      ],
      rates.flatMap((one) =>
        // The idle ones are part of all.
        one.shares
          .slice(0, one.isFirstAmong ? one.stores : undefined)
          .map(({ store, walBytes, diskBytes }) => [
            name(one),
            store,
            ...cpuOf(one.measured, store),
            percent(one.measured.cpu[store] ?? NaN, sum(one.shares.map((share) => one.measured.cpu[share.store]))),
            whole(walBytes),
            percent(walBytes, sum(one.shares.map((share) => share.walBytes))),
            whole(diskBytes),
            percent(diskBytes, sum(one.shares.map((share) => share.diskBytes))),
          ]),
      ),
    ),
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

export function milliseconds(figure: number): string {
  return figures(figure, 1);
}

function figures(figure: number, digits: number): string {
  return Number.isNaN(figure) ? 'n/a' : figure.toFixed(digits);
}

function percent(figure: number, of: number | undefined): string {
  const share = Math.round((100 * figure) / (of ?? NaN));
  return Number.isNaN(share) ? 'n/a' : `${share} %`;
}
