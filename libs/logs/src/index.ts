export { LogsModule, type LogOptions, type LogsOptions } from './logs.module';
export { ServiceLogger } from './service-logger';
export { StartLogger } from './start-logger';
