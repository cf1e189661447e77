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
import { HTTP_CODE_METADATA } from '@nestjs/common/constants';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { HttpReply } from './http-reply';
import { IdempotencyKeys, parseIdempotencyKey } from './idempotency-keys';
import { RawBody } from './raw-body';

const metadataKey = 'sealwright:idempotent';

/** Lets a POST that creates something take an `Idempotency-Key`: whatever happens on the way, it creates once. */
export function Idempotent(): MethodDecorator {
  return applyDecorators(IdempotentInParts(), UseInterceptors(IdempotencyInterceptor));
}

/** Says that a method itself takes an `Idempotency-Key`, with {@link IdempotencyKeys.inParts}. */
export function IdempotentInParts(): MethodDecorator {
  return SetMetadata(metadataKey, true);
}

/** Whether a controller's method takes an `Idempotency-Key`. */
export function isIdempotent(method: object): boolean {
  return Reflect.getMetadata(metadataKey, method) === true;
}

/** Global: keys at work are known in one place. */
@Global()
@Module({ providers: [IdempotencyKeys], exports: [IdempotencyKeys] })
export class IdempotencyModule {}

interface Asked {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
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
    const status = (Reflect.getMetadata(HTTP_CODE_METADATA, context.getHandler()) as number | undefined) ?? 201;
    const request = {
      ...parseIdempotencyKey(header),
      fingerprint: this.keys.fingerprint(method, originalUrl, body.mediaType, body.bytes),
    };
    return from(
      this.keys.once(request, async () => {
        const result: unknown = await lastValueFrom(next.handle());
        return result instanceof HttpReply ? result : new HttpReply(status, result);
      }),
    );
  }
}
