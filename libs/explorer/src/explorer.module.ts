import { type DynamicModule, Module } from '@nestjs/common';
import { ExplorerController } from './explorer.controller';
import { OPENAPI_DOCUMENT, OpenApiController } from './openapi.controller';

/** The management API for developers: its document, and pages to try it. */
@Module({})
export class ExplorerModule {
  /** @param document renders the OpenAPI document; called once, on the first request */
  static forRoot(document: () => string): DynamicModule {
    return {
      module: ExplorerModule,
      controllers: [OpenApiController, ExplorerController],
      providers: [{ provide: OPENAPI_DOCUMENT, useValue: document }],
    };
  }
}
