import { Pages } from '@app/pages';
import { RateLimiter, clientAddressOf, type HttpReply } from '@app/http';
import type { Identification } from '@app/templates';
import { Injectable } from '@nestjs/common';
import { OpenIdLogin } from '../identification/openid-login';
import { PresentationInPage } from '../identification/presentation-in-page';
import { DevelopmentLogin } from './development-login';
import type { Identifying } from './identification';
import type { AuthorizationPage, IdentificationMethod } from './identification-method';

/** The ways to find out who a person is, by name. */
@Injectable()
export class IdentificationMethods {
  private readonly methods: Readonly<Partial<Record<Identification, IdentificationMethod>>>;

  constructor(
    development: DevelopmentLogin,
    openid: OpenIdLogin,
    presentation: PresentationInPage,
    private readonly limiter: RateLimiter,
    private readonly pages: Pages,
  ) {
    this.methods = { development, openid, presentation };
  }

  /** Asks the provider, or makes a request for wallets; from one address not without limit. */
  begin({ method, presentation }: Identifying, page: AuthorizationPage): Promise<HttpReply> | HttpReply {
    const found = this.methods[method];
    if (!found) throw new Error(`There is no identification by ${method}.`);
    const { request, session } = page;
    const address = clientAddressOf(request);
    const seconds = this.limiter.secondsToWait('login', address);
    if (seconds !== undefined) {
      return this.pages.failure(request, 429, { ...session.headers, 'Retry-After': String(seconds) });
    }
    void this.limiter.count('login', address);
    return found.begin(page, presentation);
  }
}
