import type { CredentialConfiguration } from '@app/openid4vc';
import type { Buildable, UnsignedContent } from './credential-format';
import { credentialFormat } from './registry';

/** Refuses what cannot be issued before a wallet asks for it. Throws `ClaimsError`. */
export function assertIssuable(content: UnsignedContent, configuration: Buildable<CredentialConfiguration>): void {
  credentialFormat(configuration.format).assertIssuable(content, configuration);
}
