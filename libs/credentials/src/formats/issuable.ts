import type { CredentialConfiguration } from '@app/openid4vc';
import type { Buildable, UnsignedContent } from './credential-format';
import { credentialFormat } from './registry';

/** Builds the credential without signing it, so that what cannot be issued is refused before a wallet asks. Throws `ClaimsError`. */
export function assertIssuable(content: UnsignedContent, configuration: Buildable<CredentialConfiguration>): void {
  const format = credentialFormat(configuration.format);
  format.assertClaims(content.claims);
  format.build(content, configuration, {
    issuer: 'https://issuer.example',
    issuedAt: new Date(0),
    expiresAt: undefined,
    holder: undefined,
    formatName: configuration.format,
    sign: () => '',
  });
}
