import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/service/service';
import { type Holder, newHolder } from '../support/wallets/key-proofs';
import { AuthorizingFlow } from './authorizing-flow';
import type { Card } from './cards';
import { cpuOfProcess, type CpuMeter, memoryOf } from './cpu';
import type { Flow } from './flow';
import { HttpClient } from './http-client';
import { type Issuer, IssuingFlow } from './issuing-flow';
import { type Load, measure } from './load';
import { mostInFlight, type Plan, wallets } from './plan';
import { openSealwright, type Sealwright } from './sealwright';
import { type Installation, install, type ServiceProcess, startProgram, startService } from './service-process';
import { holdingsOf, type Verifier, VerifyingFlow } from './verifying-flow';

/** The same ones for all contenders. */
let holders: readonly Holder[] | undefined;

/** A server in a process of its own, warmed up, and the flows that it is measured by. */
export interface Contender {
  readonly process: ServiceProcess;
  readonly clients: readonly HttpClient[];
  readonly issuing: IssuingFlow;
  readonly verifying: VerifyingFlow | undefined;
  /** By authorization code, where the server has that. */
  readonly authorizing?: AuthorizingFlow;
  /** A wallet that reads the issuer's metadata. */
  readonly metadata: Flow<HttpClient>;
  /** Whether it keeps what it does in the database; otherwise in its memory only. */
  readonly isDurable: boolean;
  close(): Promise<void>;
}

/** What a contender can do. */
export interface Abilities {
  readonly issuer: Issuer;
  readonly verifier: Verifier | undefined;
  readonly isDurable?: boolean;
}

export interface Memory {
  readonly peak: number | undefined;
  readonly idle: number | undefined;
}

/** Starts clients, receives the credentials that are presented later, and warms up both flows. */
export async function contend(
  process: ServiceProcess,
  plan: Plan,
  abilities: (client: HttpClient) => Promise<Abilities>,
): Promise<Contender> {
  const clients = clientsOf(process.url);
  holders ??= Array.from({ length: wallets }, () => newHolder());
  const { issuer, verifier, isDurable = true } = await abilities(clientAt(clients, 0));
  const issuing = await IssuingFlow.prepare(clientAt(clients, 0), issuer, holders);
  const holdings = await holdingsOf(clients, issuing);
  const verifying = verifier && new VerifyingFlow(verifier, holdings);
  const metadata: Flow<HttpClient> = {
    run: async (client) => {
      await client.send({ method: 'GET', path: issuer.metadata[0] });
    },
  };
  const contender: Contender = {
    ...{ process, clients, issuing, verifying, metadata, isDurable },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await process.stop();
    },
  };
  for (const flow of [issuing, verifying]) {
    if (flow) await measure({ ...loadOf(contender, flow, 8, {}), until: { times: plan.warmUpFlows } });
  }
  return contender;
}

/** The product as it runs in production. */
export interface ServiceContender extends Contender, Pick<Sealwright, 'manage'> {
  readonly verifying: VerifyingFlow;
}

/** @param terms further members of the template whose credentials it issues; @param card what they are */
export async function contendingService(
  installation: Installation,
  plan: Plan,
  terms: object = {},
  card?: Card,
): Promise<ServiceContender> {
  let opened: Sealwright | undefined;
  const contender = await contend(await startService(installation), plan, async (client) => {
    opened = await openSealwright(client, installation.apiKey, terms, card);
    return opened;
  });
  const { verifying, issuing } = contender;
  if (!opened || !verifying) throw new Error('The service both issues and verifies.');
  const authorizing = new AuthorizingFlow(opened.issuer, issuing.holders);
  return { ...contender, verifying, authorizing, manage: opened.manage };
}

export function newService(database: string, plan: Plan, directory?: string): Promise<ServiceContender> {
  return contendingService(install(database, directory), plan);
}

/** See floor.ts. @param node path of the Node.js that runs it */
export async function contendingFloor(database: string, plan: Plan, node: string): Promise<Contender> {
  const port = await freePort();
  const apiKey = 'the-key-of-the-floor';
  const settings = { PORT: String(port), DATABASE: database, API_KEY: apiKey };
  const program = await startProgram('dist/test/bench/floor.js', { port, settings, node });
  return contend(program, plan, (client) => openSealwright(client, apiKey));
}

export function loadOf(
  { process, clients }: Pick<Contender, 'process' | 'clients'>,
  flow: Flow<HttpClient>,
  callers: number,
  meters: Readonly<Record<string, CpuMeter>>,
): Omit<Load, 'until'> {
  return {
    callers,
    work: (caller) => flow.run(clientAt(clients, caller)),
    meters: { service: cpuOfProcess(process.pid), ...meters },
  };
}

/** MiB: the largest so far, and after a time without requests. */
export async function memoryAfter({ process }: Contender, { idleSeconds }: Plan): Promise<Memory> {
  await delay(idleSeconds * 1000);
  const { peak, now } = memoryOf(process.pid);
  return { peak, idle: now };
}

export function clientsOf(url: string): HttpClient[] {
  return Array.from({ length: mostInFlight }, () => new HttpClient(url));
}

export function clientAt(clients: readonly HttpClient[], index: number): HttpClient {
  const client = clients[index];
  if (!client) throw new Error(`There is no client ${index}.`);
  return client;
}
