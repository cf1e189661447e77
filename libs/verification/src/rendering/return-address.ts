import { Injectable } from '@nestjs/common';
import { RequestLinks } from './request-links';
import { RequestSecrets } from '../request/request-secrets';
import type { RequestTerms } from '../request/request-terms';

/** Where a wallet takes the person after a good answer (OpenID4VP 1.0 §8.2). */
@Injectable()
export class ReturnAddress {
  constructor(
    private readonly secrets: RequestSecrets,
    private readonly links: RequestLinks,
  ) {}

  /**
   * With a new response code: in the fragment, which reaches neither servers nor their logs, or in the query for a page of
   * this service, which takes it without a script and from its own browser alone. Nothing for a request that is answered
   * on any device.
   */
  of(request: RequestTerms): { readonly address: string; readonly responseCode: string } | undefined {
    const to = request.returnToPage ? `${this.links.ofPage(request).page}/return` : request.redirectUri;
    if (to === undefined) return undefined;
    const responseCode = this.secrets.newResponseCode();
    return { address: `${to}${request.isAskedInPage ? '&' : '#'}response_code=${responseCode}`, responseCode };
  }
}
