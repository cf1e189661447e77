import { type ClientRule, clientRuleIn, Settings } from '@app/config';
import { JWS_ALGORITHMS } from '@app/primitives/jose';
import type { ClientAuthenticationMethods } from '@app/openid4vc';
import { Injectable } from '@nestjs/common';
import { RegisteredClients } from './registered-clients';
import { WalletAttestations } from './wallet-attestations';

/** Which clients may push authorization requests now: files and trust anchors may change while the service runs. */
@Injectable()
export class ClientRules {
  constructor(
    private readonly settings: Settings,
    private readonly clients: RegisteredClients,
    private readonly attestations: WalletAttestations,
  ) {}

  get current(): ClientRule {
    return clientRuleIn(this.settings.authorization, this.attestations.areAccepted);
  }

  /** For the metadata of the authorization server. */
  methods(): ClientAuthenticationMethods {
    const registered = new Set([...this.clients.all()].map(({ method }) => method));
    const isAttested = this.attestations.areAccepted;
    const isAsserted = registered.has('private_key_jwt');
    // Wallets with a pre-authorized code authenticate by nothing; the list must not be empty.
    const isNone = this.current === 'any' || registered.has('none') || !(isAttested || isAsserted);
    return {
      methods: [
        ...(isAttested ? ['attest_jwt_client_auth', 'attest_jwt_client_auth_dpop'] : []),
        ...(isAsserted ? ['private_key_jwt'] : []),
        ...(isNone ? ['none'] : []),
      ],
      ...(isAttested && { attestationAlgorithms: JWS_ALGORITHMS }),
      ...(isAsserted && { assertionAlgorithms: JWS_ALGORITHMS }),
    };
  }
}
