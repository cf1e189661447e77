/** JSON Schema 2020-12, as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>;

const componentName = Symbol('component');
const example = Symbol('example');

export const text: Schema = { type: 'string' };
export const textOrNull: Schema = { type: ['string', 'null'] };
export const texts: Schema = { type: 'array', items: text };
export const dateTime: Schema = { type: 'string', format: 'date-time' };

/** An object with exactly these properties; a name with a question mark at its end is that of an optional one. */
export function closed(properties: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name.replace('?', ''), schema])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

/** A schema that stands in the document once, under this name, with an example of an answer. */
export function component(name: string, schema: Schema, value?: unknown): Schema {
  return { ...schema, [componentName]: name, ...(value !== undefined && { [example]: value }) };
}

interface Marked {
  readonly [componentName]?: string;
  readonly [example]?: unknown;
}

/** The name of a {@link component}; `undefined` for any other value. */
export function componentNameOf(value: object): string | undefined {
  return (value as Marked)[componentName];
}

/** The example of a component, or of a page of it. */
export function exampleOf(schema: Schema): unknown {
  return (schema as Marked)[example];
}

export function withExample(schema: Schema, value: unknown): Schema {
  return { ...schema, [example]: value };
}

/** One page of a list. */
export function pageOf(item: Schema): Schema {
  const page = closed({
    items: { type: 'array', items: item },
    nextCursor: { ...textOrNull, description: 'The `cursor` of the next page; null on the last one.' },
  });
  return withExample(page, { items: [exampleOf(item)], nextCursor: null });
}

/** What happened to a resource, oldest first. @param outcomes of a step */
export function timeline(outcomes: readonly string[], detail: Schema): Schema {
  const entry = closed({ at: dateTime, step: text, outcome: { enum: outcomes }, detail });
  return { type: 'array', description: 'What happened, oldest first.', items: entry };
}
