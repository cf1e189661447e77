import { OAuthError, type Quoting } from '../wire/oauth-error';
import { type RefusalReason } from '../wire/refusal-reason';
import { isWireObject, member } from '../wire/wire-object';

const TYPE = 'openid_credential';

/**
 * Reads `authorization_details` (RFC 9396, OpenID4VCI 1.0 §5.1.1) of a token request into configuration ids.
 * @throws OAuthError invalid_authorization_details.
 */
export function parseAuthorizationDetails(json: string): readonly string[] {
  let details: unknown;
  try {
    details = JSON.parse(json);
  } catch {
    throw invalid('details-malformed', 'authorization_details is not JSON; a JSON array is expected.');
  }
  if (!Array.isArray(details) || details.length === 0) {
    throw invalid('details-malformed', 'authorization_details must be a JSON array with at least one item.');
  }
  return [...new Set(details.map(configurationId))];
}

/** Identifiers handed out are the configuration ids themselves: one dataset per configuration in an offer. */
export function renderAuthorizationDetails(configurationIds: readonly string[]): Record<string, unknown>[] {
  return configurationIds.map((id) => ({
    type: TYPE,
    credential_configuration_id: id,
    credential_identifiers: [id],
  }));
}

function configurationId(item: unknown): string {
  if (!isWireObject(item))
    throw invalid('details-malformed', 'Every item of authorization_details must be a JSON object.');
  if (member(item, 'type') !== TYPE)
    throw invalid('details-type-wrong', `Every item of authorization_details must have the type ${TYPE}.`);
  const id = member(item, 'credential_configuration_id');
  // Drafts 13 to 15 let an item name a format instead; never both.
  if (member(item, 'format') !== undefined) {
    throw invalid(
      'details-by-format',
      'An item of authorization_details must name credential_configuration_id and no format.',
    );
  }
  // Nothing is called so, and no database can look for it.
  if (typeof id !== 'string' || id === '' || /[\0\p{Surrogate}]/u.test(id)) {
    throw invalid(
      'details-malformed',
      'Every item of authorization_details must name its credential_configuration_id as a string.',
    );
  }
  return id;
}

function invalid(reason: RefusalReason, description: string | Quoting): OAuthError {
  return new OAuthError('invalid_authorization_details', description, { reason });
}
