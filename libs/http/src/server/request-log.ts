import { Logger } from '@nestjs/common';
import { type AnswerListener, isProbe } from './answered-requests';

const logger = new Logger('Http');

/** One line per request, with the route and never the path: handles, states and queries are capabilities. */
export const logAnswered: AnswerListener = (answered, state) => {
  const { method, route, status, seconds } = answered;
  const line = {
    event: 'request.answered',
    requestId: state?.request.requestId,
    traceId: state?.request.traceparent.split('-')[1],
    principal: state?.principal?.id,
    client: state?.principal?.client,
    tenant: state?.tenant,
    method,
    route,
    status,
    error: state?.refusal?.error,
    reason: state?.refusal?.reason,
    durationMs: Math.round(seconds * 10_000) / 10,
  };
  if (isProbe(answered)) logger.debug(line);
  else if (status >= 500) logger.warn(line);
  else logger.log(line);
};
