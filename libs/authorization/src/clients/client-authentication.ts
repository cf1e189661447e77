import { EventStore } from '@app/event-store';
import { PRE_AUTHORIZED_CODE_GRANT } from '@app/openid4vc';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { ClientAssertions } from './client-assertions';
import { invalidAttestation, invalidClient, invalidRequest, unnamedClient } from './client-faults';
import { ClientRules } from './client-rules';
import type { OAuthClient } from './oauth-client';
import {
  onlyParameter,
  presentedAssertion,
  presentedAttestation,
  type PresentedAttestation,
} from './presented-authentication';
import type { RegisteredClient } from './registered-client';
import { RegisteredClients } from './registered-clients';
import { WalletAttestations } from './wallet-attestations';

export interface ClientRequest {
  readonly request: IncomingMessage;
  readonly parameters: URLSearchParams;
  /** What verifies a DPoP proof that stands for that of an attestation: the thumbprint of its key. Throws `OAuthError`. */
  readonly proofs: { keyOfAttestation(request: IncomingMessage): string | undefined };
}

/** Who sends a request to the authorization server: a client of the operator's file, an attested wallet, or anyone. */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly rules: ClientRules,
    private readonly clients: RegisteredClients,
    private readonly attestations: WalletAttestations,
    private readonly assertions: ClientAssertions,
    private readonly store: EventStore,
  ) {}

  /** Throws `OAuthError`, also when the wallet does not name itself. */
  authenticateNamed(request: ClientRequest): Awaitable<OAuthClient> {
    return whenThere(this.clientOf(request, false), (client) => {
      if (!client) throw unnamedClient();
      return client;
    });
  }

  /** Of a token request. `undefined` when the wallet does not name itself. Throws `OAuthError`. */
  authenticate(request: ClientRequest): Awaitable<OAuthClient | undefined> {
    // A pre-authorized code is an invitation to whoever has it.
    return this.clientOf(request, request.parameters.get('grant_type') === PRE_AUTHORIZED_CODE_GRANT);
  }

  private clientOf(
    { request, parameters, proofs }: ClientRequest,
    isForAll: boolean,
  ): Awaitable<OAuthClient | undefined> {
    const now = this.store.clock();
    const clientId = onlyParameter(parameters, 'client_id');
    const assertion = presentedAssertion(parameters);
    // Without a trusted provider the headers say nothing: a wallet that sends them to every issuer is not refused for it.
    const attestation = this.attestations.areAccepted ? presentedAttestation(request) : undefined;
    if (assertion !== undefined && attestation !== undefined) {
      throw invalidRequest('client-authentication', 'Authenticate by attestation or by client_assertion, not by both.');
    }
    if (assertion !== undefined && !this.isForNobody(clientId, isForAll)) {
      return this.assertions
        .verify(assertion, clientId, now)
        .then(({ client, use }) => ({ ...asClient(client), uses: [use] }));
    }
    if (attestation) {
      const dpopKey = attestation.proof === undefined ? proofs.keyOfAttestation(request) : undefined;
      return this.attested(attestation, clientId, isForAll, now, dpopKey);
    }
    return clientId === undefined ? undefined : this.unauthenticated(clientId, isForAll);
  }

  /** A client that may come without authentication may also send an assertion that nobody here can check. */
  private isForNobody(clientId: string | undefined, isForAll: boolean): boolean {
    return clientId !== undefined && !this.clients.find(clientId) && (isForAll || this.rules.current === 'any');
  }

  private async attested(
    presented: PresentedAttestation,
    named: string | undefined,
    isForAll: boolean,
    now: Date,
    dpopKey: string | undefined,
  ): Promise<OAuthClient> {
    const { clientId, name, instanceThumbprint, use } = await this.attestations.verify(presented, now, dpopKey);
    // HAIP 1.0 §4.4.1.
    if (named !== undefined && named !== clientId) {
      throw invalidAttestation('other-client', 'client_id must be the sub of the attestation.');
    }
    const client = this.clients.find(clientId);
    if (client && client.method !== 'attest_jwt_client_auth') throw otherMethod(client);
    if (!client && this.rules.current === 'registered' && !isForAll) throw unknownClient();
    return {
      clientId,
      method: 'attest_jwt_client_auth',
      instanceThumbprint,
      ...(name !== undefined && { name }),
      ...(client && described(client)),
      // A DPoP proof is used up by whoever asks for a bound token.
      uses: use ? [use] : [],
    };
  }

  private unauthenticated(clientId: string, isForAll: boolean): OAuthClient {
    const client = this.clients.find(clientId);
    if (client) {
      if (client.method !== 'none') throw otherMethod(client);
      return { ...asClient(client), uses: [] };
    }
    if (!isForAll && this.rules.current !== 'any') throw unknownClient();
    return { clientId, method: 'none', uses: [] };
  }
}

function asClient(client: RegisteredClient): Omit<OAuthClient, 'uses'> {
  const { clientId, method } = client;
  return { clientId, method, ...described(client) };
}

function described({ name, redirectUris }: RegisteredClient): Pick<OAuthClient, 'name' | 'redirectUris'> {
  return { ...(name !== undefined && { name }), ...(redirectUris && { redirectUris }) };
}

function otherMethod({ method }: RegisteredClient): Error {
  return invalidClient('client-authentication', `This client must authenticate by ${method}.`);
}

function unknownClient(): Error {
  return invalidClient(
    'client-unknown',
    'The client is not known here: authenticate by one of token_endpoint_auth_methods_supported.',
  );
}
