import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { emptySoftHsm, softHsmLibrary } from '../support/counterparts/soft-hsm';
import type { TestPostgres } from '../support/database/postgres';
import { fakeHttp, httpToken } from '../support/signers/fake-http';
import { startFakeSigner } from '../support/signers/fake-signer';
import { contendingService, loadOf, type ServiceContender } from './contenders';
import { cpuOfProcess, type CpuMeter } from './cpu';
import { type Load, type Measured, turnByTurn } from './load';
import { mostInFlight, type Plan } from './plan';
import { install, startService } from './service-process';

export interface SignerRates {
  /** By where the keys are: `local`, and others. */
  readonly measured: Readonly<Record<string, Measured>>;
  /** Cores that other work on the machine took. */
  readonly coresOfOthers: number | undefined;
}

/** Milliseconds that a key service of the same network takes, and one elsewhere. */
const latencies = [5, 30];

/** The issuing flow with keys in the database, in SoftHSM where it is installed, and at a signer over HTTP, turn by turn. */
export async function signerRates(postgres: TestPostgres, cpu: CpuMeter, plan: Plan): Promise<SignerRates> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-signers-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const fakes = await Promise.all(
    latencies.map(async (latency) => {
      const signer = await startFakeSigner(fakeHttp());
      signer.knobs.latency = latency;
      return signer;
    }),
  );
  const overHttp = fakes.map(({ url, knobs }): [string, Record<string, string>] => [
    `HTTP, ${knobs.latency} ms`,
    { TYPE: 'http', URL: `${url}/signer`, TOKEN_FILE: file('token', httpToken) },
  ]);
  const places = { local: undefined, ...softHsm(directory, file, plan), ...Object.fromEntries(overHttp) };
  const services: Record<string, ServiceContender> = {};
  try {
    for (const [name, signer] of Object.entries(places))
      services[name] = await serviceWith(await postgres.createDatabase(), plan, signer);
    const generator = cpuOfProcess(process.pid);
    const load = (service: ServiceContender): Load => ({
      ...loadOf(service, service.issuing, mostInFlight, { postgres: cpu, generator }),
      until: { seconds: plan.seconds },
    });
    const [before, begin] = [plan.others(), performance.now()];
    const loads = Object.fromEntries(Object.entries(services).map(([name, service]) => [name, load(service)]));
    // What is compared is measured under the same conditions, whatever they are.
    const measured = await turnByTurn<string>({ ...plan, others: () => undefined }, loads);
    const after = plan.others();
    const seconds = (performance.now() - begin) / 1000;
    const coresOfOthers = before === undefined || after === undefined ? undefined : (after - before) / seconds;
    return { measured, coresOfOthers };
  } finally {
    for (const service of Object.values(services)) await service.close();
    await Promise.all(fakes.map((signer) => signer.stop()));
    rmSync(directory, { recursive: true });
  }
}

/** @param signer its settings, and those of its library; the keys are in the database when absent */
async function serviceWith(
  database: string,
  plan: Plan,
  signer: Readonly<Record<string, string>> | undefined,
): Promise<ServiceContender> {
  const installation = install(database);
  if (!signer) return contendingService(installation, plan);
  // The first start makes the keys of the store.
  await (await startService(installation)).stop();
  const { SOFTHSM2_CONF, ...given } = signer;
  const named = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`SERVICE__SIGNER__HSM__${name}`, value]),
  );
  const settings = { ...installation.settings, ...named, ...(SOFTHSM2_CONF !== undefined && { SOFTHSM2_CONF }) };
  // The signer is in this process and has to answer meanwhile.
  const words = ['dist/apps/cli/src/main.js', 'keys', 'generate', '--provider', 'hsm'];
  await promisify(execFile)(process.execPath, words, { cwd: installation.directory, env: settings });
  return contendingService(
    { ...installation, settings: { ...settings, SERVICE__SIGNER__FOR_CREDENTIALS: 'hsm' } },
    plan,
  );
}

function softHsm(
  directory: string,
  file: (name: string, text: string) => string,
  { note }: Plan,
): Record<string, Record<string, string>> {
  if (softHsmLibrary === undefined) {
    note('SoftHSM2 is not installed: no figure of it.');
    return {};
  }
  const conf = emptySoftHsm(directory);
  const token = { label: 'bench', pin: '1234' };
  const words = ['--init-token', '--free', '--label', token.label, '--pin', token.pin, '--so-pin', '4321'];
  execFileSync('softhsm2-util', words, { env: { ...process.env, ...conf }, stdio: 'ignore' });
  const settings = {
    TYPE: 'pkcs11',
    LIBRARY: softHsmLibrary,
    TOKEN_LABEL: token.label,
    PIN_FILE: file('pin', token.pin),
  };
  return { SoftHSM: { ...settings, ...conf } };
}
