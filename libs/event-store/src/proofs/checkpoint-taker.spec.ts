import { Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import type { CheckpointContent, CoveredEvent } from './checkpoint';
import { CheckpointTaker } from './checkpoint-taker';
import type { SqlDriver, Statement } from '../database/sql-driver';

/** Another turn of the event loop each time: what is done within one turn keeps requests waiting. */
class Turns {
  now = 0;
  private running = true;
  private readonly done = (async () => {
    while (this.running) {
      this.now++;
      await setImmediate();
    }
  })();

  async stop(): Promise<void> {
    this.running = false;
    await this.done;
  }
}

/** A store of events that an earlier release has written, whose clock goes on by a minute with each checkpoint. */
class Store {
  readonly checkpoints: string[] = [];
  readonly readIn: number[] = [];
  private reached = 0;

  constructor(
    private readonly events: number,
    private readonly turns: Turns,
  ) {}

  readonly query = <T>({ name, values }: Statement): Promise<T[]> => Promise.resolve(this.answer(name, values) as T[]);

  private answer(name: string, values: readonly unknown[]): unknown[] {
    if (name === 'checkpoint-start') return [this.start()];
    if (name === 'checkpoint-events') return this.page(Number(values[1]));
    if (name === 'checkpoint-store') {
      this.checkpoints.push(String(values[3]));
      this.reached = Number(values[5]);
    }
    return [];
  }

  private start(): object {
    const number = this.checkpoints.length;
    const position = number === 0 ? null : String(this.reached);
    const now = new Date(Date.UTC(2026, 0, 1, 0, number));
    return { now, number, signed: this.checkpoints.at(-1) ?? null, tx: position && '1', position };
  }

  private page(after: number): CoveredEvent[] {
    const left = Math.min(1_000, this.events - after);
    return Array.from({ length: left }, (_, i) => this.event(after + i + 1));
  }

  private event(position: number): CoveredEvent {
    const { readIn, turns } = this;
    return {
      ...{ tx: '1', position, stream_id: 's', version: position, instant: '', proof: null, type: 'T', metadata: {} },
      get data() {
        readIn.push(turns.now);
        return {};
      },
    };
  }
}

describe('the first checkpoints after an upgrade', () => {
  const events = 25_000;
  let turns: Turns;
  let store: Store;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    turns = new Turns();
    store = new Store(events, turns);
    const keys = {
      sign: (content: CheckpointContent) => JSON.stringify(content),
      read: (signed: string): unknown => JSON.parse(signed),
    };
    const driver: Pick<SqlDriver, 'query'> = store;
    await new CheckpointTaker(driver as SqlDriver, keys).take();
  });
  afterAll(async () => {
    Logger.overrideLogger(['log']);
    await turns.stop();
  });

  const contents = (): CheckpointContent[] => store.checkpoints.map((text) => JSON.parse(text) as CheckpointContent);

  it('cover everything, each a part of it', () => {
    expect(contents().map(({ events: count, total }) => [count, total])).toEqual([
      [10_000, 10_000],
      [10_000, 20_000],
      [5_000, 25_000],
    ]);
  });

  it('let requests be answered after a thousand events at most', () => {
    const perTurn = new Map<number, number>();
    for (const turn of store.readIn) perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
    expect(store.readIn).toHaveLength(events);
    expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(1_000);
  });

  it('are each dated by the clock, so that other replicas see that one is at work', () => {
    expect(contents().map(({ takenAt }) => takenAt.slice(11, 16))).toEqual(['00:00', '00:01', '00:02']);
  });
});
