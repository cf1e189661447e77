export { LogsModule, type LogOptions, type LogsOptions } from './logs.module';
export { ServiceLogger } from './service-logger';
