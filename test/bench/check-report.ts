import type { CheckCosts, Disturbance } from './check-costs';
import type { Measured } from './load';
import { milliseconds, table, whole } from './report';

export function renderChecks(versions: Readonly<Record<string, CheckCosts>>): string[] {
  const each = Object.entries(versions);
  const disturbances: readonly [string, keyof CheckCosts & ('idle' | 'batch' | 'largeSchema')][] = [
    ['nothing, for 2 s', 'idle'],
    ['a batch of 40 with a slow pattern', 'batch'],
    ['5 templates of 500 properties', 'largeSchema'],
  ];
  const loads: readonly [string, 'small' | 'pattern'][] = [
    ['small', 'small'],
    ['with a pattern', 'pattern'],
  ];
  return [
    'The longest wait for `GET /livez` while something else is done, the worst of all rounds:',
    '',
    ...table(
      ['other work', 'version', 'longest wait ms', 'it took ms'],
      disturbances.flatMap(([what, name]) => each.map(([version, costs]) => [what, version, ...waits(costs[name])])),
    ),
    '',
    '`POST /v0/credentials` with 8 in flight, by the schema of the template:',
    '',
    ...table(
      ['schema', 'version', 'requests/s', 'p50 ms', 'p99 ms', 'service µs/request'],
      loads.flatMap(([what, name]) => each.map(([version, costs]) => [what, version, ...figures(costs[name])])),
    ),
  ];
}

function waits({ longest, took }: Disturbance): string[] {
  return [milliseconds(longest), whole(took)];
}

function figures({ perSecond, p50, p99, cpu }: Measured): string[] {
  return [whole(perSecond), milliseconds(p50), milliseconds(p99), whole(cpu['service'])];
}
