import { renderCredentialResponse, renderDeferral, renderStillPending } from '@app/openid4vc';
import { HttpReply } from '@app/web';
import { Injectable } from '@nestjs/common';
import type { Issued, Pending } from './issue.handlers';
import { pollingInterval } from './polling-interval';
import { type AccessToken, nonceLifetime, WalletTokens } from './wallet-tokens';

const secret = { 'Cache-Control': 'no-store' };

/** The answers of the credential endpoint and of the deferred one, in the form of the credential request. */
@Injectable()
export class WalletAnswers {
  constructor(private readonly tokens: WalletTokens) {}

  issued({ request, credentials, index, now }: Issued, { grant }: AccessToken): HttpReply {
    const body = renderCredentialResponse(request, {
      credentials,
      notificationId: this.tokens.issueNotificationId(index, grant, now),
      nonce: this.tokens.issueNonce(now, grant),
      nonceExpiresIn: nonceLifetime,
    });
    return new HttpReply(200, body, secret);
  }

  /** To a credential request. */
  deferred({ request, index, requestedAt, now }: Pending, token: AccessToken): HttpReply {
    const body = renderDeferral(request, {
      transactionId: this.tokens.issueTransactionId(index, token),
      interval: pollingInterval(requestedAt, now),
      nonce: this.tokens.issueNonce(now, token.grant),
      nonceExpiresIn: nonceLifetime,
    });
    return new HttpReply(202, body, secret);
  }

  /** To a deferred credential request. Throws `OAuthError` to the wallets of earlier drafts. */
  stillPending({ request, requestedAt, now }: Pending, transactionId: string): HttpReply {
    const interval = pollingInterval(requestedAt, now);
    return new HttpReply(202, renderStillPending(request, { transactionId, interval }), secret);
  }
}
