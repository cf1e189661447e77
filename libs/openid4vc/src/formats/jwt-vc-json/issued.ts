import { type ConfigurationMembers } from '../configuration-members';
import { BINDING_METHODS } from '../../wire/binding-methods';
import { namesOf } from '../../wire/algorithm-names';
import { OAuthError } from '../../wire/oauth-error';
import { isWireObject, member, nonEmptyStrings } from '../../wire/wire-object';
import { type IssuedFormat, type NamedByType } from '../credential-format';

/** A W3C credential as JWT (OpenID4VCI 1.0 appendix A.1.1). */
export interface JwtVcJsonConfiguration extends ConfigurationMembers {
  readonly format: 'jwt_vc_json';
  /** `VerifiableCredential` among them. */
  readonly types: readonly string[];
}

export interface NamedJwtVcJson extends NamedByType {
  readonly format: 'jwt_vc_json';
  readonly types: readonly string[];
}

export const issuedJwtVcJson: IssuedFormat<JwtVcJsonConfiguration, NamedJwtVcJson> = {
  typesOf: ({ types }) => types,
  typesInMetadata(configuration) {
    const definition = member(configuration, 'credential_definition');
    return isWireObject(definition) ? member(definition, 'type') : undefined;
  },
  faultsOfType: ({ types }) => [
    ...(types.includes('VerifiableCredential') ? [] : ['types must contain VerifiableCredential']),
    ...(new Set(types).size < types.length ? ['types repeats an entry'] : []),
  ],
  renderType: ({ types }) => ({ credential_definition: { type: types } }),
  renderEarlierType: ({ types }, claims) => ({
    credential_definition: { type: types, ...(claims && { credentialSubject: claims }) },
  }),
  bindingMethods: BINDING_METHODS,
  signingAlgorithmValues: namesOf,
  renderTypeMetadata: () => undefined,
  pathToClaims: ['credentialSubject'],
  readNamed(format, body) {
    // `credential_definition.type` since draft 12, top-level `types` in draft 11.
    const definition = member(body, 'credential_definition');
    const types = nonEmptyStrings(isWireObject(definition) ? member(definition, 'type') : member(body, 'types'));
    if (types === undefined) {
      throw new OAuthError(
        'invalid_credential_request',
        `A request by format ${format} must list the credential types in credential_definition.type.`,
        { reason: 'type-missing' },
      );
    }
    return { by: 'format', format, types };
  },
  isNamedBy(named, { types }) {
    const wanted = new Set(named.types);
    const offered = new Set(types);
    return wanted.size === offered.size && [...wanted].every((type) => offered.has(type));
  },
  typeText: ({ types }) => types.join(', '),
};
