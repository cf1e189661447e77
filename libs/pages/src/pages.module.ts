import { Global, Module } from '@nestjs/common';
import { IssuerAppearance } from './issuer-appearance';
import { PageErrorFilter } from './page-error.filter';
import { PageFilesController } from './page-files.controller';
import { Pages } from './pages';
import { StateStreams } from './state-streams';
import { StreamChanges } from './stream-changes';

/** Global: provides {@link Pages} and {@link IssuerAppearance}. Needs the modules of settings, event store and rate limits. */
@Global()
@Module({
  controllers: [PageFilesController],
  providers: [IssuerAppearance, StreamChanges, StateStreams, Pages, PageErrorFilter],
  exports: [Pages, IssuerAppearance],
})
export class PagesModule {}
