import { type CredentialFormatId, type FormatName, formatOf, type NamedByFormat } from '../formats/registry';

/**
 * The form of a credential request; the response follows it.
 * F: an id with `proofs` (1.0, draft 15) · F-single: an id with `proof` (draft 15, or 13/14 after authorization_details)
 * L14: `format` with `proofs` · L13: `format` with `proof` · L11: `format` with top-level `types`
 */
export type RequestClass = 'F' | 'F-single' | 'L14' | 'L13' | 'L11';

/** The credential endpoint that was called, hence the metadata document the wallet has read. */
export type CredentialEndpointVersion = 'final' | 'draft-13';

/** What of a request decides the dialect of its answer. */
export interface RequestDialect {
  readonly requestClass: RequestClass;
  readonly endpoint: CredentialEndpointVersion;
}

/** The generations of wallets that a request may show, the newest first. */
export const walletGenerations = ['1.0', 'draft 15', 'draft 14', 'draft 13', 'draft 11'] as const;
export type WalletGeneration = (typeof walletGenerations)[number];

/** The newest generation that asks in this form; `undefined` when the request does not show it. */
export function walletGenerationOf({ requestClass, endpoint }: Partial<RequestDialect>): WalletGeneration | undefined {
  switch (requestClass) {
    case undefined:
      return endpoint === 'draft-13' ? 'draft 13' : undefined;
    case 'F':
      return endpoint === 'draft-13' ? 'draft 14' : '1.0';
    case 'F-single':
      return endpoint === 'draft-13' ? 'draft 14' : 'draft 15';
    case 'L14':
      return 'draft 14';
    case 'L13':
      return 'draft 13';
    case 'L11':
      return 'draft 11';
  }
}

/** Whether the wallet may be of a draft before 15: its key proofs and its nonces follow the rules of then. */
export function isEarlierDialect({ requestClass, endpoint }: RequestDialect): boolean {
  return requestClass !== 'F' || endpoint === 'draft-13';
}

/** How the request names the credential it wants. */
export type NamedCredential =
  | { readonly by: 'configuration'; readonly configurationId: string }
  | { readonly by: 'identifier'; readonly identifier: string }
  | NamedByFormat;

/**
 * The name by which the wallet knows the format of what it gets: the one it asked by, or else the one in the metadata
 * document it has read. It is also the `typ` of an SD-JWT VC.
 */
export function formatNameFor(
  { endpoint, named }: { readonly endpoint: CredentialEndpointVersion; readonly named: NamedCredential },
  format: CredentialFormatId,
): FormatName {
  if (named.by === 'format') return named.format;
  return endpoint === 'draft-13' ? formatOf(format).earlierName : format;
}
