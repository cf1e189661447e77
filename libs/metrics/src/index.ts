export type { EventCounter, Labels } from './event-counter';
export {
  type AnsweredRequest,
  type CertificateFacts,
  Metrics,
  type RefusedWallet,
  type StatusListFacts,
  type TrustFacts,
  type WebhookFacts,
} from './metrics';
export { MetricsListener } from './metrics-listener';
export { MetricsModule, type MetricsOptions } from './metrics.module';
