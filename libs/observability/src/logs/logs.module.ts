import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { allowedFields } from './log-fields';
import { readableLines } from './readable-lines';
import { ServiceLogger } from './service-logger';

export interface LogOptions {
  /** Of pino, from `trace` to `fatal`. */
  readonly level: string;
  /** Lines for people instead of JSON. */
  readonly readable: boolean;
  /** What every line gets of the request at hand; `undefined` members are left out. */
  readonly context?: () => object;
}

export interface LogsOptions<A extends unknown[]> {
  readonly inject?: InjectionToken[];
  readonly useFactory: (...injected: A) => LogOptions;
}

/** Global: provides `ServiceLogger`, to be made Nest's logger with `app.useLogger`. */
@Module({})
export class LogsModule {
  static forRootAsync<A extends unknown[]>({ inject = [], useFactory }: LogsOptions<A>): DynamicModule {
    return {
      module: LogsModule,
      global: true,
      imports: [
        LoggerModule.forRootAsync({
          inject,
          useFactory: (...injected) => ({
            pinoHttp: { logger: createLogger(useFactory(...(injected as A))) },
            // libs/http logs requests, by the template of their route.
            forRoutes: [],
          }),
        }),
      ],
      providers: [ServiceLogger],
      exports: [ServiceLogger],
    };
  }
}

/** @param to standard output when absent, opened with the first line */
export function createLogger({ level, readable, context }: LogOptions, to = standardOutput(readable)): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      // Under the name of the error key pino would take an error's message for that of the line.
      errorKey: 'thrown',
      formatters: { level: (label) => ({ level: label }), log: allowedFields },
      ...(context && { mixin: context }),
    },
    to,
  );
}

function standardOutput(readable: boolean): { write(line: string): void } {
  let stream: { write(line: string): void } | undefined;
  return {
    write(line) {
      stream ??= readable ? readableLines() : destination({ fd: 1, sync: true });
      stream.write(line);
    },
  };
}
