import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { addUp, countedIn, MetricsListener } from './metrics-listener';

/** What one thread has measured. */
function measured(offers: number, doubted: number): Registry {
  const registers = [new Registry()];
  new Counter({ name: 'offers_total', help: 'Offers', labelNames: ['outcome'], registers }).inc(
    { outcome: 'expired' },
    offers,
  );
  new Histogram({ name: 'seconds', help: 'Seconds', buckets: [1], registers }).observe(offers);
  new Gauge({ name: 'lag', help: 'Lag', registers }).set(offers);
  new Gauge({ name: 'clock_doubted', help: 'Doubted', aggregator: 'max', registers }).set(doubted);
  return registers[0] ?? new Registry();
}

describe('metrics of two threads', () => {
  it('are added up, and a gauge is that of the thread that answers', async () => {
    const listener = new MetricsListener(measured(2, 0), 0);
    listener.addThread(() => countedIn(measured(3, 1)));
    await listener.onApplicationBootstrap();
    const text = await (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text();
    listener.onApplicationShutdown();
    const values = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(values.sort()).toEqual([
      'clock_doubted 1',
      'lag 2',
      'offers_total{outcome="expired"} 5',
      'seconds_bucket{le="+Inf"} 2',
      'seconds_bucket{le="1"} 0',
      'seconds_count 2',
      'seconds_sum 5',
    ]);
  });

  it('can be added again to what an ended thread had counted', async () => {
    const ended = await countedIn(addUp([await countedIn(measured(1, 0)), await countedIn(measured(1, 0))]));
    const [counter] = await countedIn(addUp([ended, await countedIn(measured(1, 0))]));
    expect(counter).toMatchObject({ name: 'offers_total', values: [{ value: 3, labels: { outcome: 'expired' } }] });
  });
});
