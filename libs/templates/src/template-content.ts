import type { IssuerIdentifier } from '@app/config';
import { assertDisclosurePointers, ClaimsError } from '@app/credentials';
import { Problem } from '@app/problem-details';
import { type CredentialSubject, type DataModel, dataModelsOf } from './credential-configuration';
import { defaultExpiration, expirationText, parseExpiration } from './expiration';
import { assertUsableSchema, type JsonSchema, schemaIn } from './json-schema';
import type { TemplateContent } from './template';
import type { ChangeTemplateBody, CreateTemplateBody, DisplayBody } from './template.dto';

/** The words of a portal. What is absent or null stands for the usual. */
interface Wish {
  readonly title: string;
  readonly description?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly format: string;
  readonly dataModel?: DataModel | null | undefined;
  readonly type?: readonly string[] | null | undefined;
  readonly vct?: string | null | undefined;
  readonly schema: JsonSchema;
  readonly expiration?: string | null | undefined;
  readonly signingAlgorithm?: 'ES256' | 'EdDSA' | null | undefined;
  readonly issuerIdentifier?: IssuerIdentifier | null | undefined;
  readonly subject?: CredentialSubject | null | undefined;
  readonly selectivelyDisclosable?: readonly string[] | null | undefined;
  readonly display?: readonly DisplayBody[] | null | undefined;
}

/** What a portal asks for as the content of a new template; throws the problem of the first member that will not do. */
export async function contentOf(body: CreateTemplateBody): Promise<TemplateContent> {
  const { schema: given, ...others } = body;
  const schema = schemaIn(given);
  const content = understood({ ...others, schema });
  await assertUsableSchema(schema);
  return content;
}

/** The content with what a portal changes of it. */
export async function changedContent(present: TemplateContent, body: ChangeTemplateBody): Promise<TemplateContent> {
  const { types, expiration, ...rest } = present;
  const schema = body.schema === undefined ? undefined : schemaIn(body.schema);
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  const content = understood({
    ...rest,
    type: types,
    expiration: expirationText(expiration),
    ...(Object.fromEntries(given) as Partial<Wish>),
  });
  if (schema) await assertUsableSchema(schema);
  return content;
}

/** The content of a copy. */
export function copiedContent(original: TemplateContent, title: string | undefined): TemplateContent {
  const mark = ' (copy)';
  return { ...original, title: title ?? original.title.slice(0, 256 - mark.length) + mark };
}

/** Checks what the DTO cannot: format, data model, expiration and disclosure pointers. */
function understood(wish: Wish): TemplateContent {
  const { title, description, tags, format, schema, signingAlgorithm, selectivelyDisclosable, display, vct } = wish;
  if (format !== 'jwt_vc_json' && format !== 'dc+sd-jwt') {
    throw new Problem('unsupported-credential-format-identifier', 'The format must be jwt_vc_json or dc+sd-jwt.');
  }
  const dataModel = dataModelOf(format, wish.dataModel ?? undefined);
  const { issuerIdentifier, subject } = wish;
  const isJwt = format === 'jwt_vc_json';
  refuseMember(isJwt && isGiven(vct), 'vct', 'belongs to the format dc+sd-jwt');
  refuseMember(!isJwt && isGiven(wish.type), 'type', 'belongs to the format jwt_vc_json');
  const named = 'selectivelyDisclosable';
  refuseMember(isJwt && isGiven(selectivelyDisclosable), named, 'belongs to the format dc+sd-jwt');
  const expiration = isGiven(wish.expiration) ? parseExpiration(wish.expiration) : defaultExpiration;
  if (expiration === undefined) {
    throw invalidMember('expiration', 'must be never, an ISO 8601 duration or an RFC 3339 date-time');
  }
  if (selectivelyDisclosable) assertPointers(selectivelyDisclosable);
  const types =
    wish.type?.includes('VerifiableCredential') === false ? ['VerifiableCredential', ...wish.type] : wish.type;
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

function dataModelOf(format: TemplateContent['format'], wished: DataModel | undefined): DataModel {
  const [usual, ...others] = dataModelsOf[format];
  if (wished === undefined || wished === usual) return usual;
  const found = others.find((one) => one === wished);
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
