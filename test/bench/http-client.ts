import { Client, type Dispatcher } from 'undici';

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly type?: 'application/json' | 'application/x-www-form-urlencoded' | 'text/csv';
  readonly body?: string;
  readonly bearer?: string;
  /** Besides those that follow from the other members. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Partial<Record<string, string>>>;
  readonly body: string;
}

/** What a client of a server does with its requests. */
export interface Sender {
  /** The body of an answer with a 2xx status; anything else ends the benchmark. */
  send(exchange: Exchange): Promise<string>;
}

/** One keep-alive connection. Its callers wait for each answer: what is in flight is the number of clients. */
export class HttpClient implements Sender {
  private readonly client: Client;

  constructor(url: string) {
    this.client = new Client(url, { pipelining: 1 });
  }

  async send(exchange: Exchange): Promise<string> {
    const { status, body } = await this.exchange(exchange);
    if (status >= 200 && status < 300) return body;
    throw new Error(`${exchange.method} ${exchange.path} was answered with ${status}: ${body.slice(0, 500)}`);
  }

  /** With any status. */
  exchange({ method, path, type, body, bearer, headers: further }: Exchange): Promise<Answered> {
    const headers: Record<string, string> = { ...further };
    if (type !== undefined) headers['content-type'] = type;
    if (bearer !== undefined) headers['authorization'] = `Bearer ${bearer}`;
    return new Promise((resolve, reject) => {
      this.client.dispatch({ method, path, headers, body: body ?? null }, reader(resolve, reject));
    });
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function reader(resolve: (answered: Answered) => void, reject: (error: Error) => void): Dispatcher.DispatchHandler {
  let status = 0;
  let headers: Answered['headers'] = {};
  let body = '';
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, statusCode, given) => {
      status = statusCode;
      headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
    },
    // What is read of a body is ASCII, so a character that a chunk ends in counts for nothing.
    onResponseData: (_controller, chunk) => {
      body += chunk.toString('latin1');
    },
    onResponseEnd: () => {
      resolve({ status, headers, body });
    },
    onResponseError: (_controller, error) => {
      reject(error);
    },
  };
}
