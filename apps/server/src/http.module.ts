import { AccessGuard, AuditGuard } from '@app/access';
import { Settings } from '@app/config';
import { ExplorerModule } from '@app/operation';
import {
  ADDRESSES,
  ListenerGuard,
  Listeners,
  ManagementErrorFilter,
  PROBLEM_OPTIONS,
  ProblemPages,
  RouteTable,
  ServiceState,
  StorablePipe,
  currentLogContext,
} from '@app/http';
import { LogsModule, MetricsModule } from '@app/observability';
import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { join } from 'node:path';
import { eventCounters } from './event-counters';
import { managementDocument } from './openapi';
import { productDirectory, productVersion } from './version';

/** What every request passes: access, audit, and exceptions that become problem documents. */
@Global()
@Module({
  imports: [
    ExplorerModule.forRoot(managementDocument, join(productDirectory(), 'dist/apps/console')),
    LogsModule.forRootAsync({
      inject: [Settings],
      useFactory: ({ log, profile }: Settings) => ({
        level: log.level,
        readable: profile === 'development',
        context: currentLogContext,
      }),
    }),
    MetricsModule.forRootAsync({
      inject: [Settings],
      useFactory: ({ metrics }: Settings) => ({
        enabled: metrics.enabled,
        port: metrics.port,
        version: productVersion(),
        counters: eventCounters,
      }),
    }),
  ],
  controllers: [ProblemPages],
  providers: [
    Listeners,
    RouteTable,
    ServiceState,
    { provide: ADDRESSES, useExisting: RouteTable },
    {
      provide: PROBLEM_OPTIONS,
      inject: [Settings],
      useFactory: ({ applicationUrl, profile }: Settings) => ({
        publicUrl: applicationUrl,
        verbose: profile === 'development',
      }),
    },
    { provide: APP_FILTER, useClass: ManagementErrorFilter },
    // What another listener serves does not exist here, for any caller.
    { provide: APP_GUARD, useClass: ListenerGuard },
    { provide: APP_GUARD, useClass: AuditGuard },
    // Then access, so that an unauthorised caller learns nothing about the request.
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_PIPE, useClass: StorablePipe },
  ],
  exports: [PROBLEM_OPTIONS, ServiceState],
})
export class HttpModule {}
