import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { WalletFailure } from './failure';
import { type Algorithm, algorithms, type Binding, bindings } from './keys';
import { type CredentialFormat, credentialFormats } from './wallet-file';

/** One offered credential configuration, reduced to what the wallet decides by. */
export interface Configuration {
  readonly id: string;
  readonly format: CredentialFormat;
  readonly title: string;
  /** `credential_definition.type`, or the one `vct` or `doctype`. */
  readonly types: readonly string[];
  /** Absent when the credential is not bound to a holder. */
  readonly binding: { readonly methods: readonly Binding[]; readonly algorithms: readonly Algorithm[] } | null;
}

/** The members of the metadata (OpenID4VCI 1.0 §12.2.4, and draft 13) that the wallet reads. */
interface Published {
  readonly format: string;
  readonly vct?: string;
  readonly doctype?: string;
  readonly credential_definition?: { readonly type?: readonly string[] };
  readonly display?: readonly { readonly name?: string }[];
  readonly credential_metadata?: Pick<Published, 'display'>;
  readonly cryptographic_binding_methods_supported?: readonly string[];
  readonly proof_types_supported?: {
    readonly jwt?: { readonly proof_signing_alg_values_supported?: readonly unknown[] };
  };
}

/** Reads an offered configuration out of the issuer metadata; throws when it is missing or not for this wallet. */
export function readConfiguration({ credentialIssuer }: IssuerMetadataResult, id: string): Configuration {
  const published = credentialIssuer.credential_configurations_supported[id] as Published | undefined;
  if (!published) throw new WalletFailure(`The offer names ${id}, which the issuer's metadata does not contain.`);
  const { vct, doctype, credential_definition: definition, display, credential_metadata: metadata } = published;
  const { proof_types_supported: proofs, cryptographic_binding_methods_supported: methods } = published;
  const format = credentialFormats.find((known) => known === published.format);
  if (!format) throw new WalletFailure(`${id} has the format ${published.format}, unknown to this wallet.`);
  const types = format === 'jwt_vc_json' ? (definition?.type ?? []) : [vct ?? doctype ?? ''];
  const isMdoc = format === 'mso_mdoc';
  const title = metadata?.display?.[0]?.name ?? display?.[0]?.name ?? id;
  // 1.0 §12.2.4: both members are present exactly when the credential is bound to a key. Draft 13 metadata may give
  // proof types without binding methods; the choice is then the wallet's.
  const accepted = proofs?.jwt?.proof_signing_alg_values_supported ?? [];
  const binding = (methods ?? proofs) && {
    // The key goes into an mdoc as COSE_Key; the proof names it as ever.
    methods: bindings.filter((known) => methods?.includes(known === 'jwk' && isMdoc ? 'cose_key' : known) ?? true),
    algorithms: algorithms.filter((known) => accepted.includes(known) && !(isMdoc && known === 'EdDSA')),
  };
  return { id, format, title, types, binding: binding ?? null };
}
