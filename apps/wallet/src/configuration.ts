import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { WalletFailure } from './failure';
import { algorithms, bindings, type Algorithm, type Binding } from './holder-key';
import { credentialFormats, type CredentialFormat } from './wallet-file';

/** One offered credential configuration, reduced to what the wallet decides by. */
export interface Configuration {
  readonly id: string;
  readonly format: CredentialFormat;
  readonly title: string;
  /** `credential_definition.type`, or the one `vct`. */
  readonly types: readonly string[];
  /** Absent when the credential is not bound to a holder. */
  readonly binding: { readonly methods: readonly Binding[]; readonly algorithms: readonly Algorithm[] } | null;
}

/** Reads an offered configuration out of the issuer metadata; throws when it is missing or not for this wallet. */
export function readConfiguration(metadata: IssuerMetadataResult, id: string): Configuration {
  const published: Record<string, unknown> | undefined =
    metadata.credentialIssuer.credential_configurations_supported[id];
  if (!published) throw new WalletFailure(`The offer names ${id}, which the issuer's metadata does not contain.`);
  const format = credentialFormats.find((known) => known === published['format']);
  if (!format) throw new WalletFailure(`${id} has the format ${String(published['format'])}, unknown to this wallet.`);
  const types = format === 'jwt_vc_json' ? object(published['credential_definition'])['type'] : [published['vct']];
  if (!Array.isArray(types)) throw new WalletFailure(`${id} has no credential_definition.type in the metadata.`);
  const title = displayName(object(published['credential_metadata'])) ?? displayName(published) ?? id;
  return { id, format, title, types: types.map(String), binding: readBinding(published) };
}

function readBinding(published: Record<string, unknown>): Configuration['binding'] {
  const methods = published['cryptographic_binding_methods_supported'];
  // OpenID4VCI 1.0 §12.2.4: both members are present exactly when the credential is bound to a key.
  if (methods === undefined && published['proof_types_supported'] === undefined) return null;
  const offered = object(object(published['proof_types_supported'])['jwt'])['proof_signing_alg_values_supported'];
  const named = (known: string, values: unknown): boolean => Array.isArray(values) && values.includes(known);
  return {
    // Draft 13 metadata may give proof types without binding methods; the choice is then the wallet's.
    methods: bindings.filter((known) => methods === undefined || named(known, methods)),
    algorithms: algorithms.filter((known) => named(known, offered)),
  };
}

function displayName(holder: Record<string, unknown>): string | undefined {
  const [first] = Array.isArray(holder['display']) ? (holder['display'] as unknown[]) : [];
  const name = object(first)['name'];
  return typeof name === 'string' ? name : undefined;
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
