import { EventStore } from '@app/event-store';
import { Pages } from '@app/pages';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import type { Identification } from '@app/templates';
import type { HttpReply } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { ErrorForClient, RefusalCause } from '../authorization';
import { type AnsweredAuthorization, AuthorizationRequests, type WayBack } from '../authorization-requests';
import {
  IdentificationFailure,
  type Mismatch,
  mismatchReasons,
  UnexpectedPerson,
} from '../identification/identification-failure';
import { HeldAuthorizationRefusals } from '../refused-wallets';
import { consentPage, endedPage, mismatchPage, type Obstacle, obstaclePage } from './authorize-page';
import { IdentificationMethods } from './identification-methods';
import type { AuthorizationPage } from './identification-method';
import { NextStep, type Step } from './next-step';
import { OfferConsent } from './offer-consent';
import { seeOther } from './see-other';

/** Where nobody has to know a code. */
const agreed = { outcome: 'agreed', triesLeft: 0 } as const;

/** A consent that was given, or the step from which it goes on. */
type BegunConsent = { readonly next: Step } | { readonly way: WayBack | string };

/** Leads a person through the page: who they are, what goes into the credentials, and whether they agree. */
@Injectable()
export class AuthorizationSteps {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly next: NextStep,
    private readonly methods: IdentificationMethods,
    private readonly consent: OfferConsent,
    private readonly pages: Pages,
    private readonly refused: HeldAuthorizationRefusals,
    private readonly store: EventStore,
  ) {}

  show(page: AuthorizationPage): Awaitable<HttpReply> {
    return whenThere(
      this.store.reading(() => this.next.of(page)),
      (next) => this.reply(page, next),
    );
  }

  /** Does what identifies the person; the request ends when that fails. */
  async identifying(page: AuthorizationPage, identify: () => Promise<HttpReply> | HttpReply): Promise<HttpReply> {
    try {
      return await identify();
    } catch (error) {
      if (error instanceof UnexpectedPerson) return this.turnAway(page, error);
      if (!(error instanceof IdentificationFailure)) throw error;
      return this.refuse(page, error.error, error.refusal);
    }
  }

  /**
   * The person agrees to what the page shows now; on any other step there is nothing to agree to, and it is shown.
   * @param transactionCode as the person typed it
   */
  agree(page: AuthorizationPage, begun: BegunConsent, transactionCode: string | undefined): Awaitable<HttpReply> {
    if ('way' in begun) return this.back(page.request, begun.way);
    return this.goOn(page, begun.next, transactionCode);
  }

  private async goOn(page: AuthorizationPage, next: Step, transactionCode: string | undefined): Promise<HttpReply> {
    if (next.step !== 'consent') return this.reply(page, next);
    const checked = next.offer ? await this.consent.check(page.request, next.offer, transactionCode) : agreed;
    if (typeof checked === 'number') {
      return this.pages.failure(page.request, 429, { 'Retry-After': String(checked) });
    }
    const { outcome, triesLeft } = checked;
    switch (outcome) {
      case 'not-open':
        return this.refuse(page, 'access_denied', { reason: 'offer-not-open' });
      case 'transaction-code-missing':
        return this.ask(page, next, 'missing');
      case 'transaction-code-wrong':
        return triesLeft === 0 ? this.stop(page, 'locked') : this.ask(page, next, triesLeft);
      case 'agreed':
        return this.back(page.request, await this.store.transact(() => this.consented(page, next.source)));
    }
  }

  /** Part of a unit of work, with all that the consent is decided on. It ends here where a transaction code guards it: each try is recorded by itself. */
  async beginToAgree(page: AuthorizationPage): Promise<BegunConsent> {
    const next = await this.next.of(page);
    if (next.step !== 'consent' || next.offer?.transactionCode) return { next };
    const checked = next.offer ? await this.consent.check(page.request, next.offer, undefined) : agreed;
    const isAgreed = typeof checked !== 'number' && checked.outcome === 'agreed';
    return isAgreed ? whenThere(this.consented(page, next.source), (way) => ({ way })) : { next };
  }

  private consented({ authorization, session }: AuthorizationPage, source: Identification) {
    const { authorizationId } = authorization;
    const identified =
      source === 'portal' ? this.requests.identify(authorizationId, session.name, 'portal', {}) : undefined;
    return whenThere(identified, () => this.requests.consent(authorizationId, session.name));
  }

  /** The person is no other than they were taken for, or wants to be found out about in another way: the page begins anew. */
  beginAnew(page: AuthorizationPage): HttpReply {
    return seeOther(page.address, page.session.headers);
  }

  /** The person goes back to the wallet; why is on record where the page told them that somebody else is expected. */
  goBack(page: AuthorizationPage): Promise<HttpReply> {
    const { mismatch } = page;
    return this.refuse(page, 'access_denied', mismatch && { reason: mismatchReasons[mismatch] });
  }

  /** @param cause absent when the person says no */
  async refuse(page: AuthorizationPage, error: ErrorForClient, cause?: RefusalCause): Promise<HttpReply> {
    const { request, authorization, session } = page;
    return this.back(request, await this.requests.refuse(authorization.authorizationId, session.name, error, cause));
  }

  /**
   * A form comes again from the browser that sent it, whose answer was lost: the answer is the same, while the wallet has not used it.
   * Once a code was issued, it is no longer refused here.
   */
  async answerAgain(
    request: IncomingMessage,
    { authorizationId, status }: AnsweredAuthorization,
    { session, isApproval }: { readonly session: string; readonly isApproval: boolean },
  ): Promise<HttpReply> {
    const way =
      status === 'code-issued' && isApproval
        ? await this.requests.consent(authorizationId, session)
        : await this.requests.refuse(authorizationId, session, 'access_denied');
    return this.back(request, way);
  }

  /** The request stays open: the right person may be sitting at this very browser. */
  private turnAway(page: AuthorizationPage, { mismatch, refusal }: UnexpectedPerson): HttpReply {
    this.refused.note(page.authorization.authorizationId, refusal);
    return seeOther(`${page.address}&${new URLSearchParams({ mismatch }).toString()}`, page.session.headers);
  }

  private reply(page: AuthorizationPage, next: Step): Awaitable<HttpReply> {
    switch (next.step) {
      case 'identify':
        if (page.mismatch) return this.explain(page, page.mismatch, next.method);
        return this.identifying(page, () => this.methods.begin(next, page));
      case 'stop':
        return this.stop(page, next.obstacle);
      case 'consent':
        return this.ask(page, next);
      case 'refuse':
        return this.refuse(page, 'access_denied', next.cause);
    }
  }

  private stop(page: AuthorizationPage, obstacle: Obstacle): Awaitable<HttpReply> {
    const { headers } = page.session;
    return this.pages.page(page.request, (visit) => ({
      ...obstaclePage(visit, page.form('decision'), obstacle),
      headers,
    }));
  }

  private explain(page: AuthorizationPage, mismatch: Mismatch, method: Identification): Awaitable<HttpReply> {
    const { headers } = page.session;
    return this.pages.page(page.request, (visit) => ({
      ...mismatchPage(visit, page.form('decision'), { mismatch, method }),
      headers,
    }));
  }

  /** @param fault of the transaction code that was entered: how many tries are left after a wrong one */
  private ask(
    page: AuthorizationPage,
    { asked, offer, source }: Extract<Step, { step: 'consent' }>,
    fault?: number | 'missing',
  ): Awaitable<HttpReply> {
    const code = offer?.transactionCode && { ...offer.transactionCode, fault };
    const { request, session, authorization, address } = page;
    const { now, completableUntil } = authorization;
    // What is known of the person is not left on the screen of a computer that others use, either.
    const afterSeconds = Math.ceil((Date.parse(completableUntil) - now.getTime()) / 1000);
    return this.pages.page(request, (visit) => ({
      ...consentPage(visit, page.form('decision'), { authorization, asked, code, source }),
      headers: session.headers,
      leaves: { afterSeconds, to: address },
    }));
  }

  private back(request: IncomingMessage, way: WayBack | string): Awaitable<HttpReply> {
    return typeof way === 'string' ? this.pages.page(request, endedPage) : seeOther(way.redirectTo);
  }
}
