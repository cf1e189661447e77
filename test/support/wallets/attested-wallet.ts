import { type Authority, signBy, x5c } from '@app/credentials/fixtures/certificates';
import { type SigningKey, signingKey } from '@app/primitives/fixtures/signing-key';
import { randomUUID } from 'node:crypto';
import type { Json } from '../http/requests';

/** What is sent in place of a good member; `undefined` leaves it out. */
export interface AttestationChanges {
  readonly attestation?: Json;
  readonly proof?: Json;
  readonly proofHeader?: Json;
  readonly key?: SigningKey;
  readonly by?: Authority;
}

/** An instance of a wallet whose provider attests its key (Attestation-Based Client Authentication draft 07). */
export class AttestedWallet {
  readonly key = signingKey('ES256');

  /** @param audience identifier of the authorization server */
  constructor(
    private readonly provider: Authority,
    private readonly audience: string,
    readonly clientId: string,
  ) {}

  headers({ attestation, proof, proofHeader, key = this.key, by = this.provider }: AttestationChanges = {}): Record<
    string,
    string
  > {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      sub: this.clientId,
      iat: seconds,
      exp: seconds + 300,
      wallet_name: 'Wallet of Example',
      cnf: { jwk: this.key.jwk },
    };
    const possession = { iss: this.clientId, aud: this.audience, jti: randomUUID(), iat: seconds };
    return {
      'OAuth-Client-Attestation': signBy(by)(
        { typ: 'oauth-client-attestation+jwt', x5c: x5c(by) },
        merged(claims, attestation),
      ),
      'OAuth-Client-Attestation-PoP': key.sign(
        merged({ typ: 'oauth-client-attestation-pop+jwt' }, proofHeader),
        merged(possession, proof),
      ),
    };
  }
}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The parameters of a client that authenticates by `private_key_jwt` (RFC 7523). */
export function clientAssertion(
  key: SigningKey,
  clientId: string,
  audience: string,
  changes: Json = {},
): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: audience, jti: randomUUID(), iat: seconds, exp: seconds + 60 };
  return {
    client_assertion_type: assertionType,
    client_assertion: key.sign({ typ: 'JWT' }, merged(claims, changes)),
  };
}

/** A member set to `undefined` is left out. */
function merged(base: Json, changes: Json = {}): never {
  return JSON.parse(JSON.stringify({ ...base, ...changes })) as never;
}
