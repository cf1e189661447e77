import { RateLimiter, rateLimits } from '@app/http';
import { inTenant } from '@app/primitives/context';
import { TenantRegistry } from '@app/tenants';
import { setTimeout as pause } from 'node:timers/promises';
import { answered, postForm, postJson, type Reply } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { preAuthorizedGrant, readOffer } from '../support/wallets/wallet';

const service = serviceOfFile({ SERVICE__RATE_LIMITS__ENABLED: 'true' });
const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const address = '127.0.0.1';

/** An offer with a transaction code, and how it is redeemed. */
async function offerOf(tenant: string): Promise<() => Promise<Reply>> {
  answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId: tenant, displayName: tenant }));
  const { link, txCode = '' } = await prepareOffer(at(tenant), [await publishedTemplate(at(tenant))], { txCode: true });
  const { code } = await readOffer(link);
  const form = { grant_type: preAuthorizedGrant, 'pre-authorized_code': code, tx_code: txCode };
  return () => postForm(`${at(tenant)}/openid4vci/token`, Object.entries(form));
}

describe('an address that has tried too many transaction codes at one tenant', () => {
  it('is refused there, and nowhere else', async () => {
    const [ofA, ofB] = [await offerOf('town-a'), await offerOf('town-b')];
    // They are counted within a minute of the clock.
    await pause(new Date().getSeconds() > 50 ? 10_500 : 0);
    const town = await service.app.get(TenantRegistry, { strict: false }).byId('town-a');
    const limiter = service.app.get(RateLimiter, { strict: false });
    const failures = Array.from({ length: rateLimits['wrong-transaction-code'] }, () =>
      inTenant(town, () => limiter.count('wrong-transaction-code', address)),
    );
    await Promise.all(failures);
    expect((await ofA()).status).toBe(429);
    answered(200, await ofB());
    expect(limiter.secondsToWait('wrong-transaction-code', address)).toBeUndefined();
  });
});
