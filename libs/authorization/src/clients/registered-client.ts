import type { ClientKey } from './client-assertion';
import type { OAuthClient } from './oauth-client';

export const clientMethods = ['attest_jwt_client_auth', 'private_key_jwt', 'none'] as const;

/** A client that the operator has named in a file. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly method: OAuthClient['method'];
  readonly name?: string;
  readonly redirectUris?: readonly string[];
  /** Of `private_key_jwt`: the keys, or the URL of the JWK Set that has them. */
  readonly keys?: readonly ClientKey[] | string;
}

/** Why a file of clients cannot be read. `found` and `remedy` hold no content of the file but ids of clients. */
export class ClientsFault extends Error {
  override readonly name = 'ClientsFault';

  constructor(
    readonly found: string,
    readonly remedy: string,
  ) {
    super(`${found}; ${remedy}`);
  }
}
