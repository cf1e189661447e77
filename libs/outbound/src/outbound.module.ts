import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { OutboundClient, type OutboundOptions } from './outbound-client';

export type OutboundModuleOptions = {
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...dependencies: never[]) => OutboundOptions | Promise<OutboundOptions>;
};

/** Provides one `OutboundClient` to the whole application and closes its connections at shutdown. */
@Module({})
export class OutboundModule implements OnApplicationShutdown {
  constructor(@Inject(OutboundClient) private readonly client: OutboundClient) {}

  static forRootAsync(options: OutboundModuleOptions): DynamicModule {
    return {
      module: OutboundModule,
      global: true,
      providers: [
        {
          provide: OutboundClient,
          inject: options.inject ?? [],
          useFactory: async (...dependencies: never[]) => new OutboundClient(await options.useFactory(...dependencies)),
        },
      ],
      exports: [OutboundClient],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
