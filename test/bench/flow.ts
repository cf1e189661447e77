import type { Exchange, Sender } from './http-client';

/** What clients of the service do from beginning to end, again and again. */
export interface Flow {
  readonly name: string;
  /** HTTP requests of one run, one after the other. */
  readonly requests: number;
  /** Throws unless the flow succeeds. */
  run(client: Sender): Promise<void>;
}

export function json(body: object): Pick<Exchange, 'type' | 'body'> {
  return { type: 'application/json', body: JSON.stringify(body) };
}

export function form(parameters: Record<string, string>): Pick<Exchange, 'type' | 'body'> {
  return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(parameters).toString() };
}
