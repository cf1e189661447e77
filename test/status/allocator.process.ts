import { openAllocator, signer } from './allocator';

/** What a process is asked for: so many times, the entries of a credential with this many copies. */
export interface Asked {
  readonly times: number;
  readonly copies: number;
}

async function main(): Promise<void> {
  const [, , connectionString = '', entries = ''] = process.argv;
  const { allocator } = await openAllocator(connectionString, Number(entries));
  process.on('message', ({ times, copies }: Asked) => {
    const taken = Array.from({ length: times }, () => allocator.take(signer, copies));
    void Promise.all(taken).then((all) => process.send?.(all));
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

void main();
