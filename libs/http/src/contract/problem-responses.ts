import { catalogue, type ProblemSlug } from '@app/primitives/problems';
import { answerHeaders, problemSchema } from './components';
import { isOfTenants, type Operation } from './operation';
import type { Schema } from './schemas';

/** Every problem that an operation can answer: its own, and those of its kind. */
export function problemsOf(operation: Operation): Set<ProblemSlug> {
  const {
    problems = [],
    mediaTypes,
    resource,
    body,
    file,
    conditional,
    idempotent,
    path,
    method,
    freshness,
  } = operation;
  return new Set<ProblemSlug>([
    ...problems,
    // Unknown query parameters and broken percent encoding are possible everywhere.
    'validation-failed',
    'unauthorized',
    ...(freshness ? (['insufficient-user-authentication'] as const) : []),
    'several-credentials',
    'forbidden',
    'rate-limited',
    'request-header-fields-too-large',
    ...(isOfTenants(operation) ? (['tenant-suspended', 'tenant-limit-reached', 'tenant-not-found'] as const) : []),
    ...(path.includes(':') ? (['not-found', resource.missing ?? 'not-found'] as const) : []),
    ...(body ? (['malformed-json', 'payload-too-large', 'unsupported-media-type'] as const) : []),
    ...(file ? (['payload-too-large', 'unsupported-media-type'] as const) : []),
    ...(idempotent ? (['conflict', 'idempotency-key-reused'] as const) : []),
    ...(conditional ? (['version-conflict'] as const) : []),
    ...(conditional && method !== 'GET' ? (['conflict'] as const) : []),
    ...(mediaTypes.length > 1 ? (['not-acceptable'] as const) : []),
    'internal',
    'unavailable',
    ...(method === 'GET' ? [] : (['outcome-unknown'] as const)),
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
  const headers = headersOf(status, slugs);
  return {
    description: slugs.map((slug) => `\`${slug}\`: ${catalogue[slug].title}`).join('; '),
    ...(headers && { headers }),
    content: {
      'application/problem+json': {
        schema: problemSchema,
        examples: Object.fromEntries(slugs.map((slug) => [slug, { $ref: `#/components/examples/${slug}` }])),
      },
    },
  };
}

function headersOf(status: number, slugs: readonly ProblemSlug[]): Schema | undefined {
  // The request was not read.
  if (status === 431) return undefined;
  // 403 also means other things than a missing scope, and then there is no challenge.
  const isChallenge = slugs.every((slug) =>
    ['unauthorized', 'forbidden', 'insufficient-user-authentication'].includes(slug),
  );
  return answerHeaders(
    ...(isChallenge ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  );
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
    value: { type: `https://issuer.example/problems/${slug}`, title, status, detail: remedy, remedy, instance },
  };
}
