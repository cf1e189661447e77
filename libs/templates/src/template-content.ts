import { assertDisclosurePointers, ClaimsError } from '@app/credentials';
import { Problem } from '@app/problem-details';
import { type DataModel, dataModelsOf } from './credential-configuration';
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
  const { types, expiration, ...rest } = present;
  const content = normalised({ ...rest, type: types, expiration: expirationText(expiration), ...change });
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
  const { title, description, tags, format, schema, signingAlgorithm, selectivelyDisclosable, display, vct } = input;
  if (format !== 'jwt_vc_json' && format !== 'dc+sd-jwt') {
    throw new Problem('unsupported-credential-format-identifier', 'The format must be jwt_vc_json or dc+sd-jwt.');
  }
  const dataModel = dataModelOf(format, input.dataModel ?? undefined);
  const { issuerIdentifier, subject } = input;
  const isJwt = format === 'jwt_vc_json';
  refuseMember(isJwt && isGiven(vct), 'vct', 'belongs to the format dc+sd-jwt');
  refuseMember(!isJwt && isGiven(input.type), 'type', 'belongs to the format jwt_vc_json');
  const named = 'selectivelyDisclosable';
  refuseMember(isJwt && isGiven(selectivelyDisclosable), named, 'belongs to the format dc+sd-jwt');
  const expiration = isGiven(input.expiration) ? parseExpiration(input.expiration) : defaultExpiration;
  if (expiration === undefined) {
    throw invalidMember('expiration', 'must be never, an ISO 8601 duration or an RFC 3339 date-time');
  }
  if (selectivelyDisclosable) assertPointers(selectivelyDisclosable);
  const types =
    input.type?.includes('VerifiableCredential') === false ? ['VerifiableCredential', ...input.type] : input.type;
  return {
    title,
    tags: tags ?? [],
    format,
    dataModel,
    expiration,
    schema,
    signingAlgorithm: signingAlgorithm ?? 'ES256',
    ...(isGiven(issuerIdentifier) && { issuerIdentifier }),
    ...(isGiven(subject) && { subject }),
    ...(isGiven(description) && { description }),
    ...(types && { types }),
    ...(isGiven(vct) && { vct }),
    ...(selectivelyDisclosable && { selectivelyDisclosable }),
    ...(display && { display }),
  };
}

function dataModelOf(format: TemplateContent['format'], asked: DataModel | undefined): DataModel {
  const [usual, ...others] = dataModelsOf[format];
  if (asked === undefined || asked === usual) return usual;
  const found = others.find((one) => one === asked);
  if (found) return found;
  throw invalidMember('dataModel', `must be ${[usual, ...others].join(' or ')} for ${format}`);
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

function refuseMember(condition: boolean, member: string, message: string): void {
  if (condition) throw invalidMember(member, message);
}

function invalidMember(member: string, message: string): Problem {
  return new Problem('validation-failed', `The body has a fault: ${member} ${message}.`, [
    { pointer: `/${member}`, message },
  ]);
}
