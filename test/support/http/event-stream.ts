import { get, type IncomingMessage } from 'node:http';

export interface ReceivedEvent {
  readonly id: string;
  /** `message` when it has no name. */
  readonly name: string;
  readonly data: string;
}

/** A connection to a stream of server-sent events (WHATWG HTML §9.2). */
export interface EventConnection {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The next event; `undefined` when the stream has ended or was cut. */
  next(): Promise<ReceivedEvent | undefined>;
  /** The next ones that are no heartbeats. */
  take(count: number): Promise<Record<string, unknown>[]>;
  /** The rest of the body; for an answer that is no stream. */
  text(): Promise<string>;
  /** Whether the server has ended the answer, and has not just cut the connection. */
  isComplete(): boolean;
  /** Of the last event with an id. */
  lastEventId(): string | undefined;
  /** Reads no more, so that the connection fills up. */
  pause(): void;
  resume(): void;
  cut(): void;
}

export function listen(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventConnection> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      resolve(connectionOf(response));
    });
    request.once('error', reject);
  });
}

function connectionOf(response: IncomingMessage): EventConnection {
  const events: ReceivedEvent[] = [];
  let [received, whole, lastId, hasEnded] = ['', '', undefined as string | undefined, false];
  let wake: (() => void) | undefined;
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    whole += chunk;
    const blocks = (received + chunk).split('\n\n');
    received = blocks.pop() ?? '';
    events.push(...blocks.map(parsed));
    wake?.();
  });
  response.on('error', () => undefined);
  response.once('close', () => {
    hasEnded = true;
    wake?.();
  });
  const next = async (): Promise<ReceivedEvent | undefined> => {
    for (;;) {
      const event = events.shift();
      if (event) {
        lastId = event.id;
        return event;
      }
      if (hasEnded) return undefined;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    take: async (count) => {
      const taken: Record<string, unknown>[] = [];
      while (taken.length < count) {
        const event = await next();
        if (!event) throw new Error(`The stream has ended after ${taken.length} of ${count} events.`);
        if (event.name === 'message') taken.push(JSON.parse(event.data) as Record<string, unknown>);
      }
      return taken;
    },
    text: async () => {
      while (!hasEnded) await new Promise<void>((resolve) => (wake = resolve));
      return whole;
    },
    isComplete: () => response.complete,
    lastEventId: () => lastId,
    pause: () => response.pause(),
    resume: () => response.resume(),
    cut: () => response.destroy(),
  };
}

function parsed(block: string): ReceivedEvent {
  const fields = new Map(
    block.split('\n').map((line) => {
      const [, field = '', value = ''] = /^([a-z]*):? ?(.*)$/.exec(line) ?? [];
      return [field, value] as const;
    }),
  );
  return { id: fields.get('id') ?? '', name: fields.get('event') ?? 'message', data: fields.get('data') ?? '' };
}
