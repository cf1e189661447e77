import type { Type } from '@nestjs/common';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import { clearableIn, nestedTypeOf } from './constraints';
import { duration, type Schema } from './schemas';

type Options = NonNullable<Parameters<typeof targetConstructorToSchema>[1]>;

const hidden = 'x-hidden';

/** What constraints mean as JSON Schema, where the library does not know or says more than they do. */
const additionalConverters: NonNullable<Options['additionalConverters']> = {
  // `is.Required` and `is.Optional` say in words what a constraint of one property alone checks.
  customValidation: {},
  nestedValidation: {},
  isIn: ({ constraints: [values] }) => ({ enum: values as unknown[] }),
  isText: ({ constraints: [shortest, longest] }) => textOf(shortest as number, longest as number),
  isTexts: ({ constraints: [least, most, shortest, longest] }) => ({
    type: 'array',
    ...(least > 0 && { minItems: least as number }),
    maxItems: most as number,
    items: textOf(shortest as number, longest as number),
  }),
  isAddressable: { not: { enum: ['.', '..'] } },
  isDuration: duration,
  isFixed: { [hidden]: true },
  isNested: ({ target, propertyName, constraints: others }) => {
    const schema = nestedSchema(target, propertyName);
    const other = others.length === 2 ? { type: 'boolean' } : { const: others[0] as boolean };
    return others.length === 0 ? schema : { oneOf: [other, schema] };
  },
  isNestedList: ({ target, propertyName, constraints: [maxItems] }) => ({
    type: 'array',
    ...(maxItems !== Infinity && { maxItems: maxItems as number }),
    items: nestedSchema(target, propertyName),
  }),
};

function nestedSchema(target: unknown, property: string): Schema {
  const type = nestedTypeOf((target as Type<object>).prototype as object, property);
  return type ? classSchema(type) : {};
}

function textOf(shortest: number, longest: number) {
  return {
    type: 'string' as const,
    ...(shortest > 0 && { minLength: shortest }),
    ...(longest !== Infinity && { maxLength: longest }),
  };
}

/** The JSON Schema of a body or query: what its validators say, and what `is.Required` and `is.Optional` add. */
export function classSchema(type: Type<object>): Schema {
  const schema = targetConstructorToSchema(type, { additionalConverters }) as Schema;
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  const shown = properties.filter(([, property]) => property[hidden] !== true);
  const clearable = clearableIn(type);
  const isRequired = new Set(schema['required'] as string[] | undefined);
  const required = shown.map(([name]) => name).filter((name) => isRequired.has(name));
  const { required: _all, ...others } = schema;
  return {
    ...others,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(shown.map(([name, one]) => [name, clearable.includes(name) ? orNull(one) : one])),
    additionalProperties: false,
  };
}

function orNull(property: Schema): Schema {
  return {
    ...property,
    ...(typeof property['type'] === 'string' && { type: [property['type'], 'null'] }),
    ...(Array.isArray(property['enum']) && { enum: [...(property['enum'] as unknown[]), null] }),
  };
}
