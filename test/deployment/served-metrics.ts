import type { AppendOutcome, ConnectionCounts } from '@app/event-store';
import { dropReasons } from '@app/event-store/src/errors';
import { outboundPurposes } from '@app/outbound';
import { Registry } from 'prom-client';
import { eventCounters } from '../../apps/server/src/event-counters';
import { startService } from '../support/service/service';
import { readExpression } from './promql';

/** The labels that each series of a running service can have, by its name. */
export type ServedSeries = ReadonlyMap<string, ReadonlySet<string>>;

/** Labels that Prometheus itself puts on everything it scrapes from one place. */
const targetLabels = ['job', 'instance', 'namespace', 'pod'];
const appendOutcomes: readonly AppendOutcome[] = ['stored', 'conflict', 'failed', 'dropped', 'unknown'];
const connectionStates: readonly (keyof ConnectionCounts)[] = ['idle', 'busy', 'waiting'];

/** The words that a label can have, where the code has a closed list of them. */
const words: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    eventCounters.map(({ name, series }) => [
      `sealwright_${name} outcome`,
      series.flatMap(({ outcome }) => outcome ?? []),
    ]),
  ),
  'sealwright_append_duration_seconds outcome': appendOutcomes,
  'sealwright_work_dropped_total reason': dropReasons,
  'sealwright_outbound_busy_total purpose': outboundPurposes,
  'sealwright_database_connections state': connectionStates,
};

/** Starts the service with its metrics and reads its registry. */
export async function servedSeries(): Promise<ServedSeries> {
  const service = await startService({ SERVICE__METRICS__ENABLED: 'true', SERVICE__METRICS__PORT: '0' });
  try {
    const registered = service.app.get(Registry).getMetricsAsArray() as unknown as readonly {
      readonly name: string;
      readonly labelNames: readonly string[];
      readonly type: string;
    }[];
    const own = registered.flatMap(({ name, labelNames, type }): [string, ReadonlySet<string>][] => {
      const labels = new Set([...labelNames, ...targetLabels]);
      if (type !== 'histogram') return [[name, labels]];
      return [
        [`${name}_bucket`, new Set([...labels, 'le'])],
        [`${name}_count`, labels],
        [`${name}_sum`, labels],
      ];
    });
    return new Map([...own, ['up', new Set(targetLabels)]]);
  } finally {
    await service.stop();
  }
}

/** What an expression asks for and the service does not have. Throws when it is not PromQL. */
export function missing(expression: string, served: ServedSeries): string[] {
  const { asked, groupedBy } = readExpression(expression);
  const known = new Set(asked.flatMap(({ metric }) => [...(served.get(metric) ?? [])]));
  const faults = groupedBy.filter((label) => !known.has(label)).map((label) => `label ${label}`);
  for (const { metric, matchers } of asked) {
    const labels = served.get(metric);
    if (!labels) faults.push(`metric ${metric}`);
    for (const { label, operator, value } of matchers) {
      if (labels && !labels.has(label)) faults.push(`label ${label} of ${metric}`);
      const possible = words[`${metric.replace(/_(bucket|count|sum)$/, '')} ${label}`];
      const wanted = operator.includes('~') ? value.split('|') : [value];
      for (const word of wanted) if (possible && !possible.includes(word)) faults.push(`${metric} ${label}="${word}"`);
    }
  }
  return faults;
}
