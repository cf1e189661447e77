import type { BuildCosts } from './build-costs';
import { milliseconds, table, whole } from './report';

export function renderBuilds(costs: BuildCosts): string[] {
  const rows = Object.entries(costs).map(([name, { perSecond, p50, cpu }]) => [
    name,
    whole(perSecond),
    milliseconds(p50),
    whole(cpu['service']),
    whole(cpu['postgres']),
    whole((cpu['service'] ?? NaN) + (cpu['postgres'] ?? NaN)),
  ]);
  return [
    'Both flows by two builds, 8 in flight:',
    '',
    ...table(['flow', 'flows/s', 'p50 ms', 'service µs/flow', 'database µs/flow', 'together µs/flow'], rows),
  ];
}
