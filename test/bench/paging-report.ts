import type { Measured } from './load';
import type { PagingCosts } from './paging-costs';
import { cpuOf, milliseconds, ratio, table, whole } from './report';

export function renderPaging(costs: PagingCosts): string[] {
  const { few, many, pages, handedIn, first, middle, last, filters } = costs;
  const heads = ['p50 ms', 'p99 ms', 'service µs/page', 'database µs/page'];
  const filtered = filters.flatMap(({ name, few: ofFew, many: ofMany }) => [
    [name, stored(few), ...figures(ofFew)],
    [name, stored(many), ...figures(ofMany)],
  ]);
  return [
    `${stored(many)} credentials, handed in by batches at ${whole(handedIn)} a second, read in ${pages} pages:`,
    '',
    ...table(
      ['tenth of the list', ...heads],
      [
        ['first', ...figures(first)],
        ['middle', ...figures(middle)],
        ['last', ...figures(last)],
      ],
    ),
    '',
    'The first page of a list, by its filter:',
    '',
    ...table(['filter', 'stored', ...heads], filtered),
    '',
    'Ratios and aims:',
    '',
    ...ratios(costs),
  ];
}

function ratios({ first, last, filters }: PagingCosts): string[] {
  const aim = 'about 100 %';
  return [
    ratio('Time of a page, last / first tenth', last.p50, first.p50, aim),
    ratio('CPU of a page, last / first tenth', cpuOf({ measured: last }), cpuOf({ measured: first }), aim),
    ...filters.map(({ name, few, many }) =>
      ratio(`Time of a page, ${name}, large / small store`, many.p50, few.p50, aim),
    ),
  ];
}

function stored(credentials: number): string {
  return credentials.toLocaleString('en');
}

function figures({ p50, p99, cpu }: Measured): string[] {
  return [milliseconds(p50), milliseconds(p99), whole(cpu['service']), whole(cpu['postgres'])];
}
