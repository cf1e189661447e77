import { type AccessToken, nonceLifetime, WalletTokens } from '@app/authorization';
import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import type { GrantName } from '@app/offers';
import {
  type DeferredRequest,
  isEarlierDialect,
  type OAuthError,
  renderBatchCredentialResponse,
  renderCredentialResponse,
  renderDeferral,
  renderStillPending,
} from '@app/openid4vc';
import { HttpReply } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { Answers, Issued, Pending } from './issue.handlers';
import { pollingInterval } from './polling-interval';

/**
 * A client library that many wallets of 1.0 are built on (oid4vc-ts up to 0.4.6, so Credo) takes a `notification_id` beside
 * credentials that were deferred for an error, and its wallets lose the credential. It knows no encrypted answers.
 */
function rejectsNotificationIds(request: DeferredRequest): boolean {
  return !isEarlierDialect(request);
}

const day = 24 * 60 * 60 * 1000;
const secret = { 'Cache-Control': 'no-store' };

/** The answers of the credential endpoint and of the deferred one, in the form of the credential request. */
@Injectable()
export class WalletAnswers {
  constructor(
    private readonly tokens: WalletTokens,
    private readonly store: EventStore,
    private readonly settings: Settings,
  ) {}

  /** The refusal as the wallet's draft expects it, with a fresh nonce where it retries by that. */
  refusal(error: OAuthError, { grant }: AccessToken): OAuthError {
    if (!error.nonceWanted) return error;
    return error.withNonce(this.tokens.issueNonce(this.store.clock(), grant), nonceLifetime);
  }

  /** To a batch credential request: what is issued now, and what the wallet has to wait for. */
  batch(results: Answers, token: AccessToken): HttpReply {
    const bodies = results.map((one) =>
      one.outcome === 'issued' ? this.issuedBody(one, token, true) : this.deferredBody(one, token),
    );
    const nonce = { nonce: this.tokens.issueNonce(results[0].now, token.grant), nonceExpiresIn: nonceLifetime };
    return new HttpReply(200, renderBatchCredentialResponse(bodies, nonce), secret);
  }

  issued(issued: Issued, token: AccessToken): HttpReply {
    return new HttpReply(200, this.issuedBody(issued, token, true), secret);
  }

  /** To a wallet that waited. @param isEncrypted whether the answer is sent encrypted */
  collected(issued: Issued, token: AccessToken, isEncrypted: boolean): HttpReply {
    const canNotify = isEncrypted || this.settings.haip || !rejectsNotificationIds(issued.request);
    return new HttpReply(200, this.issuedBody(issued, token, canNotify), secret);
  }

  /** To a credential request. */
  deferred(pending: Pending, token: AccessToken): HttpReply {
    return new HttpReply(202, this.deferredBody(pending, token), secret);
  }

  private issuedBody(issued: Issued, { grant }: AccessToken, canNotify: boolean) {
    const { request, credentials, index, issue, now } = issued;
    return renderCredentialResponse(request, {
      credentials,
      ...(canNotify && {
        notificationId: this.tokens.issueNotificationId({ index, issue }, grant, now),
      }),
      ...this.nextNonce(issued, grant),
      nonceExpiresIn: nonceLifetime,
    });
  }

  private deferredBody(pending: Pending, token: AccessToken) {
    const { request, index, requestedAt, submittableUntil, now } = pending;
    // Further tokens of its grant may come after this one; data of the last moment is there a day longer.
    const end = new Date(submittableUntil.getTime() + day);
    const expiresAt = end > token.expiresAt ? end : token.expiresAt;
    // It is a bearer token: a wallet whose token is bound to a key collects by that one. Draft 11 defers without a code.
    const isBearer = token.grant.kind === 'pre-authorized_code' && !token.thumbprint;
    return renderDeferral(request, {
      transactionId: this.tokens.issueTransactionId(pending, { grant: token.grant, expiresAt }),
      acceptanceToken: isBearer ? this.tokens.issueAcceptanceToken(index, token) : undefined,
      interval: pollingInterval(requestedAt, now),
      ...this.nextNonce(pending, token.grant),
      nonceExpiresIn: nonceLifetime,
    });
  }

  /** 1.0 has the nonce endpoint; for the next credential of its token, Credo 0.6 looks into the answer alone. */
  private nextNonce({ request, isOnly, now }: Issued | Pending, grant: GrantName): { readonly nonce?: string } {
    return isOnly && !isEarlierDialect(request) ? {} : { nonce: this.tokens.issueNonce(now, grant) };
  }

  /** To a deferred credential request. Throws `OAuthError` to the wallets of earlier drafts. */
  stillPending({ request, requestedAt, now }: Pending, transactionId: string): HttpReply {
    const interval = pollingInterval(requestedAt, now);
    return new HttpReply(202, renderStillPending(request, { transactionId, interval }), secret);
  }
}
