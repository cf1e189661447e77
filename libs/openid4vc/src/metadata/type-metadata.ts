import { type CredentialConfiguration, formatOf } from '../formats/registry';

/**
 * The document that describes the type of a credential, at the address that is its type. Undefined when the types of
 * the format are not addresses.
 */
export function renderTypeMetadata(configuration: CredentialConfiguration): Record<string, unknown> | undefined {
  return formatOf(configuration.format).renderTypeMetadata(configuration);
}
