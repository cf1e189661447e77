import { Pages } from '@app/pages';
import type { HttpReply } from '@app/web';
import { Injectable } from '@nestjs/common';
import type { RefusalCause } from '../authorization';
import { AuthorizationRequests, type ErrorForClient, type WayBack } from '../authorization-requests';
import { IdentificationFailure } from '../identification/identification-failure';
import { consentPage, endedPage, obstaclePage } from './authorize-page';
import { IdentificationMethods } from './identification-methods';
import type { AuthorizationPage } from './identification-method';
import { NextStep, type Step } from './next-step';
import { OfferConsent } from './offer-consent';
import { seeOther } from './see-other';

/** Leads a person through the page: who they are, what goes into the credentials, and whether they agree. */
@Injectable()
export class AuthorizationSteps {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly next: NextStep,
    private readonly methods: IdentificationMethods,
    private readonly consent: OfferConsent,
    private readonly pages: Pages,
  ) {}

  async show(page: AuthorizationPage): Promise<HttpReply> {
    return this.reply(page, await this.next.of(page));
  }

  /** Does what identifies the person; the request ends when that fails. */
  async identifying(page: AuthorizationPage, identify: () => Promise<HttpReply> | HttpReply): Promise<HttpReply> {
    try {
      return await identify();
    } catch (error) {
      if (!(error instanceof IdentificationFailure)) throw error;
      return this.refuse(page, error.error, error.refusal);
    }
  }

  /**
   * The person agrees to what the page shows now; on any other step there is nothing to agree to, and it is shown.
   * @param transactionCode as the person typed it
   */
  async agree(page: AuthorizationPage, transactionCode: string | undefined): Promise<HttpReply> {
    const next = await this.next.of(page);
    if (next.step !== 'consent') return this.reply(page, next);
    const outcome = next.offer ? await this.consent.check(page.request, next.offer, transactionCode) : 'agreed';
    if (typeof outcome === 'number') {
      return this.pages.failure(page.request, 429, { 'Retry-After': String(outcome) });
    }
    switch (outcome) {
      case 'not-open':
        return this.refuse(page, 'access_denied', { reason: 'offer-not-open' });
      case 'transaction-code-missing':
      case 'transaction-code-wrong':
        return this.ask(page, next, true);
      case 'agreed': {
        const { authorizationId } = page.authorization;
        if (next.isByPortal) await this.requests.identify(authorizationId, page.session.name, 'portal', {});
        return this.back(page, await this.requests.consent(authorizationId, page.session.name));
      }
    }
  }

  /** @param cause absent when the person says no */
  async refuse(page: AuthorizationPage, error: ErrorForClient, cause?: RefusalCause): Promise<HttpReply> {
    return this.back(page, await this.requests.refuse(page.authorization.authorizationId, error, cause));
  }

  private reply(page: AuthorizationPage, next: Step): Promise<HttpReply> {
    switch (next.step) {
      case 'identify':
        return this.identifying(page, () => this.methods.begin(next, page));
      case 'stop': {
        const { headers } = page.session;
        const { obstacle } = next;
        return this.pages.page(page.request, (visit) => ({
          ...obstaclePage(visit, page.form('decision'), obstacle),
          headers,
        }));
      }
      case 'consent':
        return this.ask(page, next, false);
      case 'refuse':
        return this.refuse(page, 'access_denied', next.cause);
    }
  }

  private ask(
    page: AuthorizationPage,
    { asked, offer }: Extract<Step, { step: 'consent' }>,
    isCodeWrong: boolean,
  ): Promise<HttpReply> {
    const code = offer?.transactionCode && { ...offer.transactionCode, isWrong: isCodeWrong };
    const { request, session, authorization } = page;
    return this.pages.page(request, (visit) => ({
      ...consentPage(visit, page.form('decision'), { authorization, asked, code }),
      headers: session.headers,
    }));
  }

  private back({ request }: AuthorizationPage, way: WayBack | string): Promise<HttpReply> {
    if (typeof way === 'string') return this.pages.page(request, endedPage);
    return Promise.resolve(seeOther(way.redirectTo));
  }
}
