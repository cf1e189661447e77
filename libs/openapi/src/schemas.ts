import type { ParameterDescription, Schema } from './description';

/** Words that many descriptions use. */
export const dateTime: Schema = { type: 'string', format: 'date-time' };

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object with exactly these members, all of them there but the optional ones. */
export function closedObject(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

export function listOf(item: Schema): Schema {
  return closedObject({
    items: { type: 'array', items: item },
    nextCursor: { type: ['string', 'null'], description: 'The `cursor` of the next page; null on the last one.' },
  });
}

/** What happened to a thing, oldest first. @param outcomes what a step may come to */
export function timeline(outcomes: readonly string[], detail: Schema): Schema {
  const entry = closedObject({ at: dateTime, step: { type: 'string' }, outcome: { enum: outcomes }, detail });
  return { type: 'array', description: 'What happened, oldest first.', items: entry };
}

/** `limit` and `cursor` of every list. */
export const pageParameters: Readonly<Record<string, ParameterDescription>> = {
  limit: {
    description: 'How many items a page has.',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
  cursor: {
    description: 'The `nextCursor` of the page before.',
    schema: { type: 'string', minLength: 1, maxLength: 1024 },
  },
};
