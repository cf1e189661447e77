import { formats } from '@app/credentials';

type Format = (typeof formats)[number];
type Schema = Readonly<Record<string, unknown>>;

/** What a template of each format must not have, as JSON Schema. */
export function rulesByFormat([format, ...others]: readonly Format[] = formats): Schema {
  if (format === undefined) return {};
  const { properties, ...given } = format.givenRules ?? {};
  const rules = { ...given, properties: { ...foreignMembers(format), ...properties, dataModel: dataModelOf(format) } };
  if (others.length === 0) return rules;
  const isOfFormat = { required: ['format'], properties: { format: { const: format.id } } };
  return { if: isOfFormat, then: rules, else: rulesByFormat(others) };
}

function foreignMembers({ givenMembers }: Format): Schema {
  const foreign = formats.flatMap((other) => other.givenMembers).filter((member) => !givenMembers.includes(member));
  return Object.fromEntries(foreign.map((member) => [member, false]));
}

function dataModelOf({ dataModels }: Format): Schema {
  return dataModels.length === 1 ? { const: dataModels[0] } : { enum: dataModels };
}
