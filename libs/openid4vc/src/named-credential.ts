import { OAuthError } from './oauth-error';
import { type NamedCredential } from './request-class';
import { isWireObject, member, nonEmptyStrings, type WireObject } from './wire-object';

const LONGEST_NAME = 2_048;

/** Which credential a request asks for. An id is looked for first, so a `format` beside it counts for nothing. */
export function nameCredential(body: WireObject): NamedCredential {
  const configurationId = name(body, 'credential_configuration_id');
  if (configurationId !== undefined) return { by: 'configuration', configurationId };
  const identifier = name(body, 'credential_identifier');
  if (identifier !== undefined) return { by: 'identifier', identifier };
  return nameByFormat(body);
}

function nameByFormat(body: WireObject): NamedCredential {
  const format = name(body, 'format');
  switch (format) {
    case 'jwt_vc_json':
      return { by: 'format', format, types: readTypes(body) };
    case 'vc+sd-jwt':
    case 'dc+sd-jwt': {
      const vct = name(body, 'vct');
      if (vct === undefined) throw invalid(`A request by format ${format} must name the vct of the credential.`);
      return { by: 'format', format, vct };
    }
    default:
      throw new OAuthError(
        'unsupported_credential_format',
        `The credential format '${format ?? ''}' is not issued here; jwt_vc_json and vc+sd-jwt are.`,
      );
  }
}

/** `credential_definition.type` since draft 12, top-level `types` in draft 11. */
function readTypes(body: WireObject): readonly string[] {
  const definition = member(body, 'credential_definition');
  const types = nonEmptyStrings(isWireObject(definition) ? member(definition, 'type') : member(body, 'types'));
  if (types === undefined) {
    throw invalid('A request by format jwt_vc_json must list the credential types in credential_definition.type.');
  }
  return types;
}

function name(body: WireObject, key: string): string | undefined {
  const value = member(body, key);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_NAME) {
    throw invalid(`${key} must be a non-empty string of at most ${LONGEST_NAME} characters.`);
  }
  return value;
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_credential_request', description);
}
