import { EventStore, type Repository, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { type Approval, type ApprovalEvent, APPROVALS, requestApproval } from '@app/approvals/src/approval';
import { Expiries } from '@app/operation';
import { Tenants } from '@app/primitives/context';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../event-store/accounts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { listen } from '../support/http/event-stream';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

const migrations = join(__dirname, '../../libs/event-store/src/migrations');
const own = readdirSync(migrations).find((name) => name.endsWith('_approval_expiry.sql')) ?? '';
/** What the release before has in its place. */
const before = `drop index approvals_by_status, tenant_streams_to_expire;
  create index tenant_streams_to_expire on streams (((state->>'expiresAt') collate "C"), stream_id)
    where (category like 'offer~%' or category like 'authorization_request~%')
      and state->>'status' in ('open', 'online', 'offline', 'pending', 'retrieved', 'rejected', 'withheld');
  update streams set fold_version = 1 where category like 'approval%';
  delete from folds where category = 'approval'`;
const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
const someone = { principal: 'key:clerk', client: 'town-hall' };

/** Two replicas, which look for what has expired when they are told to. */
let replicas: readonly RunningService[];
let receiver: WebhookReceiver;
let database: string;
let url: string;
beforeAll(async () => {
  jest.spyOn(Expiries.prototype, 'record').mockResolvedValue();
  database = await sharedPostgres().createDatabase();
  receiver = await startWebhookReceiver();
  const settings = {
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: database,
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  };
  const first = await startService(settings);
  replicas = [first, await startService(settings)];
  ({ url } = first);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all(replicas.map((one) => one.stop()));
  await receiver.stop();
  await dropDatabase(database);
});

const inFirst = <T>(token: symbol | (abstract new (...given: never[]) => T)): T =>
  (replicas[0] as RunningService).app.get<T>(token, { strict: false });
const driver = (): SqlDriver => inFirst(SQL_DRIVER);

/** As it is stored when somebody asked for it then. */
async function askedFor(at: Date, mark = '', ...more: readonly ApprovalEvent[]): Promise<string> {
  const approvalId = randomUUID();
  const terms = {
    approvalId,
    action: 'credential.revoke',
    object: 'c',
    templateId: 't',
    requestedBy: someone,
  } as const;
  const events = [...requestApproval({ ...terms, sealedDetails: '' }, at), ...more];
  await inFirst(Tenants).as(mark, async () => {
    await inFirst<Repository<Approval, ApprovalEvent>>(APPROVALS).save(approvalId, 0, events);
  });
  return approvalId;
}

async function recordEverywhere(): Promise<void> {
  jest.restoreAllMocks();
  await Promise.all(replicas.map(({ app }) => app.get(Expiries).record()));
  jest.spyOn(Expiries.prototype, 'record').mockResolvedValue();
}

async function idsIn(state: string, at = url): Promise<unknown[]> {
  return (answered(200, await get(`${at}/v0/approvals?state=${state}`))['items'] as Json[])
    .map(({ approvalId }) => approvalId)
    .sort();
}

it('An approval that nobody decides on expires once, however many replicas look, and those from before too', async () => {
  const tenant = `${url}/t/town`;
  answered(201, await postJson(`${url}/v0/tenants`, { tenantId: 'town', displayName: 'Town' }));
  await publishedTemplate(tenant);
  const [{ mark = '' } = {}] = await driver().query<{ mark: string }>({
    name: '',
    text: `select split_part(category, '~', 2) as mark from streams where category like 'template~%'`,
    values: [],
  });
  answered(201, await postJson(`${url}/v0/webhooks`, { url: receiver.url, types: ['approval.expired'] }));
  const stream = await listen(`${replicas[1]?.url}/v0/events?types=approval.expired`);

  const decided = {
    decidedBy: { principal: 'key:chief', client: 'chancellery' },
    decidedAt: daysAgo(20).toISOString(),
  };
  const past = [await askedFor(daysAgo(15)), await askedFor(daysAgo(14))].sort();
  const open = await askedFor(daysAgo(13.9));
  const approved = await askedFor(daysAgo(21), '', { type: 'ApprovalGiven', ...decided });
  const ofTenant = await askedFor(daysAgo(15), mark);
  await driver().transaction((tx) => tx.script(before));
  await driver().transaction((tx) => tx.script(readFileSync(join(migrations, own), 'utf8')));

  // The clock says it already.
  const expectStates = async (): Promise<void> => {
    expect([await idsIn('expired'), await idsIn('expired', tenant)]).toEqual([past, [ofTenant]]);
    expect([await idsIn('open'), await idsIn('open', tenant), await idsIn('approved')]).toEqual([
      [open],
      [],
      [approved],
    ]);
  };
  await expectStates();
  await recordEverywhere();
  await recordEverywhere();
  await expectStates();
  const recorded = await driver().query<{ stream_id: string }>({
    name: '',
    text: `select stream_id from events where type = 'ApprovalExpired'`,
    values: [],
  });
  expect(recorded.map(({ stream_id: streamId }) => streamId).sort()).toEqual(
    [...past.map((id) => `approval-${id}`), `approval~${mark}-${ofTenant}`].sort(),
  );

  const events = await stream.take(2);
  stream.cut();
  expect(events.map(({ subject }) => subject).sort()).toEqual(past.map((id) => `approvals/${id}`));
  const [approvalId] = past;
  const shown = answered(200, await get(`${url}/v0/approvals/${approvalId}`));
  expect(shown).toMatchObject({ state: 'expired', outcome: 'Nobody decided in time: ask for it again.' });
  expect(events.find(({ subject }) => subject === `approvals/${approvalId}`)).toMatchObject({
    type: 'approval.expired',
    time: shown['expiresAt'],
    data: { approvalId, action: 'credential.revoke', credentialId: 'c', templateId: 't', state: 'expired' },
  });
  await eventually(() => receiver.messages.length === 2);
  expect(receiver.messages.map(({ subject }) => subject).sort()).toEqual(past.map((id) => `approvals/${id}`));

  for (const verdict of ['approve', 'reject'])
    expectProblem(await postJson(`${url}/v0/approvals/${approvalId}/${verdict}`, ''), 409, 'approval-ended');
  const { differing, findings } = await inFirst(EventStore).verify();
  expect([differing, findings]).toEqual([[], 0]);
});
