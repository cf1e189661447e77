import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/service/service';
import { contend, type Contender, loadOf, memoryAfter } from './contenders';
import { cpuOfProcess, type CpuMeter, memoryOf } from './cpu';
import { type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import { milliseconds, table, whole } from './report';
import { openSealwright, publicUrl } from './sealwright';
import { type ServiceProcess, startProgram } from './service-process';

const steps = [1, 8] as const;

/** A store of the development profile, by the variables that name it; a directory of another checkout where it is not this one. */
interface Kind {
  readonly settings: Readonly<Record<string, string>>;
  readonly directory?: string | undefined;
}

interface Started {
  readonly process: ServiceProcess;
  readonly seconds: number;
  readonly cpu: number | undefined;
  readonly peak: number | undefined;
}

/**
 * The development profile: how long a start takes until the service is ready, on a new store and on the same one again, its
 * memory, and the issuing flow, with the embedded store and with a server.
 * @param database on a server
 * @param before another checkout that was built, to be measured with its embedded store
 */
export async function embeddedCosts(
  database: string,
  postgres: CpuMeter,
  plan: Plan,
  before?: string,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-embedded-'));
  const embedded = (name: string): Kind['settings'] => ({
    SERVICE__EVENT_STORE__TYPE: 'embedded',
    SERVICE__EVENT_STORE__CONNECTION_STRING: join(folder, name),
  });
  const server = { SERVICE__EVENT_STORE__TYPE: 'postgres', SERVICE__EVENT_STORE__CONNECTION_STRING: database };
  const kinds: Readonly<Record<string, Kind>> = {
    ...(before !== undefined && { 'embedded, before': { settings: embedded('before'), directory: before } }),
    embedded: { settings: embedded('now') },
    'a server': { settings: server },
  };
  const starts: string[][] = [];
  const contenders = new Map<string, Contender>();
  for (const [name, kind] of Object.entries(kinds)) {
    const first = await start(kind);
    await first.process.stop();
    const again = await start(kind);
    starts.push([name, ...costOf(first), ...costOf(again)]);
    contenders.set(name, await contend(again.process, plan, (client) => openSealwright(client, apiKey)));
  }
  const flows: string[][] = [];
  for (const callers of steps) {
    const until = { seconds: plan.seconds };
    const loads = [...contenders].map(([name, contender]) => {
      const meters = name === 'a server' ? { postgres } : {};
      return [name, { ...loadOf(contender, contender.issuing, callers, meters), until }] as const;
    });
    const measured = await turnByTurn(plan, Object.fromEntries(loads));
    flows.push(...Object.entries(measured).map(([name, figures]) => [String(callers), name, ...figuresOf(figures)]));
  }
  const memory = await Promise.all(
    [...contenders].map(async ([name, contender]) => {
      const { peak, idle } = await memoryAfter(contender, plan);
      return [name, whole(peak), whole(idle)];
    }),
  );
  for (const contender of contenders.values()) await contender.close();
  rmSync(folder, { recursive: true });
  return [
    ...table(['store', 'first start s', 'CPU s', 'peak MiB', 'next start s', 'CPU s', 'peak MiB'], starts),
    '',
    ...table(['in flight', 'store', 'issuing flows/s', 'p50 ms', 'service µs', 'database µs'], flows),
    '',
    ...table(['store', 'peak MiB', 'idle MiB'], memory),
  ];
}

const apiKey = randomBytes(24).toString('base64url');

async function start({ settings, directory }: Kind): Promise<Started> {
  const port = await freePort();
  const began = performance.now();
  const process = await startProgram('dist/apps/server/src/main.js', {
    port,
    ...(directory !== undefined && { directory }),
    settings: {
      PATH: globalThis.process.env['PATH'] ?? '',
      SERVICE__PROFILE: 'development',
      // The human-readable line for each request would be measured, too.
      SERVICE__LOG__LEVEL: 'warn',
      SERVICE__HTTP__PORT: String(port),
      SERVICE__APPLICATION_URL: publicUrl,
      SERVICE__MANAGEMENT__API_KEYS: apiKey,
      ...settings,
    },
  });
  const seconds = (performance.now() - began) / 1000;
  return { process, seconds, cpu: cpuOfProcess(process.pid)(), peak: memoryOf(process.pid).peak };
}

function costOf({ seconds, cpu, peak }: Started): string[] {
  return [seconds.toFixed(2), cpu?.toFixed(2) ?? 'n/a', whole(peak)];
}

function figuresOf({ perSecond, p50, cpu }: Measured): string[] {
  return [whole(perSecond), milliseconds(p50), whole(cpu['service']), whole(cpu['postgres'])];
}
