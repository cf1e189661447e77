import { ApiKeyRecords } from '@app/access';
import type { Settings } from '@app/config';
import type { SqlDriver } from '@app/event-store';
import { openCheckingKeys } from '@app/keys';
import { OutboundClient } from '@app/outbound';
import { fail, type Finding, ok, warn } from './finding';
import { reasonOf } from './outbound-reason';

/** Whether any caller has access to the management API. @param driver undefined when the database could not be asked */
export async function checkAccess(
  { management, profile, secretManager }: Settings,
  driver: SqlDriver | undefined,
): Promise<Finding> {
  const check = 'access';
  const ways = [
    ...(management.apiKeys.length > 0 ? [`${management.apiKeys.length} API key(s) in the settings`] : []),
    ...(management.jwksUrl === '' ? [] : [`access tokens of ${management.issuer}`]),
    ...((await hasLiveKey(driver, secretManager.strongholdPassword)) ? ['API keys in the database'] : []),
  ];
  if (ways.length > 0) return ok(check, ways.join(', '));
  if (profile === 'development') return ok(check, 'no key yet; in development, requests from localhost need none');
  const remedy = 'Create a key with "sealwright api-keys create", or set SERVICE__MANAGEMENT__JWKS_URL.';
  return fail(check, 'the management API has no credential', remedy);
}

async function hasLiveKey(driver: SqlDriver | undefined, password: string): Promise<boolean> {
  if (!driver) return false;
  try {
    const { proofs } = await openCheckingKeys(driver, password);
    const keys = await new ApiKeyRecords(driver, proofs).list();
    return keys.some(({ isProven, revokedAt, isExpired }) => isProven && !revokedAt && !isExpired);
  } catch {
    // Without tables, or the password, no caller has access; the checks of both report it.
    return false;
  }
}

/** Whether Prometheus finds something. The listener may be on another machine than this command, hence no failure. */
export async function checkMetrics({ metrics, http }: Settings): Promise<Finding> {
  const check = 'metrics';
  if (!metrics.enabled) return ok(check, 'not enabled');
  if (metrics.port === 0) return warn(check, 'on any free port', 'Set SERVICE__METRICS__PORT.');
  if (metrics.port === http.port) {
    return fail(
      check,
      `port ${metrics.port} is also used by the service`,
      'Set SERVICE__METRICS__PORT to another one.',
    );
  }
  const host = `127.0.0.1:${metrics.port}`;
  const client = new OutboundClient({ allowPrivateHosts: [host], negativeCacheMs: 0 });
  try {
    const { body } = await client.get(`http://${host}/metrics`, {
      purpose: 'self-check',
      accept: ['*/*'],
      maxBytes: 16 * 1024 * 1024,
    });
    return ok(check, `http://${host}/metrics answers with ${body.length} bytes`);
  } catch (error) {
    const found = `http://${host}/metrics does not answer: ${reasonOf(error)}`;
    return warn(check, found, 'Expected if the service runs elsewhere; otherwise find out what uses the port.');
  } finally {
    await client.close();
  }
}
