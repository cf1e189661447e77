import { type Aggregate, EventStore, openDriver } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { BareStore } from './bare-store';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { type Load, measure, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';

export interface AppendRates {
  readonly callers: number;
  readonly bare: Measured;
  readonly repository: Measured;
}

interface Note {
  readonly text: string;
}
type NoteEvent = { readonly type: 'NoteWritten' } & Note;

const notes: Aggregate<Note, NoteEvent> = { category: 'note', evolve: (_note, { text }) => ({ text }) };
// With its envelope an event of about 1 KB, as large as a prepared credential.
const text = 'x'.repeat(900);

/** How fast events and their states are stored: by shared bare statements with many rows, and through a repository. */
export async function appendRates(database: string, postgres: CpuMeter, plan: Plan): Promise<AppendRates[]> {
  const driver = await openDriver({ type: 'postgres', connectionString: database });
  const store = new EventStore(driver);
  const repository = store.repository(notes);
  const floor = await BareStore.open(database);
  const data = JSON.stringify({ text });
  const note = { version: 1, type: 'NoteWritten', data, state: data };
  const meters = { node: cpuOfProcess(process.pid), postgres };

  const rates: AppendRates[] = [];
  for (const callers of [1, 32]) {
    const load = (work: () => Promise<unknown>): Load => ({ callers, until: { seconds: plan.seconds }, work, meters });
    const loads = {
      bare: load(() => floor.append({ streamId: randomUUID(), ...note })),
      repository: load(async () => repository.save(randomUUID(), 0, [{ type: 'NoteWritten', text }])),
    };
    for (const warmUp of Object.values(loads)) await measure({ ...warmUp, until: { seconds: 1 } });
    rates.push({ callers, ...(await turnByTurn(plan, loads)) });
  }
  await floor.close();
  await store.close();
  return rates;
}
