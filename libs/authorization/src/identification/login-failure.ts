import type { ErrorForClient } from '../authorization-requests';

/** Why a login identified nobody, as one word for events. */
export type LoginFault =
  /** The person went back, or the provider refused them. */
  | 'login-cancelled'
  /** The provider knows the person less surely than the settings demand. */
  | 'login-too-weak'
  | 'login-unavailable'
  /** What came back was not from this login, or not from this provider. */
  | 'login-not-accepted';

/** A login that identified nobody. */
export class LoginFailure extends Error {
  constructor(
    readonly reason: LoginFault,
    options?: ErrorOptions,
  ) {
    super(`The login at the provider failed: ${reason}.`, options);
  }

  /** As the wallet is told. */
  get error(): ErrorForClient {
    switch (this.reason) {
      case 'login-cancelled':
      case 'login-too-weak':
        return 'access_denied';
      case 'login-unavailable':
        return 'temporarily_unavailable';
      case 'login-not-accepted':
        return 'server_error';
    }
  }
}
