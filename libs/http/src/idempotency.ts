import { HttpReply } from '@app/web';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Global,
  Injectable,
  Module,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { declaredStatus } from './declared-routes';
import { IdempotencyKeys, parseIdempotencyKey } from './idempotency-keys';
import { RawBody } from './raw-body';

const usual = 'application/json';

const metadataKey = 'sealwright:idempotent';
const representationKey = 'sealwright:idempotent-representation';

/** The media type of the answer to a request with this `Accept` header. */
type RepresentationOf = (accept: string | undefined) => string;

/**
 * Lets a POST that creates something take an `Idempotency-Key`: whatever happens on the way, it creates once.
 * @param representationOf for a method that answers in several media types: the stored answer is one of them, and is
 *   repeated only to who asks for that one
 */
export function Idempotent(representationOf: RepresentationOf = () => usual): MethodDecorator {
  return applyDecorators(
    IdempotentInParts(),
    SetMetadata(representationKey, representationOf),
    UseInterceptors(IdempotencyInterceptor),
  );
}

/** Says that a method itself takes an `Idempotency-Key`, with {@link IdempotencyKeys.inParts}. */
export function IdempotentInParts(): MethodDecorator {
  return SetMetadata(metadataKey, true);
}

/** Whether a controller's method takes an `Idempotency-Key`. */
export function isIdempotent(method: object): boolean {
  return Reflect.getMetadata(metadataKey, method) === true;
}

/** The media type in which a controller's method answers this `Accept` header: JSON, unless it is described otherwise. */
export function answeredAs(method: object, accept: string | undefined): string {
  const representationOf = Reflect.getMetadata(representationKey, method) as RepresentationOf | undefined;
  return representationOf?.(accept) ?? usual;
}

/** Global: keys at work are known in one place. */
@Global()
@Module({ providers: [IdempotencyKeys], exports: [IdempotencyKeys] })
export class IdempotencyModule {}

interface Asked {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly keys: IdempotencyKeys) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { method, originalUrl, headers, body } = context.switchToHttp().getRequest<Asked>();
    const header = headers['idempotency-key'];
    // A body that was not read is refused by whoever reads it.
    if (header === undefined || !(body instanceof RawBody) || !body.bytes) return next.handle();
    const representation = answeredAs(context.getHandler(), headers.accept);
    const status = declaredStatus(context.getHandler()) ?? 201;
    const request = {
      ...parseIdempotencyKey(header),
      fingerprints: this.keys.fingerprintsOf(
        ...[method, originalUrl, body.mediaType, body.bytes],
        // Keys that were used before representations counted stay valid for JSON.
        ...(representation === usual ? [] : [representation]),
      ),
    };
    return from(
      this.keys.once(request, async () => {
        const result: unknown = await lastValueFrom(next.handle());
        return result instanceof HttpReply ? result : new HttpReply(status, result);
      }),
    );
  }
}
