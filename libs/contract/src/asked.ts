import type { IncomingHttpHeaders } from 'node:http';

/** What a request to an operation asks for, apart from its body and parameters. */
export interface Asked {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}
