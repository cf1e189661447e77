import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { EventStoreOptions } from '@app/event-store';

/** A process of its own with a store of its own on the given database. */
export interface Replica {
  /** Tries every code (hex) `parallel` times at once, many codes at once; how many times each succeeded. */
  redeem(codes: readonly string[], parallel: number): Promise<number[]>;
  kill(): Promise<void>;
}

export async function startReplica(options: EventStoreOptions): Promise<Replica> {
  const child = fork(join(__dirname, 'replica.process.ts'), [JSON.stringify(options)], {
    execArgv: ['-r', join(__dirname, 'typescript.js')],
  });
  const answer = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      child.once('message', (message) => {
        resolve(message as T);
      });
      child.once('exit', (code) => {
        reject(new Error(`The replica ended with ${code ?? 'a signal'}.`));
      });
    });
  await answer();
  return {
    redeem: (codes, parallel) => {
      child.send({ codes, parallel });
      return answer<number[]>();
    },
    kill: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          resolve();
        });
        child.kill('SIGKILL');
      }),
  };
}
