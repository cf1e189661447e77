/** @jest-environment node */
import type { Settings } from '@app/config';
import { Tenants } from '@app/primitives/context';
import type { Readable } from 'node:stream';
import { type PageState, StateStreams } from './state-streams';
import { StreamChanges, type PageWatch } from './stream-changes';

/** Changes that the test makes. */
class MadeChanges {
  readonly watches = new Set<PageWatch>();
  join(watch: PageWatch): Promise<void> {
    this.watches.add(watch);
    return Promise.resolve();
  }
  leave(watch: PageWatch): void {
    this.watches.delete(watch);
  }
  of(stream: string): void {
    for (const watch of this.watches) watch.note(new Set([stream]));
  }
}

const ready: PageState = { state: 'ready', isFinal: false, streams: ['offer-1'] };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the live state of a page', () => {
  const changes = new MadeChanges();
  const streams = new StateStreams(
    changes as unknown as StreamChanges,
    { events: { heartbeatSeconds: 15 } } as Settings,
    new Tenants(),
  );
  const opened: (Readable | undefined)[] = [];
  afterEach(() => {
    for (const stream of opened.splice(0)) stream?.destroy();
  });
  const open = (look: () => Promise<PageState> = () => Promise.resolve(ready), address = '203.0.113.7') => {
    const stream = streams.openFor(address, look);
    opened.push(stream);
    let text = '';
    stream?.on('data', (part: string) => (text += part));
    const data = (): string[] => [...text.matchAll(/data: (.*)/g)].map(([, state = '']) => state);
    return { stream, data, text: () => text };
  };

  it('is its name alone, read again when one of its streams has changed, and ends with what is final', async () => {
    let present = ready;
    const look = jest.fn(() => Promise.resolve(present));
    const page = open(look);
    await settled();
    changes.of('offer-2');
    await settled();
    expect(look).toHaveBeenCalledTimes(1);
    present = { ...ready, state: 'accepted', isFinal: true };
    changes.of('offer-1');
    await new Promise((resolve) => page.stream?.once('close', resolve));
    expect(page.data()).toEqual(['ready', 'accepted']);
    expect(page.text().replace(/data: (ready|accepted)|retry: 3000|[\n:]/g, '')).toBe('');
    expect(changes.watches.size).toBe(0);
  });

  it('is looked for again when that failed', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    let isFailing = true;
    const page = open(() => (isFailing ? Promise.reject(new Error('away')) : Promise.resolve(ready)));
    await settled();
    isFailing = false;
    await jest.advanceTimersByTimeAsync(1000);
    jest.useRealTimers();
    await settled();
    expect(page.data()).toEqual(['ready']);
    page.stream?.destroy();
  });

  it('is sent to 100 pages of one client, and to another one when one of them is closed', async () => {
    const pages = Array.from({ length: 100 }, () => open());
    await settled();
    expect(open().stream).toBeUndefined();
    expect(open(undefined, '203.0.113.8').stream).toBeDefined();
    pages[0]?.stream?.destroy();
    await settled();
    expect(open().stream).toBeDefined();
    expect(open().stream).toBeUndefined();
  });
});
