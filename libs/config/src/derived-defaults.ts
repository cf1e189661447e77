import { withDefaultTls } from './database-address';
import { strictSettings } from './high-assurance';
import { isPort } from './port';
import { reading } from './reading';
import type { Surroundings } from './surroundings';

/** Public on purpose: development needs no ceremony, and production refuses this word. */
export const DEVELOPMENT_PASSWORD = 'development-only';

const FALLBACK_PORT = 3033;

/** Fills in what depends on other settings. `values` holds what was written, by setting name. */
export function fillDerivedDefaults(values: Map<string, unknown>, surroundings: Surroundings): void {
  const fill = (name: string, value: () => unknown): void => {
    if (!values.has(name)) values.set(name, value());
  };
  if (reading.boolean(values.get('SERVICE__HAIP')) === true) {
    for (const { name, allowed } of strictSettings) fill(name, () => allowed[0]);
  }
  for (const [name, value] of [...values]) {
    const signer = value === 'pkcs11' && /^(SERVICE__SIGNER__[A-Z0-9]+__)TYPE$/.exec(name);
    if (signer) fill(`${String(signer[1])}CONCURRENCY`, () => 4);
  }
  const development = values.get('SERVICE__PROFILE') === 'development';

  if (development) {
    fill('SERVICE__EVENT_STORE__TYPE', () => 'embedded');
    fill('SERVICE__MANAGEMENT__CONSOLE', () => true);
    fill('SERVICE__HTTP__DRAIN_SECONDS', () => 0);
    fill('SERVICE__LOG__LEVEL', () => 'debug');
    fill('SERVICE__RATE_LIMITS__ENABLED', () => false);
    fill('SERVICE__AUTHORIZATION__CLIENTS', () => 'any');
    fill('SERVICE__VERIFICATION__UNDETERMINED_STATUS', () => 'accept');
    fill('SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD', () => DEVELOPMENT_PASSWORD);
    fill('SERVICE__APPLICATION_URL', () => {
      const written = reading.number(values.get('SERVICE__HTTP__PORT') ?? FALLBACK_PORT);
      // A wrong port is reported as such, not a second time as a wrong URL.
      const port = isPort(written) ? written : FALLBACK_PORT;
      return `http://${surroundings.lanAddress() ?? '127.0.0.1'}:${port}`;
    });
  }
  const database = 'SERVICE__EVENT_STORE__CONNECTION_STRING';
  if (values.get('SERVICE__EVENT_STORE__TYPE') === 'embedded') fill(database, () => './data');
  if (development) return;
  for (const name of [database, 'SERVICE__ERASURE_KEYS__CONNECTION_STRING']) {
    const written = values.get(name);
    if (typeof written === 'string') values.set(name, withDefaultTls(written));
  }
}
