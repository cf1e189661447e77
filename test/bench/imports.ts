import { setTimeout as delay } from 'node:timers/promises';
import type { TestPostgres } from '../support/database/postgres';
import { studentCardType } from './cards';
import { clientAt, contendingService, loadOf } from './contenders';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { json } from './flow';
import { measure, type Measured, medianOf } from './load';
import type { Plan } from './plan';
import { install } from './service-process';

/** Issuing flows in flight beside the import. */
const callers = 8;
/** Seconds in which a batch that was under way when an import was paused is over. */
const batch = 4;

/** Of one step with a file. */
export interface StepFigures {
  readonly seconds: number;
  /** Microseconds of CPU for each row. */
  readonly cpu: Readonly<Record<'service' | 'postgres', number | undefined>>;
}

export interface ImportCosts {
  readonly rows: number;
  readonly checking: StepFigures;
  readonly issuing: StepFigures;
  /** The issuing flow alone, and while offers are made of rows. */
  readonly flows: Readonly<Record<'alone' | 'beside an import', Measured>>;
}

/** One file: read and checked, then offered; and wallets that are issued to with and without another one, turn by turn. */
export async function importCosts(
  postgres: TestPostgres,
  cpu: CpuMeter,
  plan: Plan,
  rows: number,
): Promise<ImportCosts> {
  const service = await contendingService(install(await postgres.createDatabase()), plan);
  const client = clientAt(service.clients, callers);
  const manage = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>> =>
    JSON.parse(await service.manage(client, { method, path, ...(body && json(body)) })) as Record<string, unknown>;
  const { templateId } = await manage('POST', '/v0/templates', { ...card, status: 'Published' });
  const send = async (part: number): Promise<string> => {
    const path = `/v0/imports?templateId=${String(templateId)}`;
    const sent = await service.manage(client, { method: 'POST', path, type: 'text/csv', body: fileOf(rows, part) });
    return (JSON.parse(sent) as { importId: string }).importId;
  };
  const until = async (importId: string, state: string): Promise<void> => {
    for (;;) {
      const found = await manage('GET', `/v0/imports/${importId}`);
      if (found['state'] === state) return;
      if (found['state'] === 'Failed') throw new Error(`The import has failed: ${String(found['reason'])}`);
      await delay(100);
    }
  };
  const meters = { service: cpuOfProcess(service.process.pid), postgres: cpu };
  const step = async (work: () => Promise<unknown>): Promise<StepFigures> => {
    const measured = await measure({ callers: 1, until: { times: 1 }, meters, work });
    const perRow = (name: 'service' | 'postgres') => {
      const used = measured.cpu[name];
      return used === undefined ? undefined : used / rows;
    };
    return { seconds: measured.p50 / 1000, cpu: { service: perRow('service'), postgres: perRow('postgres') } };
  };

  let importId = '';
  const checking = await step(async () => {
    importId = await send(0);
    await until(importId, 'Checked');
  });
  const issuing = await step(async () => {
    await manage('POST', `/v0/imports/${importId}/start`);
    await until(importId, 'Done');
  });
  const { totals } = await manage('GET', `/v0/imports/${importId}`);
  const { created } = totals as { created: number };
  if (created !== rows) throw new Error(`Of ${rows} rows, ${created} were offered.`);

  const second = await send(1);
  await until(second, 'Checked');
  const load = { ...loadOf(service, service.issuing, callers, { postgres: cpu }), until: { seconds: plan.seconds } };
  const alone: Measured[] = [];
  const beside: Measured[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    alone.push(await measure(load));
    await manage('POST', `/v0/imports/${second}/${round === 0 ? 'start' : 'resume'}`);
    beside.push(await measure(load));
    // An import that has come to its end says nothing of flows beside it.
    await manage('POST', `/v0/imports/${second}/pause`);
    await delay(batch * 1000);
  }
  await manage('POST', `/v0/imports/${second}/cancel`);
  await service.close();
  return { rows, checking, issuing, flows: { alone: medianOf(alone), 'beside an import': medianOf(beside) } };
}

const text = { type: 'string', maxLength: 200 };
const card = {
  title: 'Student card',
  format: 'dc+sd-jwt',
  vct: `${studentCardType}/imported`,
  schema: {
    type: 'object',
    required: ['given_name', 'family_name', 'birthdate', 'semester'],
    properties: {
      given_name: text,
      family_name: text,
      birthdate: { type: 'string', format: 'date' },
      nationality: text,
      semester: { type: 'integer' },
      matriculation: text,
    },
  },
};

function fileOf(rows: number, part: number): string {
  const lines = Array.from(
    { length: rows },
    (_, at) => `Ada ${at};Lovelace;1815-12-10;GB;${at % 12};${part}-${at};enrolment/${part}/${at}`,
  );
  return ['given_name;family_name;birthdate;nationality;semester;matriculation;reference', ...lines, ''].join('\n');
}
