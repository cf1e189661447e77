import { Module } from '@nestjs/common';
import { AccessModule } from '../access.module';
import { MadeKeysController } from './made-keys.controller';

@Module({ imports: [AccessModule], controllers: [MadeKeysController] })
export class MadeKeysModule {}
