import { type Span, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SafeSpans } from './safe-spans';
import { onTenant } from './traced-tenant';

/** Milliseconds for the collector to accept the last spans when the process stops. */
const flushTimeout = 400;

type Routed = IncomingMessage & { readonly route?: { readonly path: string } };

/**
 * Records requests and statements, and sends them where the standard variables say. What is recorded has to be loaded
 * after this call.
 * @param version of the product
 * @returns flushes the remaining spans and stops
 */
export function startTraces(version: string): () => Promise<void> {
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'sealwright', 'service.version': version }))
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have the last word.
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new SafeSpans(new OTLPTraceExporter()))],
  });
  provider.register();
  registerInstrumentations({
    tracerProvider: provider,
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url = '' }) => /^\/(?:livez|readyz|metrics)(?:\?|$)/.test(url),
        // Other servers do not see our trace ids.
        disableOutgoingRequestInstrumentation: true,
        requestHook: (span, request) => {
          if ('headers' in request) continueTrace(span, request);
        },
        applyCustomAttributesOnSpan: (span, request) => {
          const { method = '', route } = request as Routed;
          if (!route) return;
          span.updateName(`${method} ${route.path}`);
          span.setAttribute('http.route', route.path);
        },
      }),
      // Background polling belongs to no trace.
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
    ],
  });
  onTenant((tenant) => {
    trace.getActiveSpan()?.setAttribute('sealwright.tenant', tenant);
  });
  return () => Promise.race([provider.shutdown().catch(() => undefined), delay(flushTimeout)]);
}

/** A request without a trace context gets the one started here, in its log lines and its response too. */
function continueTrace(span: Span, request: IncomingMessage): void {
  const { traceId, spanId, traceFlags } = span.spanContext();
  if (request.headers.traceparent?.includes(traceId)) return;
  request.headers.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
