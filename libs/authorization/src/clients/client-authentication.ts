import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { OAuthClient } from './oauth-client';

export interface ClientRequest {
  readonly endpoint: 'par' | 'token' | 'revoke';
  readonly request: IncomingMessage;
  readonly parameters: URLSearchParams;
}

/** Who sends a request to the authorization server. */
@Injectable()
export class ClientAuthentication {
  /** `undefined` when the wallet does not name itself. Throws `OAuthError`. */
  authenticate({ parameters }: ClientRequest): Promise<OAuthClient | undefined> {
    const clientId = parameters.get('client_id');
    return Promise.resolve(clientId === null || clientId === '' ? undefined : { clientId, method: 'none', uses: [] });
  }
}
