type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether the standard variables of OpenTelemetry ask for traces: an endpoint is named, and nothing switches them off.
 * No settings are read for it: it is called before the program is loaded.
 */
export function wantsTraces(environment: Environment = process.env): boolean {
  const endpoint = environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (endpoint === undefined || endpoint.trim() === '') return false;
  if (environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  return environment['OTEL_TRACES_EXPORTER']?.trim() !== 'none';
}
