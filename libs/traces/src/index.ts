/**
 * Records requests and statements from now on, and sends them where the standard variables of OpenTelemetry say. Only
 * what is loaded after this call is recorded.
 * @param version of the product
 * @returns flushes the remaining spans and stops
 */
export function startTraces(version: string): () => Promise<void> {
  // A start without traces loads nothing of OpenTelemetry, hence no import.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- `import()` would let the program load first
  const recorded = require('./recorded-traces') as typeof import('./recorded-traces');
  return recorded.startTraces(version);
}
