import { type CredentialConfiguration, formatOf, type NamedByFormat } from '../formats/registry';
import { OAuthError, Quoting, quoting } from '../wire/oauth-error';
import { type NamedCredential } from './request-class';

/** What the access token of the request authorises. */
export interface CredentialAuthorisation {
  /** In the order of the offer. */
  readonly configurationIds: readonly string[];
  /** Whether the token response carried `credential_identifiers` (that is, `authorization_details` was used). */
  readonly identifiersGiven: boolean;
  /** What a wallet hears that asks for another configuration; wallets with pre-authorized codes know this one. */
  readonly uncovered?: 'insufficient_scope' | 'credential_request_denied';
}

/**
 * The configuration a request means, among those its token covers.
 * @throws OAuthError with the code of the request's class (OpenID4VCI 1.0 §8.3.1, draft 13 §7.3.1).
 */
export function selectConfiguration<C extends CredentialConfiguration>(
  named: NamedCredential,
  authorised: CredentialAuthorisation,
  all: readonly C[],
): C {
  if (authorised.identifiersGiven !== (named.by === 'identifier')) throw identifierMisuse(named, all);
  switch (named.by) {
    case 'configuration':
      return selectById(named.configurationId, authorised, all);
    case 'identifier': {
      const known = authorised.configurationIds.includes(named.identifier);
      const found = known ? all.find((configuration) => configuration.id === named.identifier) : undefined;
      if (found === undefined) throw unknownIdentifier(named.identifier);
      return found;
    }
    case 'format':
      return selectByFormat(named, authorised, all);
  }
}

function selectById<C extends CredentialConfiguration>(
  id: string,
  authorised: CredentialAuthorisation,
  all: readonly C[],
): C {
  const found = all.find((configuration) => configuration.id === id);
  if (found === undefined) throw unknownConfiguration(id);
  if (!authorised.configurationIds.includes(id)) {
    const { uncovered = 'insufficient_scope' } = authorised;
    throw new OAuthError(uncovered, `The access token does not cover the credential configuration '${id}'.`);
  }
  return found;
}

function selectByFormat<C extends CredentialConfiguration>(
  named: NamedByFormat,
  authorised: CredentialAuthorisation,
  all: readonly C[],
): C {
  const format = formatOf(named.format);
  const ofFormat = all.filter((configuration) => configuration.format === format.id);
  if (ofFormat.length === 0) {
    throw new OAuthError(
      'unsupported_credential_format',
      `No credential of the format ${named.format} is issued here.`,
    );
  }
  // Several may match: the offer's order decides.
  for (const id of authorised.configurationIds) {
    const found = ofFormat.find((configuration) => configuration.id === id && format.isNamedBy(named, configuration));
    if (found !== undefined) return found;
  }
  throw new OAuthError(
    'unsupported_credential_type',
    new Quoting(
      `The access token covers no ${named.format} credential of the type '${format.typeText(named)}'.`,
      `The access token covers no ${named.format} credential of the type '...'.`,
    ),
  );
}

function identifierMisuse(named: NamedCredential, all: readonly CredentialConfiguration[]): OAuthError {
  if (named.by === 'identifier') return unknownIdentifier(named.identifier);
  if (named.by === 'configuration' && !all.some(({ id }) => id === named.configurationId)) {
    return unknownConfiguration(named.configurationId);
  }
  // OpenID4VCI 1.0 §8.2: identifiers that were handed out must be used; draft 13 §7.2 says the same of `format`.
  return new OAuthError(
    'invalid_credential_request',
    'The token response named credential_identifiers, so the request must carry a credential_identifier.',
    { reason: 'identifier-expected' },
  );
}

function unknownConfiguration(id: string): OAuthError {
  return new OAuthError('unknown_credential_configuration', quoting`There is no credential configuration '${id}'.`);
}

function unknownIdentifier(identifier: string): OAuthError {
  return new OAuthError(
    'unknown_credential_identifier',
    quoting`The token response named no identifier '${identifier}'.`,
  );
}
