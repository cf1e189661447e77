import { CheckpointTaker, EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { CheckpointKeys, SignedCheckpoints } from '@app/keys';
import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, sealwrightWith } from '../support/service/command-line';
import { sharedPostgres } from '../support/database/postgres';
import { untilReadable } from '../support/database/readable-events';
import { answered, get, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { asOwner } from '../support/database/service-role';
import { tokenStatus } from '../support/verifiers/status-readers';
import { receive } from '../support/wallets/wallet';
import { eventually } from '../event-store/accounts';

describe('a database changed by SQL while a service runs', () => {
  let settings: Record<string, string>;
  let owner: string;
  let service: RunningService;
  let driver: SqlDriver;
  let directory: string;
  const run = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, parameters);

  beforeAll(async () => {
    owner = await sharedPostgres().createDatabase();
    settings = {
      SERVICE__PROFILE: 'development',
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: owner,
    };
    service = await startService(settings);
    driver = service.app.get<SqlDriver>(SQL_DRIVER);
    directory = await mkdtemp(join(tmpdir(), 'sealwright-checkpoint-'));
  });
  afterAll(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** As the service does each minute. */
  async function takeCheckpoint(): Promise<void> {
    await untilReadable(driver);
    Logger.overrideLogger(false);
    await new CheckpointTaker(driver, new SignedCheckpoints(service.app.get(CheckpointKeys))).take();
  }

  it('verify-store reports a kept checkpoint that is missing or empty, which is no tampering', async () => {
    const file = join(directory, 'first-night.jws');
    const missing = await run('verify-store', '--checkpoint', file);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toMatch(
      /^The file with the kept checkpoint cannot be read \(ENOENT\): make the first one with/,
    );
    await writeFile(file, '');
    const empty = await run('verify-store', '--checkpoint', file);
    expect(empty).toMatchObject({ code: 2, stdout: '' });
    expect(empty.stderr).toMatch(/^The file with the kept checkpoint is empty: take one that was kept before\. /);
  });

  it('verify-store names each kind of tampering in one run; the service keeps running and still starts', async () => {
    const prepared = [];
    for (let i = 0; i < 7; i++) prepared.push(await prepareOffer(service.url));
    const [state, event, time, sealed, handle, whole, tail] = prepared.map(({ offerId, credentialIds }) => ({
      offer: `offer-${offerId}`,
      credential: `credential-${credentialIds[0] ?? ''}`,
    }));
    if (!state || !event || !time || !sealed || !handle || !whole || !tail) throw new Error('Seven were prepared.');
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const created = { method: 'POST', headers, body: JSON.stringify({ offerId: randomUUID() }) };
    expect((await fetch(`${service.url}/v0/offers`, created)).status).toBe(201);
    const apiKey = (await run('api-keys', 'create', '--name', 'portal', '--scope', 'offers:read')).stdout.split('_')[1];
    await takeCheckpoint();

    const checkpoint = await run('checkpoint');
    const file = join(directory, 'kept.jws');
    await writeFile(file, checkpoint.stdout);
    const fine = await run('verify-store', '--checkpoint', file);
    expect(fine).toMatchObject({ code: 0, stderr: '' });
    expect(fine.stdout).toMatch(
      /^Verified \d+ streams, \d+ events, 9 used values and 1 checkpoint: everything is as it was/,
    );

    await asOwner(
      owner,
      `update streams set state = state || '{"status": "redeemed"}' where stream_id = '${state.offer}';
       update events set data = data || '{"extendableUntil": "2999-01-01T00:00:00.000Z"}' where stream_id = '${event.offer}' and version = 1;
       update events set recorded_at = recorded_at - interval '1 hour' where stream_id = '${time.offer}' and version = 1;
       update events set data = data || jsonb_build_object('sealedContent', reverse(data->>'sealedContent')) where stream_id = '${sealed.credential}' and version = 1;
       delete from consumed where kind = 'idempotency-key';
       update consumed set stream_id = '${state.offer}' where stream_id = '${handle.offer}';
       update key_store set updated_at = updated_at - interval '1 day' where id like 'signing:ES256:%';
       update key_store set updated_at = now() where id = 'checkpoint:1';
       insert into key_store (id, purpose, algorithm, status, sealed) values
         ('signing:EdDSA:9', 'signing', 'EdDSA', 'active', 'AgJ_'), ('proof:2', 'proof', null, 'active', 'AgJ_');
       update data_keys set sealed_key = (select sealed_key from data_keys where stream_id = '${state.credential}')
         where stream_id = '${event.credential}';
       update api_keys set scopes = array_append(scopes, 'audit:read') where id = '${apiKey ?? ''}';
       delete from events where stream_id = '${whole.offer}'; delete from streams where stream_id = '${whole.offer}';
       delete from events where stream_id = '${tail.offer}' and version = (select max(version) from events where stream_id = '${tail.offer}')`,
    );
    const { code, stdout, stderr } = await run('verify-store');
    expect(code).toBe(1);
    const changed = 'its content, its time or the event before it was changed';
    for (const line of [
      `${state.offer}: its stored state differs from its events (state)`,
      `${event.offer}: version 1: ${changed}`,
      `${time.offer}: version 1: ${changed}`,
      `${sealed.credential}: version 1: ${changed}`,
      `which finds ${state.offer}: was changed`,
      `which finds ${whole.offer}: the stream has no events left`,
      `data key of ${event.credential}: cannot be opened for its stream`,
      `API key ${apiKey ?? ''}: was added or changed outside the service`,
      'key checkpoint:1: was changed outside the service',
      'key signing:EdDSA:9: has no proof: it was added outside the service',
      'key proof:2: has no proof: it was added outside the service',
    ]) {
      expect(stdout).toContain(`${line}\n`);
    }
    expect(stdout).toMatch(/^key signing:ES256:\w+: was changed outside the service$/m);
    expect(stdout).toMatch(/: the used value idempotency-key \w{16} is missing$/m);
    expect(stdout).toMatch(/^checkpoint 1, taken at \S+: \d of its \d+ events are gone, which had the positions \S+$/m);
    expect(stderr).toMatch(/^Verified .* findings\. "sealwright rebuild" repairs/);

    expect((await run('rebuild')).stdout).toMatch(/ differed\. 1 used value came back\.\n/);
    answered(200, await get(`${service.url}/v0/offers`));
    answered(201, await postJson(`${service.url}/v0/offers`, { offerId: randomUUID() }));
    expect(service.app.get(EventStore).backlog().units).toBe(0);
    const other = await startService(settings);
    try {
      answered(201, await postJson(`${other.url}/v0/offers`, { offerId: randomUUID() }));
      expect(await run('keys', 'rotate')).toMatchObject({ code: 0 });
    } finally {
      await other.stop();
    }
  });
});

describe('a database in which SQL undoes or fakes a revocation and an erasure', () => {
  it('is named by verify-store and doctor, and lists go on saying what the events say', async () => {
    const owner = await sharedPostgres().createDatabase();
    const settings = {
      SERVICE__PROFILE: 'development',
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: owner,
    };
    const service = await startService(settings);
    const driver = service.app.get<SqlDriver>(SQL_DRIVER);
    const run = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, parameters);

    const template = await publishedTemplate(service.url, { revocable: true });
    const received = [];
    for (let i = 0; i < 3; i++) {
      const { link, credentialIds } = await prepareOffer(service.url, [template]);
      const [credential = ''] = await receive(link);
      received.push({ credential, id: credentialIds[0] ?? '' });
    }
    const [revoked, valid, kept] = received;
    if (!revoked || !valid || !kept) throw new Error('Three were received.');
    const path = `${service.url}/v0/credentials/${revoked.id}`;
    expect((await postJson(`${path}/revoke`, {})).status).toBe(204);
    await eventually(async () => (await tokenStatus(revoked.credential)) === 1);
    const [row] = await driver.query<{ key: Buffer }>({
      name: 'tampering-data-key',
      text: 'select sealed_key as key from data_keys where stream_id = $1',
      values: [`credential-${revoked.id}`],
    });
    expect((await send(`${path}/personal_data`, { method: 'DELETE' })).status).toBe(204);
    const before = (await run('verify-store')).stdout;
    expect(before).not.toMatch(/status list|data key is/);

    await asOwner(
      owner,
      `update status_changes set status = 0;
       insert into status_changes select list_id, entry + 1, 9, 1, changed_at, list_version from status_changes limit 1;
       insert into data_keys (stream_id, sealed_key)
         values ('credential-${revoked.id}', decode('${row?.key.toString('hex') ?? ''}', 'hex'));
       delete from data_keys where stream_id = 'credential-${kept.id}'`,
    );
    const { code, stdout, stderr } = await run('verify-store');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^status list \S+: differs from the events \(entries \d+, \d+\): changes were added, changed or/m,
    );
    expect(stdout).toContain(`credential-${kept.id}: its data key is gone, and no event says that it was erased\n`);
    expect(stdout).toMatch(
      new RegExp(`^credential-${revoked.id}: version \\d erased it, and its data key is there again$`, 'm'),
    );
    expect(stderr).toContain('"sealwright rebuild" repairs states, status lists and missing used values');
    const examined = await run('doctor', '--json');
    const { findings } = JSON.parse(examined.stdout) as {
      findings: { check: string; outcome: string; found: string }[];
    };
    expect(findings.find(({ check }) => check === 'status lists')).toMatchObject({
      outcome: 'fail',
      found: expect.stringMatching(/^status list \S+ differs from the events/) as string,
    });
    expect(findings.find(({ check }) => check === 'stored data')).toMatchObject({
      outcome: 'fail',
      found: expect.stringMatching(/: its data key is gone|erased it, and its data key/) as string,
    });

    // A replica that reads the list for the first time.
    const other = await startService({ ...settings, SERVICE__APPLICATION_URL: service.url });
    try {
      const statuses = await Promise.all(received.map(({ credential }) => tokenStatus(credential, other.url)));
      expect(statuses).toEqual([1, 0, 0]);
    } finally {
      await other.stop();
    }
    expect((await run('rebuild')).stdout).toContain('1 status list differed from the events.\n');
    expect((await run('verify-store')).stdout).not.toContain('status list');
    await service.stop();
  });
});
