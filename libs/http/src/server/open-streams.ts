import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** Emitted by a response whose head is out and whose body goes on. */
export const streamBegins = 'sealwright:stream-begins';

/** Responses that go on for as long as their clients listen. */
export class OpenStreams {
  private readonly open = new Map<ServerResponse, Readable>();
  private hasEnded = false;

  send(response: ServerResponse, status: number, body: Readable): void {
    // The client has disconnected, and no further event of the response says so.
    if (response.destroyed) {
      body.destroy();
      return;
    }
    response.writeHead(status);
    if (this.hasEnded || response.req.method === 'HEAD') {
      body.destroy();
      response.end();
      return;
    }
    this.open.set(response, body);
    response.once('close', () => {
      this.open.delete(response);
      body.destroy();
    });
    body.once('error', () => response.destroy());
    // Nothing of the body may be there yet, and the client waits for the head.
    response.flushHeaders();
    response.emit(streamBegins);
    body.pipe(response);
  }

  /** Ends them all, so that their clients turn to another replica; those that do not read are cut off. */
  end(): void {
    this.hasEnded = true;
    for (const [response, body] of this.open) {
      body.unpipe(response);
      if (response.writableNeedDrain) response.destroy();
      else response.end();
      body.destroy();
    }
  }
}
