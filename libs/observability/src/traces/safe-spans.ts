import type { Attributes } from '@opentelemetry/api';
import { Logger } from '@nestjs/common';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

/**
 * The attributes of a span that are exported, and no others: no paths, queries, headers, client addresses or SQL. Like the
 * log, this is an allow-list.
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
  'sealwright.tenant',
  'url.scheme',
]);

type ExportArguments = Parameters<SpanExporter['export']>;

/** Exports spans without any data of a request. Logs once when the collector fails, and once when it accepts again. */
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

/** Span events and the status message are dropped, because they hold messages of exceptions. */
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
