import { type CredentialConfiguration } from '../formats/registry';
import { OAuthError } from '../wire/oauth-error';
import { type NamedCredential } from './request-class';
import { selectConfiguration } from './select-configuration';

const types = ['VerifiableCredential', 'Degree'];
const vct = 'https://example.com/vct';
const all: CredentialConfiguration[] = [
  { id: 'degree', scope: 'degree', format: 'jwt_vc_json', types, signingAlgorithm: 'ES256' },
  { id: 'degree-eddsa', scope: 'degree-eddsa', format: 'jwt_vc_json', types, signingAlgorithm: 'EdDSA' },
  { id: 'plain', scope: 'plain', format: 'jwt_vc_json', types: ['VerifiableCredential'], signingAlgorithm: 'ES256' },
  { id: 'identity', scope: 'identity', format: 'dc+sd-jwt', vct, signingAlgorithm: 'ES256' },
];
const authorised = { configurationIds: ['identity', 'degree-eddsa', 'degree'], identifiersGiven: false };
const withIdentifiers = { ...authorised, identifiersGiven: true };

const outcome = (named: NamedCredential, token = authorised, known = all): string => {
  try {
    return selectConfiguration(named, token, known).id;
  } catch (error) {
    if (error instanceof OAuthError) return `${error.status} ${error.code ?? ''}`;
    throw error;
  }
};
const byTypes = (...wanted: string[]): NamedCredential => ({ by: 'format', format: 'jwt_vc_json', types: wanted });

describe('the configuration a request means', () => {
  it.each<[string, NamedCredential, string]>([
    ['an id', { by: 'configuration', configurationId: 'degree' }, 'degree'],
    ['an unknown id', { by: 'configuration', configurationId: 'x' }, '400 unknown_credential_configuration'],
    ['the id __proto__', { by: 'configuration', configurationId: '__proto__' }, '400 unknown_credential_configuration'],
    ['an id the token does not cover', { by: 'configuration', configurationId: 'plain' }, '403 insufficient_scope'],
    ['an identifier never handed out', { by: 'identifier', identifier: 'degree' }, '400 unknown_credential_identifier'],
    ['types, several times, the first of the offer', byTypes('VerifiableCredential', 'Degree'), 'degree-eddsa'],
    ['types in another order', byTypes('Degree', 'VerifiableCredential', 'Degree'), 'degree-eddsa'],
    ['types the token does not cover', byTypes('VerifiableCredential'), '400 unsupported_credential_type'],
    ['more types than there are', byTypes(...types, 'Other'), '400 unsupported_credential_type'],
    ['a vct', { by: 'format', format: 'vc+sd-jwt', vct }, 'identity'],
    ['a vct by the new name', { by: 'format', format: 'dc+sd-jwt', vct }, 'identity'],
    ['an unknown vct', { by: 'format', format: 'vc+sd-jwt', vct: 'x' }, '400 unsupported_credential_type'],
  ])('by %s', (_name, named, expected) => {
    expect(outcome(named)).toBe(expected);
  });

  it('by a format nothing is issued in', () => {
    const jwtOnly = all.slice(0, 3);
    expect(outcome({ by: 'format', format: 'vc+sd-jwt', vct }, authorised, jwtOnly)).toBe(
      '400 unsupported_credential_format',
    );
  });

  it('by identifier, and by nothing else, once identifiers were handed out', () => {
    expect(outcome({ by: 'identifier', identifier: 'degree' }, withIdentifiers)).toBe('degree');
    expect(outcome({ by: 'identifier', identifier: 'plain' }, withIdentifiers)).toBe(
      '400 unknown_credential_identifier',
    );
    expect(outcome({ by: 'configuration', configurationId: 'degree' }, withIdentifiers)).toBe(
      '400 invalid_credential_request',
    );
    expect(outcome({ by: 'configuration', configurationId: 'x' }, withIdentifiers)).toBe(
      '400 unknown_credential_configuration',
    );
    expect(outcome(byTypes(...types), withIdentifiers)).toBe('400 invalid_credential_request');
  });

  it('is none any more when the configuration has gone since the offer', () => {
    expect(outcome({ by: 'identifier', identifier: 'degree' }, withIdentifiers, [])).toBe(
      '400 unknown_credential_identifier',
    );
  });
});
