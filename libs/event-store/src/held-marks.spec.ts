import { Logger } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { HeldMarks } from './held-marks';

const unit = new AsyncLocalStorage<string>();

class Marks extends HeldMarks<string> {
  readonly stored: string[] = [];
  readonly units: (string | undefined)[] = [];
  isBroken = false;

  note(name: string): Promise<void> {
    return this.hold(name, name);
  }
  settle(name: string): Promise<void> {
    return this.settleOne(name);
  }
  take(name: string): void {
    this.forget(name);
  }
  known(name: string): string | undefined {
    return this.of(name);
  }
  protected async write(name: string): Promise<void> {
    await Promise.resolve();
    this.units.push(unit.getStore());
    if (this.isBroken) throw new Error('no database');
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
  await marks.onModuleDestroy();
  jest.useRealTimers();
});

const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);

describe('a mark that is held', () => {
  it('is written by itself after a second, and once', async () => {
    await marks.note('a');
    await marks.note('a');
    await pass(900);
    expect([marks.stored, marks.known('a')]).toEqual([[], 'a']);
    await pass(500);
    expect([marks.stored, marks.known('a')]).toEqual([['a'], undefined]);
    await pass(10_000);
    expect(marks.stored).toEqual(['a']);
  });

  it('is not written once a decision has appended it', async () => {
    await marks.note('a');
    marks.take('a');
    await pass(10_000);
    expect(marks.stored).toEqual([]);
  });

  it('is written before its report, once for all who report it', async () => {
    await marks.note('a');
    await Promise.all([marks.settle('a'), marks.settle('a'), marks.settle('b')]);
    expect(marks.stored).toEqual(['a']);
  });

  it('is written outside of the unit of work that needs it', async () => {
    await marks.note('a');
    await unit.run('a request', () => marks.settle('a'));
    expect(marks.units).toEqual([undefined]);
  });

  it('is tried again when it could not be written, and fails no one', async () => {
    marks.isBroken = true;
    for (const name of ['a', 'b']) await marks.note(name);
    await marks.settle('a');
    await pass(10_000);
    expect(marks.stored).toEqual([]);
    marks.isBroken = false;
    await pass(10_000);
    expect(marks.stored).toEqual(['a', 'b']);
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
