import { Matches } from 'class-validator';
import { Setting } from './setting';

export class AuthorizationSettings {
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
}
