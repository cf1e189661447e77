import { type AnswerListener, isProbe } from '@app/http';
import type { AnsweredRequest, Metrics } from '@app/observability';
import { offerCounter, redemptionRefused } from '@app/offers';

/** Counts requests, but for probes. */
export function countedBy(metrics: Metrics): AnswerListener {
  return (request, state) => {
    if (isProbe(request)) return;
    metrics.requestAnswered(request);
    if (state?.refusal) metrics.walletRefused({ route: request.route, ...state.refusal });
    if (isRefusedRedemption(request)) metrics.count(offerCounter, redemptionRefused);
  };
}

function isRefusedRedemption({ method, route, status }: AnsweredRequest): boolean {
  return route === '/openid4vci/token' && method === 'POST' && status === 400;
}
