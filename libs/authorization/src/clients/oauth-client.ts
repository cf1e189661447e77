import type { SingleUse } from '@app/event-store';

/** Kinds of used values: proofs of wallets and assertions of clients. */
export const clientUses = { attestation: 'attestation-proof', assertion: 'client-assertion' } as const;

/** A client as it has shown itself at an endpoint of the authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly method: 'none' | 'private_key_jwt' | 'attest_jwt_client_auth';
  /** As the person who decides is told; text, never markup. */
  readonly name?: string;
  /** RFC 7638 thumbprint of the key that an attestation names. */
  readonly instanceThumbprint?: string;
  /** Registered ones, compared byte for byte; absent: any that is safe. */
  readonly redirectUris?: readonly string[];
  /** Proofs that are used up with what is recorded of the request. */
  readonly uses: readonly SingleUse[];
}
