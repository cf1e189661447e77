/** @jest-environment node */
import { Logger } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreUnavailableError } from '../errors';
import { HeldMarks, PendingMarks } from './held-marks';

const unit = new AsyncLocalStorage<string>();

class Marks extends HeldMarks<string> {
  readonly stored: string[] = [];
  readonly units: (string | undefined)[] = [];
  isBroken = false;
  /** Those that cannot be written, and those whose write does not end. */
  readonly faulty = new Set<string>();
  readonly hung = new Set<string>();

  constructor() {
    super((name) => this.store(name));
  }

  async note(name: string): Promise<void> {
    await this.hold(name, name);
  }
  private async store(name: string): Promise<void> {
    await Promise.resolve();
    this.units.push(unit.getStore());
    if (this.isBroken) throw new StoreUnavailableError('no database', false);
    if (this.faulty.has(name)) throw new TypeError('no such offer');
    if (this.hung.has(name)) await new Promise(() => undefined);
    this.stored.push(name);
  }
}

let marks: Marks;
beforeEach(() => {
  Logger.overrideLogger(false);
  jest.useFakeTimers();
  marks = new Marks();
  marks.onModuleInit();
});
afterEach(async () => {
  marks.isBroken = false;
  marks.hung.clear();
  const stopped = marks.onModuleDestroy();
  await pass(1_000);
  await stopped;
  jest.useRealTimers();
});

const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);

describe('a mark that is held', () => {
  it('is written by itself after a second, and once', async () => {
    await marks.note('a');
    await marks.note('a');
    await pass(900);
    expect([marks.stored, marks.of('a')]).toEqual([[], 'a']);
    await pass(500);
    expect([marks.stored, marks.of('a')]).toEqual([['a'], undefined]);
    await pass(10_000);
    expect(marks.stored).toEqual(['a']);
  });

  it('is not written once a decision has appended it', async () => {
    await marks.note('a');
    marks.forget('a');
    await pass(10_000);
    expect(marks.stored).toEqual([]);
  });

  it('is written before its report, once for all who report it', async () => {
    await marks.note('a');
    await Promise.all([marks.settleOne('a'), marks.settleOne('a'), marks.settleOne('b')]);
    expect(marks.stored).toEqual(['a']);
  });

  it('is written outside of the unit of work that needs it', async () => {
    await marks.note('a');
    await unit.run('a request', () => marks.settleOne('a'));
    expect(marks.units).toEqual([undefined]);
  });

  it('is tried again when it could not be written, and fails no one', async () => {
    marks.isBroken = true;
    for (const name of ['a', 'b']) await marks.note(name);
    await marks.settleOne('a');
    await pass(10_000);
    expect(marks.stored).toEqual([]);
    marks.isBroken = false;
    await pass(10_000);
    expect(marks.stored).toEqual(['a', 'b']);
  });

  it('does not wait for others that cannot be written themselves', async () => {
    for (let count = 0; count < 200; count++) await marks.note(String(count));
    marks.faulty.add('0').add('70');
    await pass(2_000);
    expect(marks.stored).toHaveLength(198);
    await marks.note('later');
    await pass(1_500);
    expect(marks.stored).toContain('later');
  });

  it('is forgotten when it could not be written again and again, though others were', async () => {
    marks.faulty.add('a');
    await marks.note('a');
    await pass(60_000);
    expect(marks.of('a')).toBeUndefined();
  });

  it('is reported without waiting for long, and does not hold up others, while its write does not end', async () => {
    for (const name of ['a', 'b']) await marks.note(name);
    marks.hung.add('a');
    const reported = Promise.all([marks.settleOne('a'), marks.settleAll()]).then(() => 'reported');
    await pass(1_000);
    await expect(Promise.race([reported, Promise.resolve('waiting')])).resolves.toBe('reported');
    await marks.note('c');
    await pass(1_500);
    expect(marks.stored).toEqual(['b', 'c']);
    const stopped = marks.onModuleDestroy();
    await pass(1_500);
    await stopped;
  });

  it('is written when the process stops', async () => {
    await marks.note('a');
    await marks.onModuleDestroy();
    expect(marks.stored).toEqual(['a']);
  });

  it('keeps the caller waiting when there are too many', async () => {
    for (let count = 0; count < 10_000; count++) await marks.note(String(count));
    await marks.note('one more');
    expect(marks.stored).toEqual(['one more']);
  });
});

describe('marks of several kinds', () => {
  class Both extends PendingMarks {
    protected readonly kinds = [new Marks(), new Marks()];
    get stored(): string[] {
      return this.kinds.flatMap(({ stored }) => stored);
    }
    async note(): Promise<void> {
      for (const [index, kind] of this.kinds.entries()) await kind.note(`of kind ${index}`);
    }
  }
  const [first, second] = ['of kind 0', 'of kind 1'];

  it.each<[string, (both: Both) => Promise<unknown>]>([
    ['by themselves', () => pass(1_500)],
    ['before all are listed', (both) => both.settleAll()],
    ['when the process stops', (both) => both.onModuleDestroy()],
  ])('are written %s', async (_when, happens) => {
    const both = new Both();
    both.onModuleInit();
    await both.note();
    await happens(both);
    expect(both.stored).toEqual([first, second]);
    await both.onModuleDestroy();
  });
});
