import { type Aggregate, EventStore, openDriver } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { type Load, measure, type Measured, turnByTurn } from './load';

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
/** As many connections as the service's own pool has. */
const connections = 10;

/** How fast events are stored: by bare SQL, one new stream with its state in one statement, and through a repository. */
export async function appendRates(
  database: string,
  postgres: CpuMeter,
  callers: number,
  plan: { readonly rounds: number; readonly seconds: number },
): Promise<AppendRates> {
  const driver = await openDriver({ type: 'postgres', connectionString: database });
  const store = new EventStore(driver);
  const repository = store.repository(notes);
  const pool = new Pool({ connectionString: database, max: connections });
  const load = (work: () => Promise<unknown>): Load => ({
    callers,
    until: { seconds: plan.seconds },
    work,
    meters: { node: cpuOfProcess(process.pid), postgres },
  });
  const bare = load(() => pool.query(bareAppend(randomUUID())));
  const through = load(() => repository.save(randomUUID(), 0, [{ type: 'NoteWritten', text }]));

  for (const warmUp of [bare, through]) await measure({ ...warmUp, until: { seconds: 1 } });
  const rates = await turnByTurn(plan.rounds, { bare, repository: through });
  await pool.end();
  await store.close();
  return { callers, ...rates };
}

function bareAppend(id: string) {
  const data = JSON.stringify({ text });
  return {
    name: 'bare-append',
    text: `with folded as (
        insert into streams (stream_id, category, version, state, created_at, updated_at)
        values ($1, 'note', 1, $2::jsonb, now(), now())
        on conflict (stream_id) do update set version = excluded.version, state = excluded.state, updated_at = now()
      ) insert into events (stream_id, version, type, data, metadata) values ($1, 1, 'NoteWritten', $2::jsonb, $3::jsonb)`,
    values: [`note-${id}`, data, JSON.stringify({ unit: id, version: 1 })],
  };
}
