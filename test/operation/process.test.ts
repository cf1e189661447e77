import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../event-store/accounts';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get } from '../support/http/requests';
import { prepareOffer } from '../support/portal/portal';
import { freePort } from '../support/service/service';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';

const faults = mkdtempSync(join(tmpdir(), 'background-'));
let url: string;
let service: ServiceProcess;
/** What probes were answered from the beginning on; `undefined` when nobody answered. */
const seen: (number | undefined)[] = [];

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const starting = startServiceProcess(await sharedPostgres().createDatabase(), url, {
    SERVICE__HTTP__PORT: String(port),
    NODE_OPTIONS: `--require=${join(__dirname, 'background-faults.js')}`,
    BACKGROUND_FAULTS: faults,
  });
  await eventually(async () => {
    const { status } = await get(`${url}/readyz`).catch(() => ({ status: undefined }));
    seen.push(status);
    return status !== undefined;
  });
  service = await starting;
});
afterAll(async () => {
  await service.stop();
  rmSync(faults, { recursive: true });
});

it('answers no probe before it is ready', () => {
  expect(seen.slice(0, 2)).toEqual([undefined, undefined]);
  expect(seen.at(-1)).toBe(200);
});

/** Seconds by reader, of a service that is ready. */
async function lags(): Promise<Readonly<Record<string, number>>> {
  const { info } = answered(200, await get(`${url}/readyz`));
  return (info as { subscriptions: { lagSeconds: Record<string, number> } }).subscriptions.lagSeconds;
}

async function keepsUp(): Promise<boolean> {
  const { background, webhooks } = await lags();
  return background === 0 && webhooks === 0;
}

describe('the thread of the background', () => {
  it('hands out events, and holds no request up while it does not', async () => {
    await eventually(keepsUp);
    writeFileSync(join(faults, 'hangs'), '');
    await eventually(async () => ((await lags())['background'] ?? 0) > 0);
    // A template, an offer and a credential in it.
    await prepareOffer(url);
    await eventually(async () => ((await lags())['webhooks'] ?? 0) > 0);
    rmSync(join(faults, 'hangs'));
    await eventually(keepsUp);
  });

  it('starts again when it has ended, which is said', async () => {
    writeFileSync(join(faults, 'ends'), '');
    await eventually(() => service.output().includes('background.ended'));
    expect(service.output()).not.toContain('canary');
    await prepareOffer(url);
    await eventually(keepsUp);
  });
});
