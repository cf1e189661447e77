import { Pages } from '@app/pages';
import { RateLimiter } from '@app/rate-limits';
import { clientAddressOf, type HttpReply } from '@app/web';
import { Injectable } from '@nestjs/common';
import { seeOther } from '../authorize/see-other';
import type { AuthorizationPage, IdentificationMethod } from '../authorize/identification-method';
import { IdentificationStates } from './identification-states';
import { OpenIdProvider } from './openid-provider';

/** The person logs in at the OpenID provider of the settings. */
@Injectable()
export class OpenIdLogin implements IdentificationMethod {
  constructor(
    private readonly provider: OpenIdProvider,
    private readonly states: IdentificationStates,
    private readonly limiter: RateLimiter,
    private readonly pages: Pages,
  ) {}

  async begin({ request, authorization, session }: AuthorizationPage): Promise<HttpReply> {
    const address = clientAddressOf(request);
    const seconds = this.limiter.secondsToWait('login', address);
    if (seconds !== undefined) {
      return this.pages.failure(request, 429, { ...session.headers, 'Retry-After': String(seconds) });
    }
    void this.limiter.count('login', address);
    const binding = this.states.bindingOf(this.states.issue(authorization, session), authorization);
    const { href } = await this.provider.authorizationUrl(binding);
    return seeOther(href, session.headers);
  }
}
