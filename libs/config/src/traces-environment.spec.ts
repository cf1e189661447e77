import { wantsTraces } from './traces-environment';

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318';
const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'http://127.0.0.1:4318/v1/traces';

describe('traces', () => {
  it.each([
    ['one for all signals', { OTEL_EXPORTER_OTLP_ENDPOINT }],
    ['one for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT }],
    ['one, and the SDK is not disabled', { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'false' }],
    ['one, and the exporter by name', { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'otlp' }],
  ])('are wanted when there is an endpoint: %s', (_which, environment) => {
    expect(wantsTraces(environment)).toBe(true);
  });

  it.each([
    ['there is no endpoint', { OTEL_SERVICE_NAME: 'issuer' }],
    ['the endpoint is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    ['the SDK is disabled', { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'True' }],
    ['no exporter is wanted', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  ])('are not wanted when %s', (_why, environment) => {
    expect(wantsTraces(environment)).toBe(false);
  });
});
