import { AccessGate, AuditGate } from '@app/access';
import { Settings } from '@app/config';
import { ExplorerModule } from '@app/operation';
import {
  ADDRESSES,
  ListenerGate,
  Listeners,
  ManagementErrorFilter,
  PROBLEM_OPTIONS,
  ProblemPages,
  ROUTE_GATES,
  RouteTable,
  ServiceState,
  TenantAddresses,
  TenantGate,
  currentLogContext,
  type RouteGate,
} from '@app/http';
import { LogsModule, MetricsModule } from '@app/observability';
import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
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
        // It shows what all threads have counted.
        enabled: metrics.enabled && isMainThread,
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
    TenantAddresses,
    { provide: ADDRESSES, useExisting: RouteTable },
    {
      provide: PROBLEM_OPTIONS,
      inject: [Settings],
      useFactory: ({ applicationUrl, profile }: Settings) => ({
        publicUrl: applicationUrl,
        verbose: profile === 'development',
      }),
    },
    ManagementErrorFilter,
    { provide: APP_FILTER, useExisting: ManagementErrorFilter },
    ListenerGate,
    AuditGate,
    AccessGate,
    TenantGate,
    {
      provide: ROUTE_GATES,
      // What another listener serves does not exist here, for any caller. Access comes before anything that tells an
      // unauthorised caller about the request.
      inject: [ListenerGate, AuditGate, AccessGate, TenantGate],
      useFactory: (...gates: readonly RouteGate[]) => gates,
    },
  ],
  exports: [PROBLEM_OPTIONS, ServiceState, TenantAddresses],
})
export class HttpModule {}
