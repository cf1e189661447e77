import { Settings } from '@app/config';
import { WALLET_URLS } from '@app/identity';
import type { parsePushedAuthorizationRequest, WalletUrls } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import type { OAuthClient } from './clients/oauth-client';

/** What a client may push. */
@Injectable()
export class PushedRequestRules {
  constructor(
    private readonly settings: Settings,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  of({ redirectUris }: OAuthClient): Parameters<typeof parsePushedAuthorizationRequest>[1] {
    return {
      issuer: this.urls.issuer,
      registered: redirectUris,
      allowLoopback: this.settings.profile === 'development',
    };
  }
}
