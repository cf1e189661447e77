import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { Fetch } from './issuance-client';

/** `authorization_details` of a token response (RFC 9396 §7, OpenID4VCI 1.0 §6.2). */
export type GivenDetails = readonly Record<string, unknown>[];

/** The credentials of a configuration that a token is for; empty when its server has not named them. */
export function identifiersOf(configurationId: string, given: GivenDetails): readonly string[] {
  const named = given.filter(
    (detail) => detail['type'] === 'openid_credential' && detail['credential_configuration_id'] === configurationId,
  );
  const identifiers = named.flatMap((detail): unknown => detail['credential_identifiers']);
  return identifiers.filter((identifier): identifier is string => typeof identifier === 'string');
}

/**
 * Asks for a credential by its identifier in the place of its configuration (OpenID4VCI 1.0 §8.2), which the client library
 * cannot.
 */
export function identifyingFetch({ credentialIssuer }: IssuerMetadataResult, identifier: string, send: Fetch): Fetch {
  return async (input, init) => {
    if (input !== credentialIssuer.credential_endpoint || typeof init?.body !== 'string') return send(input, init);
    const asked = JSON.parse(init.body) as Record<string, unknown>;
    delete asked['credential_configuration_id'];
    return send(input, { ...init, body: JSON.stringify({ ...asked, credential_identifier: identifier }) });
  };
}
