import { inTenant } from '@app/primitives/context';
import { Registry } from 'prom-client';
import type { EventCounter } from './event-counter';
import { Metrics } from './metrics';

const offers: EventCounter = {
  category: 'offer',
  name: 'offers_total',
  help: 'Offers',
  series: [{ outcome: 'opened' }],
  seriesOf: () => ({ outcome: 'opened' }),
};
const answered = { method: 'GET', route: '/jwks.json', status: 200, seconds: 0.01 };
const opened = [{ category: 'offer', state: {}, events: [{ type: 'OfferCreated' }] }];

describe('metrics of tenants', () => {
  it('are not there without tenants', async () => {
    const registry = new Registry();
    const metrics = new Metrics(registry, [offers]);
    metrics.requestAnswered(answered);
    metrics.stored(opened);
    const text = await registry.metrics();
    expect(text).not.toContain('tenant');
    expect(text).toContain('sealwright_offers_total{outcome="opened"} 1');
  });

  it('name a hundred of them, and count the others together', async () => {
    const registry = new Registry();
    const metrics = new Metrics(registry, [offers]);
    for (let number = 0; number < 150; number++) {
      const id = `town-${number}`;
      metrics.requestAnswered({ ...answered, status: number === 0 ? 503 : 200 }, id);
      inTenant({ id, mark: id, made: new Map<object, object>() }, () => {
        metrics.stored(opened);
      });
    }
    metrics.stored(opened);
    const text = await registry.metrics();
    expect(text).toContain('sealwright_tenant_requests_total{tenant="town-0",outcome="failed"} 1');
    expect(text).toContain('sealwright_tenant_requests_total{tenant="other",outcome="ok"} 50');
    expect(text).toContain('sealwright_offers_total{outcome="opened",tenant="town-99"} 1');
    expect(text).toContain('sealwright_offers_total{outcome="opened",tenant="other"} 50');
    expect(text).toContain('sealwright_offers_total{outcome="opened"} 1');
    expect(text).not.toContain('town-100');
  });
});
