import { Settings } from '@app/config';
import { WALLET_URLS } from '@app/identity';
import type { parsePushedAuthorizationRequest, WalletUrls } from '@app/openid4vc';
import { RateLimiter } from '@app/http';
import { Inject, Injectable } from '@nestjs/common';
import type { OAuthClient } from './clients/oauth-client';
import { tooManyRequests } from './too-many-requests';

/** What a client may push. */
@Injectable()
export class PushedRequestRules {
  constructor(
    private readonly settings: Settings,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    private readonly limiter: RateLimiter,
  ) {}

  /** Counts a request of a client that authenticates by nothing. Throws `OAuthError` when its address has sent too many. */
  assertNotTooMany({ method }: OAuthClient, address: string): void {
    if (method !== 'none') return;
    const seconds = this.limiter.secondsToWait('unauthenticated-push', address);
    if (seconds === undefined) {
      void this.limiter.count('unauthenticated-push', address);
      return;
    }
    throw tooManyRequests('requests without client authentication', seconds, 'too-many-requests');
  }

  of({ redirectUris }: OAuthClient): Parameters<typeof parsePushedAuthorizationRequest>[1] {
    return {
      issuer: this.urls.issuer,
      registered: redirectUris,
      allowLoopback: this.settings.profile === 'development',
    };
  }
}
