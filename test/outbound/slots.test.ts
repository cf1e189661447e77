import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OutboundClient, OutboundError, type OutboundPurpose } from '@app/outbound';
import { type HangingServers, startHangingServers } from '../support/hanging-servers';

let server: Server;
let host: string;
let asked = 0;
let client: OutboundClient;
beforeAll(async () => {
  server = createServer((_, response) => {
    asked++;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => client.close());
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function reasonOf(getting: Promise<unknown>): Promise<string> {
  try {
    await getting;
    return 'answered';
  } catch (error) {
    if (error instanceof OutboundError) return error.reason;
    throw error;
  }
}

describe('one document', () => {
  it('is fetched once for all who want it at the same time, and again for who comes later', async () => {
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
  const shared = (totalTimeoutMs: number): OutboundClient => {
    const allowPrivateHosts = [host, ...hanging.hosts];
    client = new OutboundClient({ allowPrivateHosts, requester: () => requester, onBusy: busy, totalTimeoutMs });
    return client;
  };
  const as = (
    one: OutboundClient,
    who: string,
    address: string,
    of: OutboundPurpose = 'issuer-keys',
  ): Promise<string> => {
    requester = who;
    return reasonOf(one.get(`http://${address}/`, { purpose: of, accept: ['application/json'] }));
  };

  it('one requester asks a few at a time, and others of its purpose and of other purposes are served', async () => {
    const one = shared(500);
    const flood = hanging.hosts.map((address) => as(one, 'holder', address));
    await expect(as(one, 'another holder', host)).resolves.toBe('answered');
    await expect(as(one, 'holder', host, 'status-lists')).resolves.toBe('answered');
    await expect(as(one, 'portal', host, 'offer-sending')).resolves.toBe('answered');
    await expect(as(one, 'service', host, 'access-tokens')).resolves.toBe('answered');
    const reasons = await Promise.all(flood);
    // The eight that were given up may close after the next eight have come.
    expect(hanging.most()).toBeLessThanOrEqual(16);
    expect(new Set(reasons)).toEqual(new Set(['timeout', 'busy']));
    expect(busy.mock.calls.length).toBe(reasons.filter((reason) => reason === 'busy').length);
  });

  it('those of a hundred requesters make room for one that comes later', async () => {
    const one = shared(60_000);
    const reasons: string[] = [];
    const flood = hanging.hosts.map((address, index) =>
      as(one, `holder ${index}`, address).then((reason) => reasons.push(reason)),
    );
    await expect(as(one, 'another holder', host)).resolves.toBe('answered');
    expect(reasons.filter((reason) => reason !== 'busy')).toEqual([]);
    expect(reasons.length).toBeLessThan(50);
    // Those that waited hang in their turn.
    const ending = setInterval(hanging.hangUp, 50);
    await Promise.all(flood);
    clearInterval(ending);
  });
});
