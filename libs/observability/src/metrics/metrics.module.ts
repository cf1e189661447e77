import { Controller, type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { Registry } from 'prom-client';
import type { EventCounter } from './event-counter';
import { Metrics } from './metrics';
import { MetricsListener } from './metrics-listener';

export interface MetricsOptions {
  readonly enabled: boolean;
  /** Of the listener for Prometheus; 0 takes a free one. */
  readonly port: number;
  /** Of the product, for `sealwright_build_info`. */
  readonly version: string;
  /** What the modules of the business have counted. */
  readonly counters: readonly EventCounter[];
}

export interface MetricsAsyncOptions<A extends unknown[]> {
  readonly inject?: InjectionToken[];
  readonly useFactory: (...injected: A) => MetricsOptions;
}

const OPTIONS = Symbol('METRICS_OPTIONS');

/** The library serves `/metrics` on the public port unless it is given a controller; this one has no route. */
@Controller()
class NoRoute {}

/** Global: provides `Metrics`, and `MetricsListener`, which serves them where they are enabled. */
@Module({})
export class MetricsModule {
  static forRootAsync<A extends unknown[]>({ inject = [], useFactory }: MetricsAsyncOptions<A>): DynamicModule {
    return {
      module: MetricsModule,
      global: true,
      imports: [
        PrometheusModule.registerAsync({
          controller: NoRoute,
          inject: [OPTIONS, Registry],
          useFactory: (...[{ enabled }, register]: [MetricsOptions, Registry]) => ({
            defaultMetrics: { enabled, config: { register } },
          }),
        }),
      ],
      providers: [
        { provide: OPTIONS, inject, useFactory },
        { provide: Registry, useFactory: () => new Registry() },
        { provide: Metrics, inject: [OPTIONS, Registry], useFactory: metricsFor },
        {
          provide: MetricsListener,
          inject: [OPTIONS, Registry],
          useFactory: ({ enabled, port }: MetricsOptions, registry: Registry) =>
            new MetricsListener(registry, enabled ? port : undefined),
        },
      ],
      exports: [OPTIONS, Registry, Metrics, MetricsListener],
    };
  }
}

function metricsFor({ version, counters }: MetricsOptions, registry: Registry): Metrics {
  const metrics = new Metrics(registry, counters);
  metrics.setBuildInfo(version);
  return metrics;
}
