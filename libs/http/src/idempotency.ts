import { AlreadyConsumedError, EventStore } from '@app/event-store';
import { Authenticator, Sealer } from '@app/keys';
import { Problem } from '@app/problem-details';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { HttpReply } from './http-reply';
import { IdempotentAnswer } from './idempotent-answer';
import { RawBody } from './raw-body';

const metadataKey = 'sealwright:idempotent';
/** The kind under which the store keeps used keys. */
const kind = 'idempotency-key';
const keptFor = 24 * 60 * 60 * 1000;
/** Header of an answer that was given before. */
const replayed = { 'Idempotent-Replayed': 'true' };

/** Lets a POST that creates something take an `Idempotency-Key`: whatever happens on the way, it creates once. */
export function Idempotent(): MethodDecorator {
  return applyDecorators(SetMetadata(metadataKey, true), UseInterceptors(IdempotencyInterceptor));
}

/** Whether a controller's method is {@link Idempotent}. */
export function isIdempotent(method: object): boolean {
  return Reflect.getMetadata(metadataKey, method) === true;
}

interface Asked {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/**
 * Runs the handler in a unit of work that also uses the key up and keeps the answer beside it, sealed: effect and key
 * are written together or not at all, whichever replica asks. A refusal writes nothing, so the key stays free.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  /** Keys at work in this process. Only for an early answer: what counts is the row in the database. */
  private readonly inFlight = new Set<string>();

  constructor(
    private readonly store: EventStore,
    private readonly authenticator: Authenticator,
    private readonly sealer: Sealer,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Asked>();
    const key = request.headers['idempotency-key'];
    // A body that was not read is refused by whoever reads it.
    if (key === undefined || !(request.body instanceof RawBody) || !request.body.bytes) return next.handle();
    const fingerprint = this.fingerprintOf(request, request.body.bytes, request.body.mediaType);
    const status = (Reflect.getMetadata(HTTP_CODE_METADATA, context.getHandler()) as number | undefined) ?? 201;
    return from(
      this.once(keyIn(key), fingerprint, async () => {
        const result: unknown = await lastValueFrom(next.handle());
        return result instanceof HttpReply ? result : new HttpReply(status, result);
      }),
    );
  }

  private async once(key: string, fingerprint: string, work: () => Promise<HttpReply>): Promise<HttpReply> {
    const hash = this.authenticator.mac(kind, key);
    const name = hash.toString('hex');
    if (this.inFlight.has(name)) throw atWork();
    this.inFlight.add(name);
    try {
      return (await this.earlier(key, hash, fingerprint)) ?? (await this.first(key, hash, fingerprint, work));
    } finally {
      this.inFlight.delete(name);
    }
  }

  private async first(
    key: string,
    hash: Buffer,
    fingerprint: string,
    work: () => Promise<HttpReply>,
  ): Promise<HttpReply> {
    try {
      return await this.store.transact(async () => {
        const reply = await work();
        const note = this.answerOf(key, hash).seal(reply, fingerprint);
        const expiresAt = new Date(this.store.clock().getTime() + keptFor);
        await this.store.consume({ kind, hash, expiresAt, note });
        return reply;
      });
    } catch (error) {
      // Another replica may have been faster with the same request: then its answer is the answer, not our failure.
      const earlier = await this.earlier(key, hash, fingerprint);
      if (earlier) return earlier;
      if (error instanceof AlreadyConsumedError && error.kind === kind) {
        throw new Problem('idempotency-key-reused', 'This Idempotency-Key was used more than 24 hours ago.');
      }
      throw error;
    }
  }

  /** The answer that the key has got before. Throws `idempotency-key-reused` when it was to another request. */
  private async earlier(key: string, hash: Buffer, fingerprint: string): Promise<HttpReply | undefined> {
    const note = await this.store.noteOf(kind, hash);
    if (note === undefined) return undefined;
    const answer = this.answerOf(key, hash).open(note);
    if (answer.fingerprint !== fingerprint) {
      throw new Problem('idempotency-key-reused', 'This Idempotency-Key was sent before, with another request.');
    }
    const { status, body, headers } = answer.reply;
    return new HttpReply(status, body, { ...headers, ...replayed });
  }

  private answerOf(key: string, hash: Buffer): IdempotentAnswer {
    // Sealed under a key that takes the client's own to derive: neither database nor operator can open it alone.
    return new IdempotentAnswer(this.sealer, this.authenticator.mac('idempotent-answer', key), hash.toString('hex'));
  }

  /** Bodies hold personal data: what is kept of them is a keyed hash. */
  private fingerprintOf({ method, originalUrl }: Asked, bytes: Buffer, mediaType: string): string {
    return this.authenticator.mac('idempotent-request', method, originalUrl, mediaType, bytes).toString('base64url');
  }
}

function keyIn(header: string | string[]): string {
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  const message = 'must be given once, with 1 to 255 visible ASCII characters';
  throw new Problem('validation-failed', `The header Idempotency-Key ${message}.`, [
    { pointer: '/Idempotency-Key', message },
  ]);
}

function atWork(): Problem {
  return new Problem(
    'conflict',
    'A request with this Idempotency-Key is being handled. Send it again in a moment.',
    [],
    {
      'Retry-After': '1',
    },
  );
}
