import { NewerVersionError } from '@app/event-store';
import { LINK_VARIANTS, type LinkVariant, OAuthError, REQUEST_VARIANTS } from '@app/openid4vc';
import type { Awaitable } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import { findAddressed } from '../request/addressed-request';
import { AUTHORIZATION_REQUESTS, type PresentationRequests } from '../request/authorization-request';
import { RequestSecrets } from '../request/request-secrets';

/** Reads the addresses that wallets get for a request. */
@Injectable()
export class RequestAddresses {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly secrets: RequestSecrets,
  ) {}

  /**
   * The variant that an address names. Throws `OAuthError` with status 404, and `NewerVersionError` for one that the request has and
   * this release does not know.
   */
  variantOf(name: string, handle: string): Awaitable<LinkVariant> {
    return LINK_VARIANTS.find((variant) => variant === name) ?? this.refuse(name, handle);
  }

  private async refuse(name: string, handle: string): Promise<never> {
    const hasNoLink = REQUEST_VARIANTS.some((variant) => variant === name);
    const found = hasNoLink ? undefined : await findAddressed(this.secrets, this.requests, handle);
    const named: readonly string[] = found?.state.variants.map(({ variant }) => variant) ?? [];
    throw named.includes(name) ? new NewerVersionError('presentation-handle') : noOpenRequest();
  }
}

export function noOpenRequest(): OAuthError {
  return new OAuthError('invalid_request', 'There is no open authorization request at this address.', {
    status: 404,
    reason: 'not-open',
  });
}
