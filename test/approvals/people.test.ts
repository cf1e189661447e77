import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { eventually } from '../event-store/accounts';
import { OrganisationProvider } from '../support/counterparts/organisation-provider';
import { ConsoleBrowser } from '../support/http/console-browser';
import { expectProblem } from '../support/http/refusals';
import { answered, type Json, type Reply, send } from '../support/http/requests';
import { importOf, until, uploaded } from '../support/portal/imports';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { receive } from '../support/wallets/wallet';

const templates = { law: 'law-diploma', physics: 'physics-diploma' };
let provider: OrganisationProvider;
let service: RunningService;
beforeAll(async () => {
  provider = await OrganisationProvider.start({ consoleUrls: () => [service.url] });
  const roles = [`clerk@${templates.law}=law`, `clerk@${templates.physics}=physics`, 'approver=heads'];
  service = await startService({ ...provider.settings, SERVICE__CONSOLE__OPENID__ROLES: roles.join(',') });
  for (const templateId of Object.values(templates)) {
    const fourEyes = { revoke: true, bulkOver: 1 };
    await publishedTemplate(service.url, { templateId, revocable: true, fourEyes });
  }
});
beforeEach(() => {
  Object.assign(provider, { loggedInAgo: 0 });
  provider.people.set('max', { name: 'Max', groups: ['heads'] });
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

function signedIn(person: string, ...groups: readonly string[]): Promise<ConsoleBrowser> {
  provider.people.set(person, { name: person, groups: [...groups] });
  return ConsoleBrowser.of(person, provider, service.url);
}

async function issued(): Promise<string> {
  const { credentialIds, link } = await prepareOffer(service.url, [templates.law]);
  await receive(link, 'F');
  return credentialIds[0] ?? '';
}

const approvalIn = (reply: Reply): string => String(answered(202, reply)['approvalId']);
const revoke = (by: ConsoleBrowser, id: string) => by.call('POST', `/v0/credentials/${id}/revoke`, {});
const approve = (by: ConsoleBrowser, id: string) => by.call('POST', `/v0/approvals/${id}/approve`, {});

describe('what a person has asked for', () => {
  it('is done when another one approves it, who has lately proven who they are', async () => {
    const [clerk, credentialId] = [await signedIn('erika', 'law'), await issued()];
    const approvalId = approvalIn(await revoke(clerk, credentialId));
    Object.assign(provider, { loggedInAgo: 3_600_000 });
    const chief = await signedIn('max', 'heads');
    expectProblem(await approve(chief, approvalId), 401, 'insufficient-user-authentication');
    Object.assign(provider, { loggedInAgo: 0 });
    await chief.open(`${service.url}/console/sign-in/start?again`);
    expect(answered(200, await approve(chief, approvalId))).toMatchObject({
      state: 'approved',
      requestedBy: { name: 'erika' },
      decidedBy: { name: 'max' },
      details: {},
    });
  });

  it('is not approved by the same person in another browser, with whatever roles', async () => {
    const approvalId = approvalIn(await revoke(await signedIn('erika', 'law'), await issued()));
    const other = await signedIn('erika', 'law', 'heads');
    expectProblem(await approve(other, approvalId), 403, 'approval-by-requester');
  });

  it.each([
    ['lost the role', []],
    ['went to another department', ['physics']],
  ])('is not done for somebody who has %s since', async (_what, groups) => {
    const [clerk, credentialId] = [await signedIn('erika', 'law'), await issued()];
    const approvalId = approvalIn(await revoke(clerk, credentialId));
    await signedIn('erika', ...groups);
    const chief = await signedIn('max', 'heads');
    expect(answered(200, await approve(chief, approvalId))).toMatchObject({
      state: 'unneeded',
      outcome: 'The one who asked for it may not do it any more.',
    });
    const { validity } = answered(200, await chief.call('GET', `/v0/credentials/${credentialId}`));
    expect(validity).toBe('Valid');
  });

  it('is not done for somebody of whom another browser has learnt that the role is lost', async () => {
    const [clerk, credentialId] = [await signedIn('erika', 'law'), await issued()];
    const approvalId = approvalIn(await revoke(clerk, credentialId));
    // Left open at home.
    await signedIn('erika', 'law');
    provider.people.set('erika', { name: 'erika', groups: [] });
    await service.app.get<SqlDriver>(SQL_DRIVER).query({
      name: 'aged-sessions',
      text: `update console_sessions set roles_read_at = now() - interval '16 minutes' where subject like '%erika'`,
      values: [],
    });
    // What is read of a session is believed for seconds.
    await eventually(async () => (await clerk.call('GET', '/v0/offers')).status === 403, 20_000);
    const chief = await signedIn('max', 'heads');
    expect(answered(200, await approve(chief, approvalId))).toMatchObject({ state: 'unneeded' });
  });

  it('is seen by those of the department alone', async () => {
    const approvalId = approvalIn(await revoke(await signedIn('erika', 'law'), await issued()));
    const other = await signedIn('paul', 'physics');
    expectProblem(await other.call('GET', `/v0/approvals/${approvalId}`), 404, 'not-found');
    const { items } = answered(200, await other.call('GET', '/v0/approvals'));
    expect((items as Json[]).map((one) => one['templateId'])).not.toContain(templates.law);
  });
});

it('An import that two have agreed on keeps its rows: none is corrected while it runs or is paused', async () => {
  const clerk = await signedIn('erika', 'law');
  const lines = Array.from({ length: 400 }, (_, at) => `Person ${at},${at}`);
  const importId = await uploaded(service.url, templates.law, `given_name,level\n${lines.join('\n')}\nLate,x\n`);
  await until(service.url, importId, 'Checked');
  const approvalId = approvalIn(await clerk.call('POST', `/v0/imports/${importId}/start`, {}));
  const values = [{ column: 1, value: 'Somebody else' }];
  const correct = (row: number) =>
    send(`${service.url}/v0/imports/${importId}/rows/${row}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ values }),
    });
  answered(200, await approve(await signedIn('max', 'heads'), approvalId));
  expectProblem(await correct(402), 409, 'conflict');
  answered(200, await clerk.call('POST', `/v0/imports/${importId}/pause`, {}));
  expect((await importOf(service.url, importId))['state']).toBe('Paused');
  const refused = await correct(402);
  expectProblem(refused, 409, 'conflict');
  expect(refused.json['detail']).toContain('before the start only');
});
