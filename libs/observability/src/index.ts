export { LogsModule, type LogOptions, type LogsOptions } from './logs/logs.module';
export { ServiceLogger } from './logs/service-logger';
export { StartLogger } from './logs/start-logger';
export type { EventCounter, Labels } from './metrics/event-counter';
export {
  type AnsweredRequest,
  type CertificateFacts,
  type RefusedWallet,
  type RegistrationFacts,
  type StatusListFacts,
  type TrustFacts,
  type WebhookFacts,
} from './metrics/measured';
export { Metrics } from './metrics/metrics';
export { addUp, type Counted, countedIn, MetricsListener } from './metrics/metrics-listener';
export { MetricsModule, type MetricsOptions } from './metrics/metrics.module';
export { traceTenant } from './traces/traced-tenant';
/**
 * Records requests and statements from now on, and sends them where the standard variables of OpenTelemetry say. Only
 * what is loaded after this call is recorded.
 * @param version of the product
 * @returns flushes the remaining spans and stops
 */
export function startTraces(version: string): () => Promise<void> {
  // A start without traces loads nothing of OpenTelemetry, hence no import.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- `import()` would let the program load first
  const recorded = require('./traces/recorded-traces') as typeof import('./traces/recorded-traces');
  return recorded.startTraces(version);
}
