import { catalogue, type ProblemSlug } from '@app/problem-details';
import { commonHeaders } from './components';
import type { OperationDescription, Schema } from './description';
import type { Route } from './routes';

/** Every problem that an operation can answer: its own, and those of its kind. */
export function problemsOf(
  route: Route,
  { problems = [], answers, body, conditional }: OperationDescription,
): Set<ProblemSlug> {
  const negotiated = answers.some(({ schema, mediaTypes = [] }) => schema && mediaTypes.length > 0);
  return new Set<ProblemSlug>([
    ...problems,
    // Unknown query parameters and broken percent encoding are possible everywhere.
    'validation-failed',
    'unauthorized',
    'forbidden',
    'rate-limited',
    ...(route.path.includes('{') ? (['not-found'] as const) : []),
    ...(body ? (['malformed-json', 'payload-too-large', 'unsupported-media-type'] as const) : []),
    ...(route.idempotent ? (['conflict', 'idempotency-key-reused'] as const) : []),
    ...(conditional === true ? (['version-conflict'] as const) : []),
    ...(negotiated ? (['not-acceptable'] as const) : []),
    'internal',
    'unavailable',
    ...(route.method.toLowerCase() === 'get' ? [] : (['outcome-unknown'] as const)),
  ]);
}

/** References to the responses of these problems, by status. */
export function problemResponses(problems: ReadonlySet<ProblemSlug>): Record<string, Schema> {
  return Object.fromEntries(
    [...byStatus(problems)].map(([status, slugs]) => [
      String(status),
      { $ref: `#/components/responses/${nameOf(slugs)}` },
    ]),
  );
}

/** The responses that those references lead to, each once however many operations answer with it. */
export function problemResponseComponents(operations: readonly ReadonlySet<ProblemSlug>[]): Record<string, Schema> {
  const responses = new Map(
    operations
      .flatMap((problems) => [...byStatus(problems)])
      .map(([status, slugs]) => [nameOf(slugs), response(status, slugs)]),
  );
  return Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function byStatus(problems: ReadonlySet<ProblemSlug>): Map<number, readonly ProblemSlug[]> {
  const found = new Map<number, readonly ProblemSlug[]>();
  for (const slug of [...problems].sort()) {
    const { status } = catalogue[slug];
    found.set(status, [...(found.get(status) ?? []), slug]);
  }
  return found;
}

function nameOf(slugs: readonly ProblemSlug[]): string {
  return slugs.join('.');
}

function response(status: number, slugs: readonly ProblemSlug[]): Schema {
  return {
    description: slugs.map((slug) => `\`${slug}\`: ${catalogue[slug].title}`).join('; '),
    headers: { ...ownHeaders(status, slugs), ...commonHeaders.every },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(slugs.map((slug) => [slug, { $ref: `#/components/examples/${slug}` }])),
      },
    },
  };
}

function ownHeaders(status: number, slugs: readonly ProblemSlug[]): Schema {
  // 403 also means other things than a missing scope, and then there is no challenge.
  const isChallenge = slugs.every((slug) => slug === 'unauthorized' || slug === 'forbidden');
  return {
    ...(isChallenge && { 'WWW-Authenticate': commonHeaders.challenge }),
    ...((status === 429 || status === 503) && { 'Retry-After': commonHeaders.retryAfter }),
  };
}

/** One document for each of these problems. */
export function problemExamples(slugs: Iterable<ProblemSlug>): Record<string, unknown> {
  return Object.fromEntries([...slugs].sort().map((slug) => [slug, example(slug)]));
}

function example(slug: ProblemSlug): unknown {
  const { title, status, remedy } = catalogue[slug];
  const instance = slug === 'internal' ? 'urn:uuid:0e6a1c5e-7a0b-4c3a-9b53-3a1f4b1f0c55' : '/v0/credentials';
  return {
    summary: title,
    value: { type: `https://issuer.example/problems/${slug}`, title, status, detail: remedy, instance },
  };
}
