import type { ErrorForClient } from '../authorization';
import { IdentificationFailure } from './identification-failure';

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
export class LoginFailure extends IdentificationFailure {
  constructor(fault: LoginFault, options?: ErrorOptions) {
    super({ reason: fault }, errors[fault], options);
  }
}

const errors: Readonly<Record<LoginFault, ErrorForClient>> = {
  'login-cancelled': 'access_denied',
  'login-too-weak': 'access_denied',
  'login-unavailable': 'temporarily_unavailable',
  'login-not-accepted': 'server_error',
};
