import { Module } from '@nestjs/common';
import { ApiKeyRecords } from './api-key-records';
import { ApiKeys } from './api-keys';

/** Provides `ApiKeys`; wants the global `EventStoreModule`. Command lines import it as the server does. */
@Module({ providers: [ApiKeyRecords, ApiKeys], exports: [ApiKeys] })
export class AccessModule {}
