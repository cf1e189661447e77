import { milliseconds, table, whole } from './report';
import type { StateCosts } from './state-costs';

export function renderStates({ offers, versions }: StateCosts): string[] {
  const costs = Object.entries(versions);
  const [first] = costs;
  const states = Object.keys(first?.[1].pages ?? {});
  const listed = states.flatMap((state) =>
    costs.map(([version, { pages }]) => [
      state,
      version,
      milliseconds(pages[state]?.p50 ?? NaN),
      whole(pages[state]?.cpu['service']),
      whole(pages[state]?.cpu['postgres']),
    ]),
  );
  return [
    'A replica that is asked nothing:',
    '',
    ...table(
      ['version', 'service ms/s', 'database ms/s'],
      costs.map(([version, { idle }]) => [version, thousandth(idle.cpu['service']), thousandth(idle.cpu['postgres'])]),
    ),
    '',
    `The first 200 offers in a state, of ${offers.toLocaleString('en')}:`,
    '',
    ...table(['state', 'version', 'p50 ms', 'service µs/page', 'database µs/page'], listed),
    '',
    'The issuing flow against the same store, 8 in flight:',
    '',
    ...table(
      ['version', 'flows/s', 'p50 ms', 'service µs/flow', 'database µs/flow'],
      costs.map(([version, { flow }]) => [
        version,
        whole(flow.perSecond),
        milliseconds(flow.p50),
        whole(flow.cpu['service']),
        whole(flow.cpu['postgres']),
      ]),
    ),
  ];
}

/** Microseconds as milliseconds. */
function thousandth(figure: number | undefined): string {
  return figure === undefined ? 'n/a' : (figure / 1000).toFixed(1);
}
