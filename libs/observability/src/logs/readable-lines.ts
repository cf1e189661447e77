import pretty from 'pino-pretty';

/** Human-readable log lines instead of JSON. @param to standard output when absent */
export function readableLines(to?: NodeJS.WritableStream): NodeJS.WritableStream {
  return pretty({
    ...(to && { destination: to }),
    // In order with what else is written to the terminal, and before the process ends.
    sync: true,
    colorize: !to && process.stdout.isTTY,
    translateTime: 'HH:MM:ss.l',
    ignore: 'context,event,method,route,status,durationMs,traceId',
    singleLine: true,
    messageFormat: (log, messageKey) => visible(sentence(log, log[messageKey])),
  });
}

function sentence(log: Readonly<Record<string, unknown>>, message: unknown): string {
  const { event, method, route, status, durationMs } = log;
  const said = typeof message === 'string' ? message : '';
  if (event === 'request.answered') return [method, route, status, `${String(durationMs)} ms`].join(' ');
  return typeof event === 'string' ? `${event} ${said}`.trim() : said;
}

/** Control characters are shown instead of interpreted. */
function visible(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (one) => JSON.stringify(one).slice(1, -1));
}
