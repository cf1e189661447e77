import type { Attributes } from '@opentelemetry/api';
import { Logger } from '@nestjs/common';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

/**
 * The attributes of a span that leave this process, and no others: paths, queries, headers, addresses of clients and the
 * texts of statements stay. As with the log, what is not known to be harmless is not sent.
 */
const harmless: ReadonlySet<string> = new Set([
  'db.namespace',
  'db.operation.name',
  'db.system.name',
  'error.type',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'network.protocol.version',
  'url.scheme',
]);

type ExportArguments = Parameters<SpanExporter['export']>;

/** Hands spans on without anything that somebody has sent. Says once that the collector is away, and once that it is back. */
export class SafeSpans implements SpanExporter {
  private readonly logger = new Logger('Traces');
  private isFailing = false;

  constructor(private readonly exporter: SpanExporter) {}

  export(spans: ReadableSpan[], done: ExportArguments[1]): void {
    this.exporter.export(spans.map(harmlessSpan), (result) => {
      const fails = result.error !== undefined;
      if (fails && !this.isFailing) this.logger.warn({ event: 'traces.not-accepted' });
      if (!fails && this.isFailing) this.logger.log({ event: 'traces.accepted-again' });
      this.isFailing = fails;
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve();
  }
}

/** Events of spans hold the messages of exceptions, and so does the status. */
function harmlessSpan(span: ReadableSpan): ReadableSpan {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(span.attributes)) if (harmless.has(name)) attributes[name] = value;
  // Without the `tracestate` of the caller.
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => ({ traceId, spanId, traceFlags }),
    ...(span.parentSpanContext && { parentSpanContext: span.parentSpanContext }),
    startTime: span.startTime,
    endTime: span.endTime,
    duration: span.duration,
    ended: span.ended,
    status: { code: span.status.code },
    attributes,
    links: [],
    events: [],
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
