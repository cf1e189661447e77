import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as the collector received it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly events: number;
  /** Of the resource: the name of the service. */
  readonly service: string;
}

/** A collector of traces on loopback: OTLP over HTTP, protobuf. */
export interface OtlpCollector {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The bytes of all requests, to search for what must not be in them. */
  bytes(): Buffer;
  stop(): Promise<void>;
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const isExpected = request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      response.writeHead(isExpected ? 200 : 404).end();
      if (!isExpected) return;
      bodies.push(body);
      spans.push(...spansIn(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bytes: () => Buffer.concat(bodies),
    stop: () => {
      server.closeAllConnections();
      return new Promise(
        (resolve) =>
          void server.close(() => {
            resolve();
          }),
      );
    },
  };
}

type Field = { readonly number: number; readonly value: Buffer | bigint };

/** The fields of a protobuf message (https://protobuf.dev/programming-guides/encoding). */
function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number): Buffer => message.subarray(at, (at += length));
  while (at < message.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    const wire = tag & 7;
    if (wire === 0) yield { number, value: varint() };
    else yield { number, value: bytes(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint())) };
  }
}

function messages(message: Buffer, number: number): Buffer[] {
  return [...fieldsOf(message)].flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? [field.value] : [],
  );
}

const text = (message: Buffer, number: number): string => messages(message, number)[0]?.toString() ?? '';
const hex = (message: Buffer, number: number): string => messages(message, number)[0]?.toString('hex') ?? '';

// opentelemetry/proto/trace/v1/trace.proto: ResourceSpans 1, ScopeSpans 2, Span 2.
function spansIn(request: Buffer): ReceivedSpan[] {
  return messages(request, 1).flatMap((resourceSpans) => {
    const service = String(messages(resourceSpans, 1).map((resource) => attributesOf(resource, 1)['service.name'])[0]);
    const spans = messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2));
    return spans.map((span): ReceivedSpan => ({
      traceId: hex(span, 1),
      spanId: hex(span, 2),
      parentSpanId: hex(span, 4),
      name: text(span, 5),
      attributes: attributesOf(span, 9),
      events: messages(span, 11).length,
      service,
    }));
  });
}

function attributesOf(message: Buffer, number: number): Record<string, string | number> {
  const pairs = messages(message, number).map((pair) => {
    const [value] = messages(pair, 2).flatMap((any) => [...fieldsOf(any)]);
    const plain = Buffer.isBuffer(value?.value) ? value.value.toString() : Number(value?.value);
    return [text(pair, 1), plain] as const;
  });
  return Object.fromEntries(pairs);
}
