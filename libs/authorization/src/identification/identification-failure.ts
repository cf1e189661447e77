import type { RefusalCause } from '../authorization';
import type { ErrorForClient } from '../authorization-requests';

/** It was not found out who the person is, or it is somebody else who may have what was asked for: the request ends. */
export class IdentificationFailure extends Error {
  /**
   * @param refusal as the portal sees it
   * @param error as the wallet is told
   */
  constructor(
    readonly refusal: RefusalCause,
    readonly error: ErrorForClient = 'access_denied',
    options?: ErrorOptions,
  ) {
    super(`The person was not identified: ${refusal.reason}.`, options);
  }
}
