import { refusingEndpoints, walletGenerations } from '@app/openid4vc';
import { dateTimePattern, durationPattern, longestDurationText } from '@app/primitives/time';

/** JSON Schema 2020-12, as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>;

const name = Symbol('name');
const example = Symbol('example');

export const text: Schema = { type: 'string' };
export const textOrNull: Schema = { type: ['string', 'null'] };
export const texts: Schema = { type: 'array', items: text };
/** An object with any members: without the last word, generators of types take it to have none. */
export const anyObject: Schema = { type: 'object', additionalProperties: true };
export const integer: Schema = { type: 'integer' };
export const dateTime: Schema = { type: 'string', format: 'date-time' };
/** A date-time in a request. */
export const givenDateTime: Schema = { ...dateTime, pattern: dateTimePattern };
/** A positive ISO 8601 duration. What it may last is for words: a sum of parts. */
export const duration: Schema = {
  type: 'string',
  maxLength: longestDurationText,
  pattern: durationPattern,
  not: { pattern: '^[^1-9]*$' },
};

/** The schema with an example of an answer, which is not in the schema itself. */
export function eg(value: unknown, schema: Schema = text): Schema {
  return { ...schema, [example]: value };
}

export function exampleOf(schema: Schema): unknown {
  return (schema as { readonly [example]?: unknown })[example];
}

/**
 * An object with exactly these properties; a name with a question mark at its end is that of an optional one. The
 * examples of the properties make its own.
 */
export function closed(schemas: Readonly<Record<string, Schema>>): Schema {
  const properties = Object.entries(schemas).map(([key, schema]) => [nameOf(key), schema] as const);
  const examples = properties
    .filter(([, schema]) => example in schema)
    .map(([key, schema]) => [key, exampleOf(schema)]);
  const required = Object.keys(schemas).filter((key) => !key.endsWith('?'));
  const schema = { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
  return examples.length === 0 ? schema : eg(Object.fromEntries(examples), schema);
}

/** The names of these properties, without the question marks of {@link closed}. */
export function namesIn(schemas: Readonly<Record<string, Schema>>): string[] {
  return Object.keys(schemas).map(nameOf);
}

function nameOf(key: string): string {
  return key.replace('?', '');
}

/** A schema that is in the document once, under this name. */
export function component(componentName: string, schema: Schema): Schema {
  return { ...schema, [name]: componentName };
}

/** The name of a {@link component}; `undefined` for any other value. */
export function componentNameOf(value: object): string | undefined {
  return (value as { readonly [name]?: string })[name];
}

/** One page of a list. */
export function pageOf(item: Schema): Schema {
  const nextCursor = { ...textOrNull, description: 'The `cursor` of the next page; null on the last one.' };
  const items = eg([exampleOf(item)], { type: 'array', items: item });
  return closed({ items, nextCursor: eg(null, nextCursor) });
}

const refusal = component('WalletRefusal', {
  description:
    'Of a wallet that was refused. The `detail` of the step has the words it got, with `...` for what they quoted of its request.',
  ...closed({
    endpoint: { enum: refusingEndpoints },
    error: { ...text, description: 'The `error` that the wallet got.' },
    reason: { ...text, description: 'What was wrong, as one word: the same as in logs and metrics.' },
    'generation?': { enum: walletGenerations, description: 'The newest generation of wallets that asks like this.' },
    'requestClass?': { ...text, description: 'The form of the credential request, as in docs/wallet-generations.md.' },
    'configurationId?': { ...text, description: 'The credential that was asked for, where an offer has several.' },
    count: { ...integer, description: 'How often, from `firstAt` to `lastAt`.' },
    firstAt: dateTime,
    lastAt: dateTime,
  }),
});

/**
 * What happened to a resource, oldest first.
 * @param steps all there are
 * @param outcomes of a step
 */
export function timeline(steps: readonly string[], outcomes: readonly string[], detail: Schema): Schema {
  const entry = closed({
    at: dateTime,
    step: { enum: steps },
    outcome: { enum: outcomes },
    detail,
    'refusal?': refusal,
  });
  return { type: 'array', description: 'What happened, oldest first.', items: entry };
}
