import { Global, Module } from '@nestjs/common';
import { IdempotencyKeys } from './idempotency-keys';

/** Global: keys at work are known in one place. */
@Global()
@Module({ providers: [IdempotencyKeys], exports: [IdempotencyKeys] })
export class IdempotencyModule {}
