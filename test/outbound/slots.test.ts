import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OutboundClient, type OutboundOptions, type OutboundPurpose } from '@app/outbound';
import { type HangingServers, startHangingServers } from '../support/counterparts/hanging-servers';
import { reasonOf } from '../support/counterparts/outbound-reason';

let server: Server;
let host: string;
let asked = 0;
/** So many requests are answered once the last of them has come. */
const together = 20;
const waiting: ServerResponse[] = [];
let client: OutboundClient;
beforeAll(async () => {
  server = createServer(({ url }, response) => {
    asked++;
    response.writeHead(200, { 'content-type': 'application/json' });
    if (url === '/together') {
      if (waiting.push(response) === together) for (const each of waiting.splice(0)) each.end('{}');
    } else if (url === '/slow') setTimeout(() => response.end('{}'), 100);
    else response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => client.close());
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('one document', () => {
  it('is fetched once for all concurrent requesters, and again for a later one', async () => {
    client = new OutboundClient({ allowPrivateHosts: [host] });
    const fetch = (purpose: OutboundPurpose) =>
      client.get(`http://${host}/document`, { purpose, accept: ['application/json'] });
    asked = 0;
    const documents = await Promise.all(Array.from({ length: 50 }, () => fetch('status-lists')));
    expect([documents.length, asked]).toEqual([50, 1]);
    await fetch('status-lists');
    expect(asked).toBe(2);
    await Promise.all([fetch('offer-sending'), fetch('offer-sending')]);
    expect(asked).toBe(4);
  });
});

it('people log in at once at the one provider there is, though its answers take their time', async () => {
  client = new OutboundClient({ allowPrivateHosts: [host] });
  const login = { purpose: 'login', requester: '', method: 'POST', headers: {}, timeoutMs: 20_000 } as const;
  const answers = Array.from({ length: together }, () => client.exchange(`http://${host}/together`, login));
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).toEqual(statuses.map(() => 200));
});

describe('of a hundred servers that hang', () => {
  let hanging: HangingServers;
  beforeAll(async () => {
    hanging = await startHangingServers(100);
  });
  beforeEach(() => {
    hanging.reset();
  });
  afterAll(() => hanging.stop());

  let requester = '';
  const busy = jest.fn();
  const shared = (options?: OutboundOptions): OutboundClient => {
    busy.mockClear();
    client = new OutboundClient({
      allowPrivateHosts: [host, ...hanging.hosts],
      requester: () => requester,
      onBusy: busy,
      // Nothing here ends by a timeout, so that a slow machine gives the same result.
      totalTimeoutMs: 60_000,
      ...options,
    });
    return client;
  };
  const as = (one: OutboundClient, who: string, address: string, of: OutboundPurpose = 'issuer-keys') => {
    requester = who;
    return reasonOf(one.get(`http://${address}`, { purpose: of, accept: ['application/json'] }));
  };
  /** Addresses of more documents than may wait for a slot. */
  const sevenOfEach = (): string[] =>
    Array.from({ length: 7 }, (_, path) => hanging.hosts.map((address) => `${address}/${path}`)).flat();
  /** Cuts the requests that hang, and those that hang in their turn, until the last has ended. */
  const endOf = async (flood: readonly Promise<string>[]): Promise<string[]> => {
    const ending = setInterval(hanging.hangUp, 10);
    const reasons = await Promise.all(flood);
    clearInterval(ending);
    return reasons;
  };

  it('one requester has a few requests at a time, and others of its purpose and of other purposes are served', async () => {
    const one = shared();
    const flood = sevenOfEach().map((address) => as(one, 'holder', address));
    await expect(as(one, 'another holder', host)).resolves.toBe('answered');
    await expect(as(one, 'holder', host, 'status-lists')).resolves.toBe('answered');
    await expect(as(one, 'portal', host, 'offer-sending')).resolves.toBe('answered');
    await expect(as(one, 'service', host, 'access-tokens')).resolves.toBe('answered');
    expect(hanging.most()).toBeLessThanOrEqual(8);
    const reasons = await endOf(flood);
    expect(new Set(reasons)).toEqual(new Set(['connection-failed', 'busy']));
    expect(busy.mock.calls.length).toBe(reasons.filter((reason) => reason === 'busy').length);
  });

  it('those of one requester leave room for others to wait', async () => {
    const one = shared();
    const crowd = hanging.hosts.slice(0, 64).map((address, index) => as(one, `holder ${index % 8}`, address));
    const early = as(one, 'early holder', host);
    const flood = sevenOfEach().map((address) => as(one, 'flooding holder', address));
    const late = as(one, 'late holder', host);
    const ended = endOf([...crowd, ...flood]);
    expect([await early, await late]).toEqual(['answered', 'answered']);
    expect(new Set(await ended)).toEqual(new Set(['connection-failed', 'busy']));
  });

  it('a document that one requester has no slot for is fetched for the next one that has, and both get it', async () => {
    const one = shared();
    const flood = hanging.hosts.slice(0, 8).map((address) => as(one, 'holder', address));
    asked = 0;
    const waiting = as(one, 'holder', `${host}/keys`);
    await expect(as(one, 'another holder', `${host}/keys`)).resolves.toBe('answered');
    await expect(waiting).resolves.toBe('answered');
    expect(asked).toBe(1);
    await endOf(flood);
  });

  it('one that waited has the deadline of its own work, not of the one whose slot it gets', async () => {
    const works = new AsyncLocalStorage<{ left: number }>();
    const one = shared({ remainingMs: () => works.getStore()?.left ?? Infinity });
    const work = { left: Infinity };
    const flood = works.run(work, () => hanging.hosts.slice(0, 8).map((address) => as(one, 'holder', address)));
    const waiting = as(one, 'holder', `${host}/slow`);
    work.left = 0;
    await endOf(flood);
    await expect(waiting).resolves.toBe('answered');
  });

  it('those of a hundred requesters leave room for one that comes later', async () => {
    const one = shared();
    const reasons: string[] = [];
    const flood = hanging.hosts.map(async (address, index) => {
      const reason = await as(one, `holder ${index}`, address);
      reasons.push(reason);
      return reason;
    });
    await expect(as(one, 'another holder', host)).resolves.toBe('answered');
    expect(reasons.filter((reason) => reason !== 'busy')).toEqual([]);
    expect(reasons.length).toBeLessThan(50);
    // Those that waited hang in their turn.
    await endOf(flood);
  });
});
