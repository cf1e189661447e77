import { refusingEndpoints, walletGenerations } from '@app/openid4vc';
import { dateTimePattern, durationPattern, longestDurationText } from '@app/primitives/time';

const name = Symbol('name');
const example = Symbol('example');
/** On types alone. */
declare const described: unique symbol;

/** JSON Schema 2020-12, as OpenAPI 3.1 has it, of values that are a `T`. */
export type Schema<T = unknown> = Readonly<Record<string, unknown>> & { readonly [described]?: T };

/** The values of a schema, as far as types know them: `unknown` of what is spelt out in other words than these. */
export type Described<S> = S extends { readonly [described]?: infer T }
  ? unknown extends T
    ? SpeltOut<S>
    : T
  : SpeltOut<S>;
type SpeltOut<S> = S extends { readonly enum: readonly (infer One)[] }
  ? One
  : S extends { readonly const: infer One }
    ? One
    : S extends { readonly type: 'boolean' }
      ? boolean
      : S extends { readonly type: 'array'; readonly items: infer Item }
        ? readonly Described<Item>[]
        : unknown;
type Closed<Members> = {
  readonly [Name in keyof Members as Name extends `${string}?` ? never : Name]: Described<Members[Name]>;
} & {
  readonly [Name in keyof Members as Name extends `${infer Bare}?` ? Bare : never]?:
    Described<Members[Name]> | undefined;
};

export const text: Schema<string> = { type: 'string' };
export const textOrNull: Schema<string | null> = { type: ['string', 'null'] };
export const texts: Schema<readonly string[]> = { type: 'array', items: text };
/** An object with any members: without the last word, generators of types take it to have none. */
export const anyObject: Schema<object> = { type: 'object', additionalProperties: true };
export const integer: Schema<number> = { type: 'integer' };
export const dateTime: Schema<string> = { type: 'string', format: 'date-time' };
/** A date-time in a request. */
export const givenDateTime: Schema<string> = { ...dateTime, pattern: dateTimePattern };
/** A positive ISO 8601 duration. What it may last is for words: a sum of parts. */
export const duration: Schema<string> = {
  type: 'string',
  maxLength: longestDurationText,
  pattern: durationPattern,
  not: { pattern: '^[^1-9]*$' },
};

/** The schema with an example of an answer, which is not in the schema itself. */
export function eg(value: unknown): Schema<string>;
export function eg<const S extends Schema>(value: unknown, schema: S): S;
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
export function closed<const Members extends Readonly<Record<string, Schema>>>(
  schemas: Members,
): Schema<Closed<Members>> {
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
export function component<const S extends Schema>(componentName: string, schema: S): S {
  return { ...schema, [name]: componentName };
}

/** The name of a {@link component}; `undefined` for any other value. */
export function componentNameOf(value: object): string | undefined {
  return (value as { readonly [name]?: string })[name];
}

/** One page of a list. */
export function pageOf<const Item extends Schema>(item: Item) {
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
