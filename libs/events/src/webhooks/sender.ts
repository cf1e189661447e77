import { OutboundClient, OutboundError, signedHeaders } from '@app/outbound';
import type { Attempt, Delivery } from './delivery-table';
import { wishIn } from './schedule';

/** Where a webhook leads, and what signs for it. */
export interface Target {
  readonly webhookId: string;
  readonly url: string;
  readonly secrets: readonly Buffer[];
}

export interface SendingOptions {
  /** Stamps the message. */
  readonly now: Date;
  /** Milliseconds from the start of the request to the headers of its answer. */
  readonly timeoutMs: number;
  /** Ends the request before. */
  readonly signal?: AbortSignal;
}

export interface SentDelivery {
  readonly attempt: Attempt;
  readonly isSuccess: boolean;
  /** The receiver is gone for good (410). */
  readonly isGone: boolean;
  /** Milliseconds that the receiver wants to be left alone. */
  readonly wish: number;
}

/**
 * Sends one event, signed.
 * @returns `undefined` when it was not tried, for want of a slot or because the signal ended it
 */
export async function sendTo(
  outbound: OutboundClient,
  { webhookId, url, secrets }: Target,
  { eventId, body }: Pick<Delivery, 'eventId' | 'body'>,
  { now, ...limits }: SendingOptions,
): Promise<SentDelivery | undefined> {
  const message = { id: eventId, timestamp: Math.floor(now.getTime() / 1000), body };
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'user-agent': 'Sealwright',
    ...signedHeaders(message, secrets),
  };
  const begin = performance.now();
  const attempt = (outcome: Pick<Attempt, 'status' | 'failure'>): Attempt => ({
    at: now.toISOString(),
    durationMs: Math.round(performance.now() - begin),
    ...outcome,
  });
  try {
    const answer = await outbound.post(url, {
      requester: webhookId,
      headers,
      body,
      ...limits,
    });
    const { status, retryAfter } = answer;
    const isSuccess = status >= 200 && status < 300;
    const failure = isSuccess ? {} : { failure: 'unexpected-status' };
    return {
      attempt: attempt({ status, ...failure }),
      isSuccess,
      isGone: status === 410,
      wish: wishIn(retryAfter, now),
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.reason === 'busy' || limits.signal?.aborted) return undefined;
    return { attempt: attempt({ failure: publicReason(error) }), isSuccess: false, isGone: false, wish: 0 };
  }
}

/** The same for a host in the internal network and for one that does not exist, so that hosts cannot be probed. */
function publicReason({ reason }: OutboundError): string {
  return reason === 'blocked-address' || reason === 'unresolved-host' ? 'no-public-address' : reason;
}
