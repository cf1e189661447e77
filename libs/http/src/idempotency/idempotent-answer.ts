import type { Awaitable } from '@app/primitives/awaitable';
import { HttpReply } from '../context/http-reply';

interface Kept {
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  /** base64 */
  readonly bytes?: string;
}

/** Seals what is kept. The application names who does (`Sealer` of libs/keys). */
export abstract class AnswerSeals {
  /** @returns base64url */
  abstract seal(dataKey: Buffer, plaintext: string | Buffer, additionalData: string): string;
  /** Throws when it was altered, or sealed for another place. */
  abstract open(dataKey: Buffer, sealed: string, additionalData: string): Buffer;
  /** The data key of a stream; `undefined` when it was erased. */
  abstract unwrap(wrapped: Buffer, streamId: string): Awaitable<Buffer | undefined>;
}

/** An answer with the fingerprint of the request it was given to. */
export interface OpenedAnswer {
  readonly reply: HttpReply;
  readonly fingerprint: string;
}

/** An answer that is kept for a day in which it may be requested again: sealed, because it may hold a code. */
export class IdempotentAnswer {
  constructor(
    private readonly seals: AnswerSeals,
    private readonly dataKey: Buffer,
    private readonly place: string,
  ) {}

  seal({ status, headers, body }: HttpReply, fingerprint: string): string {
    const kept: Kept = { fingerprint, status, headers, ...keptBody(body) };
    return this.seals.seal(this.dataKey, JSON.stringify(kept), this.additionalData());
  }

  /** Throws `SealBrokenError` when what was kept was tampered with. */
  open(sealed: string): OpenedAnswer {
    // Only `seal` writes under this place.
    const kept = JSON.parse(this.seals.open(this.dataKey, sealed, this.additionalData()).toString('utf8')) as Kept;
    const body = kept.bytes === undefined ? (kept.text ?? kept.json) : Buffer.from(kept.bytes, 'base64');
    return { reply: new HttpReply(kept.status, body, kept.headers), fingerprint: kept.fingerprint };
  }

  private additionalData(): string {
    return `idempotent-answer/${this.place}`;
  }
}

function keptBody(body: unknown): Pick<Kept, 'json' | 'text' | 'bytes'> {
  if (body === undefined) return {};
  if (typeof body === 'string') return { text: body };
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body).toString('base64') };
  return { json: body };
}
