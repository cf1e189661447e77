import type { Json, Reply } from '../support/http/requests';
import type { RunningService } from '../support/service/service';
import type { Mistake } from './mistake';
import { mistakes } from './mistakes';
import { make, type Portal } from './portal';

/** The answer to each mistake. */
export async function answersOf(service: RunningService, portal: Portal): Promise<ReadonlyMap<Mistake, Reply>> {
  const answers = new Map<Mistake, Reply>();
  for (const mistake of mistakes.flatMap((chapter) => chapter.mistakes)) {
    answers.set(mistake, await make(mistake, service, portal));
  }
  return answers;
}

/** The mistakes and what they are answered with, as a page of the documentation. */
export function mistakesPage(answers: ReadonlyMap<Mistake, Reply>): string {
  const chapters = mistakes.flatMap(({ title, mistakes: made }) => [
    `## ${title}`,
    '',
    ...made.flatMap((mistake) => [...entry(mistake, answers.get(mistake)?.json ?? {}), '']),
  ]);
  return [
    '# Common mistakes and their answers',
    '',
    '<!-- Generated from test/mistakes by `npm run generate`; change it there. -->',
    '',
    'What the management API answers to mistakes that are easily made: request, status and title, `detail`, `remedy`. Faults of a',
    'body or a query are all listed in `violations`, each with its JSON Pointer. [errors.md](errors.md) lists every error.',
    '',
    ...chapters,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function entry(mistake: Mistake, { title, detail, remedy }: Json): string[] {
  const lines = [mistake.request, ...headersOf(mistake), ...bodyOf(mistake)];
  return [
    `### ${mistake.what}`,
    '',
    '```http',
    ...lines,
    '```',
    '',
    `**${mistake.status} ${String(title)}:** ${inMarkdown(detail)}`,
    '',
    inMarkdown(remedy),
  ];
}

function headersOf({ headers = {} }: Mistake): string[] {
  const shown = Object.entries(headers).filter(([, value]) => value !== 'application/json');
  return shown.map(([name, value]) => `${name}: ${value.length > 100 ? `${value.slice(0, 20)}…` : value}`);
}

function bodyOf({ body, shown }: Mistake): string[] {
  if (body === undefined) return [];
  return ['', shown ?? (typeof body === 'string' ? body.replaceAll('\r', '') : JSON.stringify(body))];
}

/** Outside of code, a placeholder such as `<key>` would be taken for an element. */
function inMarkdown(text: unknown): string {
  return String(text)
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;').replaceAll('*', '\\*') : part))
    .join('`');
}
