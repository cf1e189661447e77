import type { lookup, LookupOptions } from 'node:dns';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { guardConnector, isPublicAddress, publicLookup } from './address-guard';

describe('a public address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    'is %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback, another', '127.255.255.254'],
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private 10/8', '10.0.0.1'],
    ['private 172.16/12', '172.31.255.255'],
    ['private 192.168/16', '192.168.1.1'],
    ['link local, the metadata service', '169.254.169.254'],
    ['carrier grade NAT', '100.64.0.1'],
    ['benchmarking', '198.18.0.1'],
    ['documentation', '192.0.2.1'],
    ['protocol assignments', '192.0.0.1'],
    ['6to4 relay', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['loopback v6', '::1'],
    ['unspecified v6', '::'],
    ['v4-mapped', '::ffff:127.0.0.1'],
    ['v4-mapped, public inside', '::ffff:8.8.8.8'],
    ['v4-compatible', '::127.0.0.1'],
    ['v4-compatible in hex', '::7f00:1'],
    ['v4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64, local', '64:ff9b:1::1'],
    ['6to4', '2002:7f00:1::'],
    ['teredo', '2001:0:1::1'],
    ['unique local', 'fd00::1'],
    ['link local v6', 'fe80::1'],
    ['link local v6 with a zone', 'fe80::1%eth0'],
    ['site local', 'fec0::1'],
    ['documentation v6', '2001:db8::1'],
    ['discard', '100::1'],
    ['multicast v6', 'ff02::1'],
    ['outside 2000::/3', '4000::1'],
    ['no address', 'localhost'],
    ['nothing', ''],
  ])('is not: %s (%s)', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

/** A resolver that answers the given lists one after the other. */
function resolving(...answers: string[][]): typeof lookup {
  const respond = (_host: string, _options: LookupOptions, done: (error: Error | null, found: unknown[]) => void) => {
    const addresses = answers.shift() ?? [];
    if (addresses.length === 0) done(new Error('ENOTFOUND'), []);
    else
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };
  return respond as unknown as typeof lookup;
}

function look(dns: ReturnType<typeof publicLookup>, all: boolean): unknown {
  let answer: unknown;
  dns('host.example', { all }, (error, address) => {
    answer = error === null ? address : error;
  });
  return answer;
}

describe('a name', () => {
  it('resolves to its public addresses', () => {
    const dns = publicLookup(resolving(['10.0.0.1', '8.8.8.8', '::1', '2606:4700::1111'], ['127.0.0.1', '8.8.4.4']));
    expect(look(dns, true)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(look(dns, false)).toBe('8.8.4.4');
  });

  it('is blocked when all its addresses are private', () => {
    const dns = publicLookup(resolving(['127.0.0.1', '::1']));
    expect(look(dns, true)).toMatchObject({ reason: 'blocked-address' });
  });

  it('is checked again each time, so that rebinding gains nothing', () => {
    const dns = publicLookup(resolving(['8.8.8.8'], ['127.0.0.1']));
    expect(look(dns, true)).toEqual([{ address: '8.8.8.8', family: 4 }]);
    expect(look(dns, true)).toMatchObject({ reason: 'blocked-address' });
  });

  it('that does not resolve is reported as such', () => {
    expect(look(publicLookup(resolving()), true)).toMatchObject({ reason: 'unresolved-host' });
  });
});

describe('a connection', () => {
  type Outcome = { error: Error | null; socket: Socket | null; connected: string[]; destroyed: boolean };

  function connect(hostname: string, remoteAddress?: string): Outcome {
    const outcome: Outcome = { error: null, socket: null, connected: [], destroyed: false };
    const destroy = (): void => {
      outcome.destroyed = true;
    };
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy }) as unknown as Socket;
    const guarded = guardConnector((options, callback) => {
      outcome.connected.push(options.hostname);
      callback(null, socket);
    });
    guarded({ hostname, protocol: 'https:', port: '443' }, (...[error, made]: Parameters<buildConnector.Callback>) => {
      outcome.error = error;
      outcome.socket = made;
    });
    return outcome;
  }

  it('to a public address comes about', () => {
    const { error, socket, connected } = connect('host.example', '8.8.8.8');
    expect(error).toBeNull();
    expect(socket).not.toBeNull();
    expect(connected).toEqual(['host.example']);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '169.254.169.254'])(
    'to the literal %s is not even tried',
    (hostname) => {
      const { error, connected } = connect(hostname, '8.8.8.8');
      expect(error).toMatchObject({ reason: 'blocked-address' });
      expect(connected).toEqual([]);
    },
  );

  it.each(['127.0.0.1', '::1', undefined])('that turns out to be with %s is cut', (remoteAddress) => {
    const { error, socket, destroyed } = connect('host.example', remoteAddress);
    expect(error).toMatchObject({ reason: 'blocked-address' });
    expect(socket).toBeNull();
    expect(destroyed).toBe(true);
  });
});
