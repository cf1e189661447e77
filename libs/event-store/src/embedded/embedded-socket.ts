import { Duplex } from 'node:stream';
import type { EmbeddedDatabase } from './embedded-database';

type Done = (error?: Error | null) => void;

/** What `pg` takes for a socket; PostgreSQL in this process is at its other end. */
export class EmbeddedSocket extends Duplex {
  constructor(private readonly database: EmbeddedDatabase) {
    super();
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  override _read(): void {
    // All there is to read has been pushed by the write that it answers.
  }

  override _write(message: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.exchange(message, done);
  }

  /** All messages of one statement. */
  override _writev(messages: readonly { readonly chunk: Buffer }[], done: Done): void {
    this.exchange(Buffer.concat(messages.map(({ chunk }) => chunk)), done);
  }

  override _final(done: Done): void {
    this.push(null);
    done();
  }

  private exchange(message: Buffer, done: Done): void {
    const onRawData = (bytes: Uint8Array): void => {
      // A view of memory that PostgreSQL writes its next answer to.
      this.push(Buffer.from(bytes));
    };
    // PostgreSQL holds the event loop while it works. Requests that have arrived by now come first, and share a statement.
    setImmediate(() => {
      this.database.execProtocolRawStream(message, { syncToFs: false, onRawData }).then(() => {
        done();
      }, done);
    });
  }
}
