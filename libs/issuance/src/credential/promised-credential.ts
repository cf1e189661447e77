import { type Denial, denialReasonOf } from '@app/offers';
import { type CredentialAuthorisation, type NamedCredential, selectConfiguration } from '@app/openid4vc';
import { isFormatKnown, type IssuableConfiguration, type PromisedConfiguration } from '@app/templates';
import { CredentialDenied } from './credential-denied';

/** A configuration the access token covers, and what became of it since the offer was made. */
export interface Promised {
  readonly configurationId: string;
  readonly found: PromisedConfiguration;
}

/**
 * The configuration that a request means, as it is issued now. Throws `CredentialDenied` when it is not issued any more,
 * and `OAuthError` when the token does not cover what the wallet names.
 * @param others configurations that only distinguish unknown from uncovered
 */
export function selectPromised(
  named: NamedCredential,
  grant: CredentialAuthorisation,
  promised: readonly Promised[],
  others: readonly IssuableConfiguration[],
): IssuableConfiguration {
  const denials = promised.flatMap(denialOf);
  const [first, ...further] = denials;
  // However a wallet names the credential, it hears the same.
  if (first && denials.length === promised.length) throw new CredentialDenied([first, ...further]);
  const refuseDenied = (id: string | undefined): void => {
    const denial = denials.find(({ configurationId }) => configurationId === id);
    if (denial) throw new CredentialDenied([denial]);
  };
  refuseDenied(idIn(named));
  const covered = promised.flatMap(({ found }) => ('configuration' in found ? [found.configuration] : []));
  const known = [...covered, ...others].filter(isFormatKnown);
  // A list that is a second old may hold what has just been archived or changed: what the store says comes first.
  const selected = selectConfiguration(named, grant, known);
  refuseDenied(selected.id);
  return covered.find(({ id }) => id === selected.id) ?? selected;
}

function denialOf({ configurationId, found }: Promised): Denial[] {
  const reason = denialReasonOf(found);
  return reason ? [{ configurationId, reason }] : [];
}

/** The id by which a wallet names what it wants, if it does. */
function idIn(named: NamedCredential): string | undefined {
  switch (named.by) {
    case 'configuration':
      return named.configurationId;
    case 'identifier':
      return named.identifier;
    case 'format':
      return undefined;
  }
}
