import { assertDisclosurePointers, ClaimsError, credentialFormat, formats } from '@app/credentials';
import { credentialFormats, isCredentialFormat } from '@app/openid4vc';
import { Problem } from '@app/problem-details';
import { type DataModel, inApiWords } from './credential-configuration';
import { defaultExpiration, expirationText, parseExpiration } from './expiration';
import { assertUsableSchema } from './json-schema';
import type { TemplateContent } from './template';
import type { TemplateChange, TemplateInput } from './template-input';

/** The content that is asked for. Throws the problem of the first member that is invalid. */
export async function contentOf(input: TemplateInput): Promise<TemplateContent> {
  const content = normalised(input);
  await assertUsableSchema(input.schema);
  return content;
}

/** The content after a change. Throws as `contentOf`. */
export async function changedContent(present: TemplateContent, change: TemplateChange): Promise<TemplateContent> {
  const { expiration, ...rest } = present;
  const content = normalised({ ...inApiWords(rest), expiration: expirationText(expiration), ...change });
  if (change.schema) await assertUsableSchema(change.schema);
  return content;
}

/** The content of a copy. */
export function copiedContent(original: TemplateContent, title: string | undefined): TemplateContent {
  const mark = ' (copy)';
  return { ...original, title: title ?? original.title.slice(0, 256 - mark.length) + mark };
}

/** Checks what the DTO cannot: format, data model, expiration and disclosure pointers. */
function normalised(input: TemplateInput): TemplateContent {
  const { title, description, tags, schema, signingAlgorithm, issuerIdentifier, subject, display } = input;
  if (!isCredentialFormat(input.format)) {
    const known = credentialFormats.join(' or ');
    throw new Problem('unsupported-credential-format-identifier', `The format must be ${known}.`);
  }
  const format = credentialFormat(input.format);
  const dataModel = dataModelOf(format, input.dataModel ?? undefined);
  refuseForeignMembers(input, format);
  const expiration = isGiven(input.expiration) ? parseExpiration(input.expiration) : defaultExpiration;
  if (expiration === undefined) {
    throw invalidMember('expiration', 'must be never, an ISO 8601 duration or an RFC 3339 date-time');
  }
  if (input.selectivelyDisclosable) assertPointers(input.selectivelyDisclosable);
  return {
    ...format.describe(format.completed(input)),
    title,
    tags: tags ?? [],
    dataModel,
    expiration,
    schema,
    signingAlgorithm: signingAlgorithm ?? 'ES256',
    ...(isGiven(issuerIdentifier) && { issuerIdentifier }),
    ...(isGiven(subject) && { subject }),
    ...(isGiven(description) && { description }),
    ...(display && { display }),
  };
}

type Format = ReturnType<typeof credentialFormat>;

function dataModelOf({ id, dataModels }: Format, asked: DataModel | undefined): DataModel {
  if (asked === undefined) return dataModels[0];
  if (dataModels.includes(asked)) return asked;
  throw invalidMember('dataModel', `must be ${dataModels.join(' or ')} for ${id}`);
}

function refuseForeignMembers(input: TemplateInput, { givenMembers }: Format): void {
  for (const { id, givenMembers: members } of formats) {
    const foreign = members.find((member) => isGiven(input[member]) && !givenMembers.includes(member));
    if (foreign !== undefined) throw invalidMember(foreign, `belongs to the format ${id}`);
  }
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function assertPointers(pointers: readonly string[]): void {
  try {
    assertDisclosurePointers(pointers);
  } catch (error) {
    if (error instanceof ClaimsError) throw invalidMember('selectivelyDisclosable', error.message);
    throw error;
  }
}

function invalidMember(member: string, message: string): Problem {
  return new Problem('validation-failed', `The body has a fault: ${member} ${message}.`, [
    { pointer: `/${member}`, message },
  ]);
}
