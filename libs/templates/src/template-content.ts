import { assertDisclosurePointers, ClaimsError } from '@app/credentials';
import { Problem } from '@app/problem-details';
import { defaultExpiration, parseExpiration } from './expiration';
import { assertUsableSchema } from './json-schema';
import type { TemplateContent } from './template';
import type { CreateTemplateBody } from './template.dto';

/** Checks what the DTO cannot: format, data model, expiration, schema and disclosure pointers. */
export function contentOf(body: CreateTemplateBody): TemplateContent {
  const { title, description, tags, format, schema, signingAlgorithm, selectivelyDisclosable, display } = body;
  if (format !== 'jwt_vc_json' && format !== 'dc+sd-jwt') {
    throw new Problem('unsupported-credential-format-identifier', 'The format must be jwt_vc_json or dc+sd-jwt.');
  }
  const dataModel = format === 'jwt_vc_json' ? 'w3c-vc-1.1' : 'sd-jwt-vc';
  refuseMember(
    body.dataModel !== undefined && body.dataModel !== dataModel,
    'dataModel',
    `must be ${dataModel} for ${format}`,
  );
  refuseMember(format === 'jwt_vc_json' && body.vct !== undefined, 'vct', 'belongs to the format dc+sd-jwt');
  refuseMember(format === 'dc+sd-jwt' && body.type !== undefined, 'type', 'belongs to the format jwt_vc_json');
  refuseMember(
    format === 'jwt_vc_json' && selectivelyDisclosable !== undefined,
    'selectivelyDisclosable',
    'belongs to the format dc+sd-jwt',
  );
  const expiration = body.expiration === undefined ? defaultExpiration : parseExpiration(body.expiration);
  if (expiration === undefined) {
    throw invalidMember('expiration', 'must be never, an ISO 8601 duration or an RFC 3339 date-time');
  }
  assertUsableSchema(schema);
  if (selectivelyDisclosable) assertPointers(selectivelyDisclosable);
  const types =
    body.type?.includes('VerifiableCredential') === false ? ['VerifiableCredential', ...body.type] : body.type;
  return {
    title,
    tags: tags ?? [],
    format,
    dataModel,
    expiration,
    schema,
    signingAlgorithm: signingAlgorithm ?? 'ES256',
    ...(description !== undefined && { description }),
    ...(types && { types }),
    ...(body.vct !== undefined && { vct: body.vct }),
    ...(selectivelyDisclosable && { selectivelyDisclosable }),
    ...(display && { display }),
  };
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
