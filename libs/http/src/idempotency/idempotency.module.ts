import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { IdempotencyKeys, KeyedHashes } from './idempotency-keys';
import { AnswerSeals } from './idempotent-answer';

/** Global: keys at work are known in one place. */
@Module({})
export class IdempotencyModule {
  /** @param kept who makes the hashes of keys and seals the answers */
  static forRoot(kept: { readonly hashes: Type<KeyedHashes>; readonly seals: Type<AnswerSeals> }): DynamicModule {
    return {
      module: IdempotencyModule,
      global: true,
      providers: [
        IdempotencyKeys,
        { provide: KeyedHashes, useExisting: kept.hashes },
        { provide: AnswerSeals, useExisting: kept.seals },
      ],
      exports: [IdempotencyKeys],
    };
  }
}
