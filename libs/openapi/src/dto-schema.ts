import { nestedTypeOf } from '@app/http';
import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { BodyDescription, Schema } from './description';

interface Rule {
  /** `Matches` and `ValidateNested` have no name, or one that tells nothing of the type. */
  readonly name: string;
  readonly each: boolean;
  readonly constraints: readonly unknown[];
}

/** What each validator means as JSON Schema. */
const meanings: Readonly<Record<string, (constraints: readonly unknown[]) => Schema>> = {
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isObject: () => ({ type: 'object' }),
  isArray: () => ({ type: 'array' }),
  min: ([minimum]) => ({ minimum }),
  max: ([maximum]) => ({ maximum }),
  isLength: ([minLength, maxLength]) => ({ minLength, maxLength }),
  matches: ([pattern]) => ({ type: 'string', pattern: (pattern as RegExp).source }),
  isIn: ([values]) => ({ enum: values }),
  isNotIn: ([values]) => ({ not: { enum: values } }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  arrayMaxSize: ([maxItems]) => ({ maxItems }),
  arrayUnique: () => ({ uniqueItems: true }),
};

/**
 * The JSON Schema of a body: what its validators say, and what its description adds. Throws when a member is described
 * by neither, or when the description names a member that the body does not have.
 */
export function bodySchema(dto: Type<object>, { members, rules }: BodyDescription): Schema {
  const derived = objectSchema(dto);
  const properties = derived['properties'] as Record<string, Schema>;
  for (const [name, added] of Object.entries(members)) {
    if (!properties[name]) throw new Error(`${dto.name} has no member ${name}.`);
    properties[name] = { ...properties[name], ...added };
  }
  for (const [name, schema] of Object.entries(properties)) {
    if (schema['description'] === undefined) throw new Error(`${dto.name}.${name} needs a description.`);
    if (!members[name] && Object.keys(schema).length === 0) throw new Error(`${dto.name}.${name} needs a schema.`);
  }
  const required = [
    ...((derived['required'] as string[] | undefined) ?? []),
    ...((rules?.['required'] ?? []) as string[]),
  ];
  return { ...derived, ...rules, ...(required.length > 0 && { required }) };
}

function objectSchema(dto: Type<object>): Schema {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const [name, rules] of rulesOf(dto)) {
    // Nothing but `undefined` passes: the member exists for the sake of its message.
    if (rules.some((rule) => rule.name === 'equals' && rule.constraints[0] === undefined)) continue;
    properties[name] = memberSchema(dto, name, rules);
    if (!rules.some(isOptional)) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

function isOptional({ name }: Rule): boolean {
  return name === 'isOptional' || name === 'conditional' || name === 'whitelist';
}

function memberSchema(dto: Type<object>, member: string, rules: readonly Rule[]): Schema {
  const own: Record<string, unknown> = {};
  const items: Record<string, unknown> = {};
  for (const { name, each, constraints } of rules) {
    if (isOptional({ name, each, constraints })) continue;
    const target = each ? items : own;
    if (name === 'nested') {
      const type = nestedTypeOf(dto, member);
      if (type) Object.assign(target, objectSchema(type));
      continue;
    }
    const meaning = meanings[name];
    if (!meaning) throw new Error(`No JSON Schema is known for the validator ${name} of ${dto.name}.${member}.`);
    Object.assign(target, meaning(constraints));
  }
  if (Object.keys(items).length > 0) own['items'] = items;
  // class-validator's IsOptional takes null as well as an absent member.
  if (rules.some(({ name }) => name === 'isOptional')) allowNull(own);
  return own;
}

function allowNull(schema: Record<string, unknown>): void {
  if (typeof schema['type'] === 'string') schema['type'] = [schema['type'], 'null'];
  if (Array.isArray(schema['enum'])) schema['enum'] = [...(schema['enum'] as unknown[]), null];
}

function rulesOf(dto: Type<object>): Map<string, Rule[]> {
  const rules = new Map<string, Rule[]>();
  for (const metadata of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const { propertyName, type, name, each, constraints } = metadata;
    const rule = {
      name: name ?? unnamed[type] ?? type,
      each,
      constraints: (constraints as unknown[] | undefined) ?? [],
    };
    rules.set(propertyName, [...(rules.get(propertyName) ?? []), rule]);
  }
  return rules;
}

/** The kinds of metadata that class-validator gives no name. */
const unnamed: Readonly<Record<string, string>> = {
  nestedValidation: 'nested',
  conditionalValidation: 'conditional',
  whitelistValidation: 'whitelist',
};
