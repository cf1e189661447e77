import { EventStore } from '@app/event-store';
import {
  formParameters,
  RawBody,
  WalletErrorFilter,
  clientAddressOf,
  PublicEndpoint,
  StopsWith,
  OffersHeaders,
} from '@app/http';
import { hiddenFault } from '@app/primitives/json';
import { parsePushedAuthorizationRequest, type PushedAuthorizationRequest } from '@app/openid4vc';
import { Body, Controller, Header, Post, Req, UseFilters } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { types } from 'node:util';
import { AskedConfigurations } from './asked-configurations';
import { AuthorizationRequests } from './authorization-requests';
import { ClientAuthentication } from './clients/client-authentication';
import { invalidRequest } from './clients/client-faults';
import { WalletAttestations } from './clients/wallet-attestations';
import { onlyParameter } from './clients/presented-authentication';
import { DpopProofs } from './dpop/dpop-proofs';
import type { ProvenKey } from './dpop/proven-key';
import { PushedRequestRules } from './pushed-request-rules';
import { replayedProof } from './replayed-proof';

/** Pushed authorization requests (RFC 9126): the only way to begin an authorization. */
@Controller('openid4vci/par')
@PublicEndpoint('wallets')
@StopsWith('issuing')
@UseFilters(WalletErrorFilter)
@OffersHeaders(DpopProofs, WalletAttestations)
export class PushedRequestEndpoint {
  constructor(
    private readonly clients: ClientAuthentication,
    private readonly proofs: DpopProofs,
    private readonly rules: PushedRequestRules,
    private readonly asked: AskedConfigurations,
    private readonly requests: AuthorizationRequests,
    private readonly store: EventStore,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  async push(@Body() body: RawBody, @Req() request: IncomingMessage): Promise<unknown> {
    const parameters = formParameters(body);
    // RFC 6749 §4.1.1: every authorization request has it, also one whose authentication names the client.
    const clientId = onlyParameter(parameters, 'client_id');
    if (clientId === undefined) throw invalidRequest('client-missing', 'client_id is missing.');
    const fault = hiddenFault(clientId);
    if (fault !== undefined) throw invalidRequest('malformed', `client_id ${fault}.`);
    const authenticated = this.clients.authenticateNamed({ request, parameters, proofs: this.proofs });
    const client = types.isPromise(authenticated) ? await authenticated : authenticated;
    this.rules.assertNotTooMany(client, clientAddressOf(request));
    const pushed = parsePushedAuthorizationRequest(parameters, this.rules.of(client));
    const key = this.proofs.verify({ request, place: 'authorization-server' });
    const dpopThumbprint = this.keyFor(pushed, key);
    const { redirectUri, codeChallenge, state } = pushed;
    const terms = {
      client,
      redirectUri,
      codeChallenge,
      identifiersGiven: pushed.configurationIds !== undefined,
      ...(state !== undefined && { state }),
      ...(dpopThumbprint !== undefined && { dpopThumbprint }),
      uses: [...client.uses, ...(key?.uses ?? [])],
    };
    const push = () => this.asked.of(pushed).then((asked) => this.requests.push({ ...terms, ...asked }));
    try {
      const { requestUri, expiresIn } = await this.store.transact(push);
      return { request_uri: requestUri, expires_in: expiresIn };
    } catch (error) {
      throw replayedProof(error) ?? error;
    }
  }

  /** RFC 9449 §10.1: the key that the code is bound to comes as its thumbprint, as a proof, or as both. */
  private keyFor({ dpopThumbprint }: PushedAuthorizationRequest, key: ProvenKey | undefined): string | undefined {
    if (!key || dpopThumbprint === undefined || dpopThumbprint === key.thumbprint) {
      return key?.thumbprint ?? dpopThumbprint;
    }
    const description = 'dpop_jkt is not the thumbprint of the key in the DPoP proof.';
    throw this.proofs.refusal('invalid_dpop_proof', description, 'authorization-server');
  }
}
