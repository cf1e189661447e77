import { Module } from '@nestjs/common';
import { ApiKeyRecords } from './api-key-records';
import { ApiKeys } from './api-keys';

/** Provides `ApiKeys`; wants the global modules `EventStoreModule` and `KeysModule`. */
@Module({ providers: [ApiKeyRecords, ApiKeys], exports: [ApiKeys] })
export class AccessModule {}
