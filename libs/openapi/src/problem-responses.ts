import { catalogue, type ProblemSlug } from '@app/problem-details';
import { commonHeaders } from './components';
import type { OperationDescription } from './description';
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
    ...(route.path.includes('{') ? (['not-found'] as const) : []),
    ...(body ? (['malformed-json', 'payload-too-large', 'unsupported-media-type'] as const) : []),
    ...(route.idempotent ? (['conflict', 'idempotency-key-reused'] as const) : []),
    ...(conditional === true ? (['version-conflict'] as const) : []),
    ...(negotiated ? (['not-acceptable'] as const) : []),
    'internal',
    'unavailable',
  ]);
}

/** The problems as responses by status, each with an example document. */
export function problemResponses(problems: ReadonlySet<ProblemSlug>): Record<string, unknown> {
  const byStatus = new Map<number, ProblemSlug[]>();
  for (const slug of [...problems].sort()) {
    const { status } = catalogue[slug];
    byStatus.set(status, [...(byStatus.get(status) ?? []), slug]);
  }
  return Object.fromEntries([...byStatus].map(([status, slugs]) => [String(status), response(status, slugs)]));
}

function response(status: number, slugs: readonly ProblemSlug[]): unknown {
  return {
    description: slugs.map((slug) => `\`${slug}\`: ${catalogue[slug].title}`).join('; '),
    headers: { ...(status === 503 && { 'Retry-After': commonHeaders.retryAfter }), ...commonHeaders.every },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(slugs.map((slug) => [slug, { $ref: `#/components/examples/${slug}` }])),
      },
    },
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
