import { Lanes } from './lanes';
import { SignerError, type SignerFault } from './provider';

/** Calls that end when they are told to. */
function calls(lanes: Lanes) {
  const begun: string[] = [];
  const ends = new Map<string, (fault?: SignerFault) => void>();
  const start = (key: string, name: string, patience = 10_000): Promise<string> => {
    const result = lanes.run(key, patience, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (fault) => {
          if (fault === undefined) resolve(name);
          else reject(new SignerError('hsm', fault));
        });
      });
    });
    result.catch(() => undefined);
    return result;
  };
  const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0);
  const end = async (name: string, fault?: SignerFault): Promise<void> => {
    await settle();
    ends.get(name)?.(fault);
    await settle();
  };
  return { begun, start, end, settle };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const names = (count: number, of = 'a'): string[] => Array.from({ length: count }, (_, index) => `${of}${index}`);

describe('the calls to a provider', () => {
  it('are under way up to the limit, and the next begins when one ends', async () => {
    const lanes = new Lanes('hsm', 2);
    const { begun, start, end, settle } = calls(lanes);
    const results = names(3).map((name) => start('a', name));
    await settle();
    expect(begun).toEqual(['a0', 'a1']);
    expect(lanes.calls).toEqual({ waiting: 1, underWay: 2, allowed: 2 });
    await end('a0');
    expect(begun).toEqual(['a0', 'a1', 'a2']);
    await end('a1');
    await end('a2');
    await expect(Promise.all(results)).resolves.toEqual(['a0', 'a1', 'a2']);
  });

  it('of another key begin at once while those of one hang, and take turns with them', async () => {
    const { begun, start, end, settle } = calls(new Lanes('hsm', 2));
    for (const name of names(6)) void start('a', name);
    void start('b', 'b0');
    void start('b', 'b1');
    await settle();
    expect(begun).toEqual(['a0', 'a1', 'b0']);
    await end('b0');
    expect(begun).toEqual(['a0', 'a1', 'b0', 'b1']);
  });

  it('end as timeout when they wait longer than their caller, and hold no lane', async () => {
    const { begun, start, end } = calls(new Lanes('hsm', 1));
    void start('a', 'a0');
    const late = start('a', 'a1', 20);
    const patient = start('a', 'a2', 60_000);
    await expect(late).rejects.toMatchObject({ fault: 'timeout' });
    await end('a0');
    expect(begun).toEqual(['a0', 'a2']);
    await end('a2');
    await expect(patient).resolves.toBe('a2');
  });

  it('end as timeout for their caller while they hang, and keep their place until they end', async () => {
    const { begun, start, end } = calls(new Lanes('hsm', 1));
    const hanging = start('a', 'a0', 20);
    const patient = start('a', 'a1', 60_000);
    await jest.advanceTimersByTimeAsync(20);
    await expect(hanging).rejects.toMatchObject({ fault: 'timeout' });
    expect(begun).toEqual(['a0']);
    await end('a0');
    await end('a1');
    await expect(patient).resolves.toBe('a1');
  });

  it('are refused as busy when too many wait', async () => {
    const { start } = calls(new Lanes('hsm', 1));
    for (const name of names(501)) void start('a', name);
    await expect(start('a', 'late')).rejects.toMatchObject({ fault: 'busy', provider: 'hsm' });
  });

  it('are halved once for all that are throttled together, and grow by one a second', async () => {
    const lanes = new Lanes('hsm', 8);
    const { begun, start, end, settle } = calls(lanes);
    for (const name of names(30)) void start('a', name);
    await settle();
    expect(begun).toHaveLength(8);
    for (const name of names(8)) await end(name, 'throttled');
    expect(begun).toHaveLength(12);
    expect(lanes.calls).toEqual({ waiting: 18, underWay: 4, allowed: 4 });
    for (let second = 1; second <= 6; second++) {
      await jest.advanceTimersByTimeAsync(1_000);
      expect(begun).toHaveLength(Math.min(12 + second, 16));
    }
  });

  it('never fall below one', async () => {
    const { begun, start, end } = calls(new Lanes('hsm', 2));
    for (const name of names(9)) void start('a', name);
    for (const name of names(6)) await end(name, 'throttled');
    expect(begun).toHaveLength(7);
  });

  it('keep their number after other faults', async () => {
    const { begun, start, end } = calls(new Lanes('hsm', 2));
    for (const name of names(4)) void start('a', name);
    await end('a0', 'unreachable');
    await end('a1', 'timeout');
    expect(begun).toHaveLength(4);
  });
});
