import { type NamedCredential, OAuthError } from '@app/openid4vc';
import type { IssuableConfiguration } from '@app/templates';
import { CredentialDenied } from './credential-denied';
import { type Promised, selectPromised } from './promised-credential';

const vct = (id: string): string => `https://credentials.example/${id}`;
const configuration = (id: string): IssuableConfiguration => ({
  id,
  scope: id,
  format: 'dc+sd-jwt',
  dataModel: 'sd-jwt-vc',
  vct: vct(id),
  signingAlgorithm: 'ES256',
  origin: 'template',
  expiration: 'never',
  issuerIdentifier: 'did',
  subject: 'holder',
  revocable: false,
});

const issuable = (id: string): Promised => ({
  configurationId: id,
  found: { status: 'issuable', configuration: configuration(id) },
});
const archived = (id: string): Promised => ({
  configurationId: id,
  found: { status: 'archived', configuration: configuration(id) },
});
/** As a newer version of the service would have stored it. */
const newer = (id: string): Promised => ({
  configurationId: id,
  found: {
    status: 'issuable',
    configuration: { ...configuration(id), format: 'mso_sealed' as 'dc+sd-jwt', vct: vct(id) },
  },
});
const deleted = (id: string): Promised => ({ configurationId: id, found: { status: 'deleted' } });
const removed = (id: string): Promised => ({ configurationId: id, found: { status: 'removed' } });

const byId = (configurationId: string): NamedCredential => ({ by: 'configuration', configurationId });
const byIdentifier = (identifier: string): NamedCredential => ({ by: 'identifier', identifier });
const byFormat = (id: string): NamedCredential => ({ by: 'format', format: 'dc+sd-jwt', vct: vct(id) });

function outcome(named: NamedCredential, ...promised: Promised[]): string {
  const grant = {
    configurationIds: promised.map(({ configurationId }) => configurationId),
    identifiersGiven: named.by === 'identifier',
  };
  try {
    // As it was a second ago.
    const others = promised.map(({ configurationId }) => configuration(configurationId));
    return selectPromised(named, grant, promised, others).id;
  } catch (error) {
    if (error instanceof CredentialDenied) {
      return [error.code, ...error.denials.map((one) => `${one.configurationId} ${one.reason}`)].join(', ');
    }
    if (error instanceof OAuthError) return String(error.code);
    throw error;
  }
}

describe('a promised credential', () => {
  it.each([byId, byIdentifier, byFormat])('is what the wallet names (%p)', (named) => {
    expect(outcome(named('b'), issuable('a'), issuable('b'))).toBe('b');
    expect(outcome(named('b'), archived('a'), issuable('b'))).toBe('b');
  });

  it.each([byId, byIdentifier, byFormat])('is denied once its template is archived (%p)', (named) => {
    expect(outcome(named('b'), issuable('a'), archived('b'))).toBe('credential_request_denied, b template-archived');
  });

  it('is denied for each reason by name', () => {
    expect(outcome(byId('b'), issuable('a'), deleted('b'))).toBe('credential_request_denied, b template-deleted');
    expect(outcome(byId('b'), issuable('a'), removed('b'))).toBe('credential_request_denied, b configuration-removed');
    expect(outcome(byId('b'), issuable('a'), newer('b'))).toBe('credential_request_denied, b newer-version');
  });

  it('is denied whatever the wallet names when nothing of the offer is issued any more', () => {
    expect(outcome(byFormat('x'), archived('a'), deleted('b'))).toBe(
      'credential_request_denied, a template-archived, b template-deleted',
    );
  });

  it('is one that the token covers', () => {
    expect(outcome(byId('x'), issuable('a'), archived('b'))).toBe('unknown_credential_configuration');
    expect(outcome(byFormat('x'), issuable('a'), archived('b'))).toBe('unsupported_credential_type');
  });
});
