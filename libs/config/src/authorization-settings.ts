import { IsIn, IsString, Matches } from 'class-validator';
import { type Demand, demands } from './demands';
import { Setting } from './setting';

export const clientRules = ['attested', 'registered', 'any'] as const;
export type ClientRule = (typeof clientRules)[number];

/** The rule in force. @param trustsProvider whether an anchor has the purpose `wallet-provider` now */
export function clientRuleIn({ clients }: Pick<AuthorizationSettings, 'clients'>, trustsProvider: boolean): ClientRule {
  return clients || (trustsProvider ? 'attested' : 'registered');
}

const attestationStatusRules = ['off', 'when-present', 'required'] as const;
const bindings = ['when-offered', 'always'] as const;

export class AuthorizationSettings {
  @Setting({
    description:
      'Which wallets may ask for credentials by authorization code: `attested`, those with an attestation of a trusted wallet provider (an anchor with the purpose `wallet-provider`) and those of SERVICE__AUTHORIZATION__CLIENTS_FILE; `registered`, those of the file alone; `any`, also those that authenticate by nothing. Pre-authorized codes are redeemed by every wallet.',
    kind: 'text',
    defaultNote:
      '`any` in development; in production `attested` while an anchor has the purpose `wallet-provider`, else `registered`',
  })
  @IsIn(['', ...clientRules], { message: `use one of: ${clientRules.join(', ')}` })
  readonly clients: ClientRule | '' = '';

  @Setting({
    description:
      'YAML file with the wallets that are known by name and how each authenticates, see docs/wallets-and-people.md. Changes take effect without a restart. None when empty.',
    kind: 'text',
  })
  @IsString({ message: 'give the path of a file' })
  readonly clientsFile: string = '';

  @Setting({
    description:
      'Whether the attestation of a wallet is proven with a challenge of this service: `offered`, where the wallet uses one, or `required`, always.',
    kind: 'text',
  })
  @IsIn(demands, { message: `use one of: ${demands.join(', ')}` })
  readonly attestationChallenge: Demand = 'offered';

  @Setting({
    description:
      'Whether the status that wallet providers and key attesters keep of what they attest (`client_status`, `key_storage_status`) is looked up: `off`, `when-present`, or `required`, which refuses attestations without a status. SERVICE__VERIFICATION__UNDETERMINED_STATUS decides where a list cannot be had. The claim `status` is looked up in any case.',
    kind: 'text',
  })
  @IsIn(attestationStatusRules, { message: `use one of: ${attestationStatusRules.join(', ')}` })
  readonly attestationStatus: (typeof attestationStatusRules)[number] = 'when-present';

  @Setting({
    description:
      'How long a wallet that took a credential by authorization code can get new access tokens without asking the person again: `P1D` to `P366D`, `P1M` to `P12M` or `P1Y`; `none` gives no refresh tokens. Only wallets that prove a key (DPoP) or authenticate themselves get them.',
    kind: 'text',
  })
  // HAIP 1.0 §4.4 recommends no longer ones.
  @Matches(/^(none|P([1-9]\d?|[12]\d\d|3[0-5]\d|36[0-6])D|P([1-9]|1[0-2])M|P1Y)$/, {
    message: 'give P1D to P366D, P1M to P12M, P1Y, or none',
  })
  readonly refreshTokenLifetime: string = 'P90D';

  @Setting({
    description:
      'Which access tokens are bound to a key of the wallet (DPoP, RFC 9449): `when-offered`, those of wallets that prove one and of attested wallets, or `always`, all of them. With `always` wallets without DPoP get no tokens, by pre-authorized code neither.',
    kind: 'text',
  })
  @IsIn(bindings, { message: `use one of: ${bindings.join(', ')}` })
  readonly senderConstrained: (typeof bindings)[number] = 'when-offered';

  @Setting({
    description:
      'Whether a DPoP proof needs a nonce of this service: `offered`, where the wallet uses one, or `required`, always. Required ones cost wallets that have none yet a second request.',
    kind: 'text',
  })
  @IsIn(demands, { message: `use one of: ${demands.join(', ')}` })
  readonly dpopNonce: Demand = 'offered';
}
