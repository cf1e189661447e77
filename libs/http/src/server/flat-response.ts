import { type IncomingMessage, type OutgoingHttpHeader, ServerResponse } from 'node:http';

type Value = number | string | readonly string[];

/**
 * A class of responses, whose headers are sent as one list. Node checks and files each header when it is set, and reads them all again
 * when the head is written, where it checks them too: here that is the only time.
 */
export function flatResponses() {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    /** By name in lower case. */
    private readonly given = new Map<string, readonly [name: string, value: Value]>();

    override setHeader(name: string, value: Value): this {
      this.given.set(name.toLowerCase(), [name, value]);
      return this;
    }

    override getHeader(name: string): number | string | string[] | undefined {
      return this.given.get(name.toLowerCase())?.[1] as string | undefined;
    }

    override hasHeader(name: string): boolean {
      return this.given.has(name.toLowerCase());
    }

    override removeHeader(name: string): void {
      this.given.delete(name.toLowerCase());
    }

    override getHeaderNames(): string[] {
      return [...this.given.keys()];
    }

    override getHeaders(): Record<string, OutgoingHttpHeader> {
      return Object.fromEntries([...this.given].map(([name, [, value]]) => [name, value as OutgoingHttpHeader]));
    }

    override writeHead(status: number, ...rest: readonly unknown[]): this {
      const last = rest.at(-1);
      if (typeof last === 'object' && last !== null) {
        for (const [name, value] of Object.entries(last)) this.setHeader(name, value as Value);
      }
      const list: Value[] = [];
      for (const [name, value] of this.given.values()) list.push(name, value);
      return super.writeHead(status, list as string[]);
    }
  };
}
