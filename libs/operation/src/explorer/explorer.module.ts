import { type DynamicModule, Module } from '@nestjs/common';
import { CONSOLE_FILES, ConsoleController } from './console.controller';
import { ExplorerController } from './explorer.controller';
import { OPENAPI_DOCUMENT, OpenApiController } from './openapi.controller';

/** The management API for developers: its document, pages to try it, and the console. */
@Module({})
export class ExplorerModule {
  /**
   * @param document renders the OpenAPI document; called once, on the first request
   * @param consoleFiles the directory of the built console
   */
  static forRoot(document: () => string, consoleFiles: string): DynamicModule {
    return {
      module: ExplorerModule,
      controllers: [OpenApiController, ExplorerController, ConsoleController],
      providers: [
        { provide: OPENAPI_DOCUMENT, useValue: document },
        { provide: CONSOLE_FILES, useValue: consoleFiles },
      ],
    };
  }
}
