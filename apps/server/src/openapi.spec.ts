import { catalogue } from '@app/primitives/problems';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { managementDocument } from './openapi';

type Json = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Json[];
  readonly requestBody?: { readonly content: Record<string, Json> };
  readonly responses: Record<string, Answer>;
  readonly security: readonly Record<string, readonly string[]>[];
}
interface Answer {
  readonly $ref?: string;
  readonly headers: Json;
  readonly content?: Record<string, Json>;
}

const document = JSON.parse(managementDocument()) as Json & { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, method, operation })),
);

function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string') yield member;
    else yield* referencesIn(member);
  }
}

/** Schemas at any depth, without their examples. */
function* schemasIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && !Array.isArray(value)) yield value;
  for (const [name, member] of Object.entries(value)) if (!/^examples?$/.test(name)) yield* schemasIn(member);
}

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, step) => (value as Json | undefined)?.[step], document);
}

/** An answer of an operation, or the one that it refers to. */
function answerOf(answer: Answer): Answer {
  return answer.$ref === undefined ? answer : (resolve(answer.$ref) as Answer);
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
// Addresses with letters beyond ASCII, which ajv-formats does not know.
ajv.addFormat('idn-email', true);
ajv.addSchema({ $id: 'document', ...document });

/** The faults of a value by a schema of the document, named by its place. */
function faultsOf(value: unknown, place: string): unknown {
  const validate = ajv.compile({ $ref: `document#/${place}` });
  return validate(value) ? [] : validate.errors;
}

const pointer = (...steps: string[]): string =>
  steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');

describe('the OpenAPI document', () => {
  it('refers only to what it has, and has no schema that nothing refers to', () => {
    const references = new Set(referencesIn(document));
    for (const reference of references) expect([reference, typeof resolve(reference)]).toEqual([reference, 'object']);
    for (const kind of ['schemas', 'parameters', 'headers', 'examples', 'responses']) {
      const names = Object.keys((document['components'] as Record<string, Json>)[kind] ?? {});
      expect(names.filter((name) => !references.has(`#/components/${kind}/${name}`))).toEqual([]);
    }
  });

  it('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('gives every creation a Location and an Idempotency-Key', () => {
    const creations = operations.filter(({ operation }) => '201' in operation.responses);
    expect(creations.map(({ name }) => name)).toContain('post /v0/credentials');
    for (const { name, operation } of creations) {
      expect(operation.responses['201']?.headers).toHaveProperty('Location');
      // Its id is chosen by the caller and is never free again: a repetition hears `conflict`.
      if (name === 'post /v0/tenants') continue;
      // The same picture is stored once, however often it is sent.
      if (name === 'post /v0/images') continue;
      expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/Idempotency-Key' });
    }
  });

  const withJson = operations.filter(
    ({ operation }) =>
      operation.requestBody !== undefined ||
      Object.values(operation.responses).some(({ content = {} }) => 'application/json' in content),
  );
  it.each(withJson)('shows examples of $name that its schemas accept', ({ path, method, operation }) => {
    expect.hasAssertions();
    for (const [type, content] of Object.entries(operation.requestBody?.content ?? {})) {
      // A file has none.
      if (type !== 'application/json') continue;
      const examples = content['examples'] as Record<string, Json>;
      const schema = pointer('paths', path, method, 'requestBody', 'content', type, 'schema');
      expect(Object.keys(examples)).not.toEqual([]);
      for (const { value } of Object.values(examples)) expect(faultsOf(value, schema)).toEqual([]);
    }
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      const json = content['application/json'];
      if (!json) continue;
      const schema = pointer('paths', path, method, 'responses', status, 'content', 'application/json', 'schema');
      expect(faultsOf(json['example'], schema)).toEqual([]);
    }
  });

  it.each(operations)('puts the problems of $name under their status', ({ operation }) => {
    for (const [status, answer] of Object.entries(operation.responses)) {
      const examples = answerOf(answer).content?.['application/problem+json']?.['examples'] as Json | undefined;
      if (Number(status) >= 400) expect(Object.keys(examples ?? {})).not.toEqual([]);
      for (const slug of Object.keys(examples ?? {})) {
        expect(catalogue[slug as keyof typeof catalogue].status).toBe(Number(status));
      }
    }
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['400', '401', '403', '429', '500', '503']),
    );
  });

  it.each(operations)('says what a caller of $name needs', ({ name, method, operation }) => {
    const [scope] = operation.security[0]?.['bearer'] ?? [];
    // What is searched for is personal data, so it is in a body.
    const isRead = method === 'get' || name === 'post /v0/searches';
    // Every holder of the link of an offer or a request can use it.
    const isDecision = name.includes('/approvals/') && !isRead;
    const direction = /\/(qr\.svg|qr\.png|page|send|letters?)$|(offers|imports).*deliveries/.test(name)
      ? 'deliver'
      : isRead
        ? 'read'
        : isDecision
          ? 'decide'
          : 'write';
    // Who calls may ask who that is.
    if (!name.includes(' /v0/session/') && !name.endsWith(' /v0/session')) {
      expect(scope).toMatch(new RegExp(`^[a-z]+:${direction}$`));
      expect(operation.security).toEqual([{ bearer: [scope] }, { dpop: [scope] }, { apiKey: [scope] }]);
    }
    expect(answerOf(operation.responses['401'] ?? { headers: {} }).headers).toHaveProperty('WWW-Authenticate');
  });

  it('gives an example to nothing that a caller may leave out: explorers would send it', () => {
    const components = Object.values((document['components'] as Record<string, Json>)['parameters'] ?? {}) as Json[];
    const parameters = [...components, ...operations.flatMap(({ operation }) => operation.parameters)];
    expect(parameters.filter(({ required, example }) => required !== true && example !== undefined)).toEqual([]);
  });

  it('gives generators of types a type for every object and body', () => {
    const { schemas } = document['components'] as { schemas: Record<string, Json> };
    const objects = [...schemasIn(schemas)].filter(({ type }) => [type].flat().includes('object'));
    expect(objects.length).toBeGreaterThan(50);
    // Without the word they generate an object without members, and from alternatives beside members any value.
    expect(objects.filter((one) => !('additionalProperties' in one) || 'anyOf' in one)).toEqual([]);
  });

  it('describes both ways in', () => {
    expect((document['components'] as Record<string, Json>)['securitySchemes']).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    });
  });
});
