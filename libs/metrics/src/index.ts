export { MetricsListener } from './metrics-listener';
export { MetricsModule, type MetricsOptions } from './metrics.module';
export {
  Metrics,
  type AppendOutcome,
  type AnsweredRequest,
  type Backlog,
  type ConnectionCounts,
  type CredentialOutcome,
  type OfferOutcome,
  type PresentationOutcome,
} from './metrics';
