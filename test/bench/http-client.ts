import { Client, type Dispatcher } from 'undici';

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly type?: 'application/json' | 'application/x-www-form-urlencoded';
  readonly body?: string;
  readonly bearer?: string;
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

  send({ method, path, type, body, bearer }: Exchange): Promise<string> {
    const headers: Record<string, string> = {};
    if (type !== undefined) headers['content-type'] = type;
    if (bearer !== undefined) headers['authorization'] = `Bearer ${bearer}`;
    return new Promise((resolve, reject) => {
      this.client.dispatch({ method, path, headers, body: body ?? null }, reader(`${method} ${path}`, resolve, reject));
    });
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function reader(
  what: string,
  resolve: (body: string) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  let status = 0;
  let text = '';
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, statusCode) => {
      status = statusCode;
    },
    // Every body of the flow is ASCII, so a chunk never ends inside a character.
    onResponseData: (_controller, chunk) => {
      text += chunk.toString('latin1');
    },
    onResponseEnd: () => {
      if (status >= 200 && status < 300) resolve(text);
      else reject(new Error(`${what} was answered with ${status}: ${text.slice(0, 500)}`));
    },
    onResponseError: (_controller, error) => {
      reject(error);
    },
  };
}
