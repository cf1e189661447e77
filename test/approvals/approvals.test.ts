import { ApiKeys } from '@app/access';
import { scopes, type Scope, scopesOfTenants } from '@app/http';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { until, uploaded } from '../support/portal/imports';
import { prepareOffer } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { receive } from '../support/wallets/wallet';

const service = serviceOfFile();

/** A caller of its own client, unless it is told of which. */
async function caller(client: string = randomUUID(), allowed: readonly Scope[] = scopes, url = service.url) {
  const { id, text } = await service.app.get(ApiKeys).create({ name: 'A key', client, scopes: allowed });
  return callerBy(text, id, url);
}

function callerBy(text: string, keyId = '', url = service.url) {
  const headers = { 'x-api-key': text };
  return {
    keyId,
    get: (path: string) => get(url + path, headers),
    post: (path: string, body: unknown = '', more: Record<string, string> = {}) =>
      postJson(url + path, body, { ...headers, ...more }),
    patch: (path: string, body: Json) =>
      send(url + path, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    delete: (path: string) => send(url + path, { method: 'DELETE', headers }),
  };
}
type Caller = ReturnType<typeof callerBy>;

const approvalIn = (reply: Reply): string => String(answered(202, reply)['approvalId']);
const decide = (by: Caller, verdict: 'approve' | 'reject', id: string, body: unknown = '') =>
  by.post(`/v0/approvals/${id}/${verdict}`, body);
const validityOf = async (by: Caller, id: string): Promise<unknown> =>
  answered(200, await by.get(`/v0/credentials/${id}`))['validity'];

async function template(by: Caller, fourEyes: Json, more: Json = {}): Promise<string> {
  const { templateId } = answered(
    201,
    await by.post('/v0/templates', {
      title: 'Membership',
      format: 'dc+sd-jwt',
      vct: `https://credentials.example/${randomUUID()}`,
      schema: { type: 'object', properties: { given_name: { type: 'string' } } },
      revocable: true,
      fourEyes,
      ...more,
    }),
  );
  return String(templateId);
}

/** A credential in a wallet, whose revocation needs two. */
async function issued(by: Caller): Promise<{ readonly credentialId: string; readonly templateId: string }> {
  const templateId = await template(by, { revoke: true }, { status: 'Published' });
  const { credentialIds, link } = await prepareOffer(service.url, [templateId]);
  await receive(link, 'F');
  return { credentialId: credentialIds[0] ?? '', templateId };
}

/** What the database has of all streams and events. */
async function stored(): Promise<string> {
  const [row] = await service.app.get<SqlDriver>(SQL_DRIVER).query<{ all: string }>({
    name: 'everything',
    text: `select (select string_agg(e::text, ' ') from events e) || (select string_agg(s::text, ' ') from streams s)
      || (select string_agg(a::text, ' ') from audit a) as "all"`,
    values: [],
  });
  return row?.all ?? '';
}

const revoke = (by: Caller, credentialId: string, body: unknown = '') =>
  by.post(`/v0/credentials/${credentialId}/revoke`, body);

describe('the revocation of a credential that two have to agree on', () => {
  it('is asked for by one and carried out when another approves it', async () => {
    const [clerk, chief] = [await caller(), await caller()];
    const { credentialId, templateId } = await issued(clerk);
    const asked = await revoke(clerk, credentialId, { reason: 'Exmatrikulation-Zwergspitzmaus' });
    const approvalId = approvalIn(asked);
    expect(asked.headers.get('location')).toBe(`/v0/approvals/${approvalId}`);
    expect(await validityOf(clerk, credentialId)).toBe('Valid');

    const seen = await chief.get(`/v0/approvals/${approvalId}`);
    expect(answered(200, seen)).toMatchObject({
      action: 'credential.revoke',
      credentialId,
      templateId,
      state: 'open',
      requestedBy: { principal: `key:${clerk.keyId}` },
      details: { reason: 'Exmatrikulation-Zwergspitzmaus' },
    });
    const open = answered(200, await chief.get('/v0/approvals?state=open'))['items'] as Json[];
    expect(open.filter((one) => one['approvalId'] === approvalId)).toHaveLength(1);

    const done = answered(200, await decide(chief, 'approve', approvalId, { comment: 'Gesehen-Zwergspitzmaus' }));
    expect(done).toMatchObject({
      state: 'approved',
      decidedBy: { principal: `key:${chief.keyId}` },
      comment: 'Gesehen-Zwergspitzmaus',
    });
    expect(await validityOf(clerk, credentialId)).toBe('Revoked');
    // Once more changes nothing, and the one who asked sees what came of it.
    expect(answered(200, await decide(chief, 'approve', approvalId))).toMatchObject({ state: 'approved' });
    expect(answered(200, await clerk.get(`/v0/approvals/${approvalId}`))['comment']).toBe('Gesehen-Zwergspitzmaus');
    expect(answered(200, await chief.get('/v0/approvals?state=open&limit=200'))['items']).not.toContainEqual(
      expect.objectContaining({ approvalId }),
    );
    // What people wrote is nowhere in the clear, and goes with the data of the person.
    expect(await stored()).toContain(approvalId);
    expect(await stored()).not.toContain('Zwergspitzmaus');
    answered(204, await clerk.delete(`/v0/credentials/${credentialId}/personal_data`));
    const erased = answered(200, await chief.get(`/v0/approvals/${approvalId}`));
    expect(erased).not.toHaveProperty('comment');
    expect(erased).not.toHaveProperty('details');
  });

  it('is not approved by the one who asked, nor with another key of the same client', async () => {
    const clerk = await caller();
    const { credentialId } = await issued(clerk);
    const approvalId = approvalIn(await revoke(clerk, credentialId));
    expectProblem(await decide(clerk, 'approve', approvalId), 403, 'approval-by-requester');

    const [first, second] = [await caller('town-hall'), await caller('town-hall')];
    const other = await issued(first);
    const ofClient = approvalIn(await revoke(first, other.credentialId));
    expectProblem(await decide(second, 'approve', ofClient), 403, 'approval-by-requester');
    expect(await validityOf(first, other.credentialId)).toBe('Valid');
    // To take it back is no approval.
    expect(answered(200, await decide(first, 'reject', ofClient))['state']).toBe('rejected');
    expectProblem(await decide(await caller(), 'approve', ofClient), 409, 'approval-ended');
  });

  it('is asked for once, however often, and again after it was rejected', async () => {
    const [clerk, chief] = [await caller(), await caller()];
    const { credentialId } = await issued(clerk);
    const asked = await Promise.all([1, 2, 3].map(() => revoke(clerk, credentialId)));
    const [approvalId = '', ...others] = new Set(asked.map(approvalIn));
    expect(others).toEqual([]);
    answered(200, await decide(chief, 'reject', approvalId, { comment: 'Still in use.' }));
    expect(await validityOf(clerk, credentialId)).toBe('Valid');
    const again = approvalIn(await revoke(clerk, credentialId));
    expect(again).not.toBe(approvalId);
    const conditions = { 'if-match': '"7"' };
    expectProblem(await chief.post(`/v0/approvals/${again}/approve`, '', conditions), 412, 'version-conflict');
    answered(200, await decide(chief, 'approve', again));
  });

  it('ends in words where the credential was revoked meanwhile', async () => {
    const [clerk, chief, designer] = [await caller(), await caller(), await caller()];
    const { credentialId, templateId } = await issued(clerk);
    const approvalId = approvalIn(await revoke(clerk, credentialId));
    // Two agree that one is enough from now on.
    const lifted = approvalIn(await designer.patch(`/v0/templates/${templateId}`, { fourEyes: null }));
    answered(200, await decide(chief, 'approve', lifted));
    expect((await revoke(clerk, credentialId)).status).toBe(204);
    expect(answered(200, await decide(chief, 'approve', approvalId))).toMatchObject({
      state: 'unneeded',
      outcome: 'It had been done already.',
    });
  });

  it('is not carried out for one who may not do it any more', async () => {
    const [clerk, chief] = [await caller(), await caller()];
    const { credentialId } = await issued(clerk);
    const approvalId = approvalIn(await revoke(clerk, credentialId));
    await service.app.get(ApiKeys).revoke(clerk.keyId);
    expect(answered(200, await decide(chief, 'approve', approvalId))).toMatchObject({
      state: 'unneeded',
      outcome: 'The one who asked for it may not do it any more.',
    });
    expect(await validityOf(chief, credentialId)).toBe('Valid');
  });

  it('is refused at once where it could not be done', async () => {
    const clerk = await caller();
    const templateId = await template(clerk, { revoke: true }, { status: 'Published' });
    const { credentialIds } = await prepareOffer(service.url, [templateId]);
    expectProblem(await revoke(clerk, credentialIds[0] ?? ''), 409, 'credential-not-issued');
    const { credentialId } = await issued(clerk);
    const refused = await clerk.post(`/v0/credentials/${credentialId}/revoke`, '', { 'if-match': '"1"' });
    expectProblem(refused, 412, 'version-conflict');
    const listed = answered(200, await clerk.get('/v0/approvals?state=open&limit=200'))['items'] as Json[];
    expect(listed.map((one) => one['credentialId'])).not.toContain(credentialId);
  });

  it('is asked for each of many, and not needed to suspend', async () => {
    const [clerk, chief] = [await caller(), await caller()];
    const [one, two] = [await issued(clerk), await issued(clerk)];
    expect((await clerk.post(`/v0/credentials/${one.credentialId}/suspend`)).status).toBe(204);
    const credentialIds = [one.credentialId, two.credentialId];
    const { items } = answered(
      200,
      await clerk.post('/v0/credentials/status_changes', { change: 'revoke', credentialIds }),
    );
    expect((items as Json[]).map(({ status }) => status)).toEqual([202, 202]);
    for (const { approvalId } of items as Json[]) answered(200, await decide(chief, 'approve', String(approvalId)));
    for (const id of credentialIds) expect(await validityOf(clerk, id)).toBe('Revoked');
  });

  it('still needs two after its template was archived and deleted', async () => {
    const clerk = await caller();
    const { credentialId, templateId } = await issued(clerk);
    answered(200, await clerk.post(`/v0/templates/${templateId}/archive`));
    expect((await clerk.delete(`/v0/templates/${templateId}`)).status).toBe(204);
    approvalIn(await revoke(clerk, credentialId));
  });
});

describe('a template that two have to agree on', () => {
  it('is published by the second, and its changes as well', async () => {
    const [designer, chief] = [await caller(), await caller()];
    const templateId = await template(designer, { publish: true });
    const at = `/v0/templates/${templateId}`;
    const publication = approvalIn(await designer.post(`${at}/publish`));
    expect(answered(200, await designer.get(at))['status']).toBe('Draft');
    answered(200, await decide(chief, 'approve', publication));
    expect(answered(200, await designer.get(at))['status']).toBe('Published');

    const change = approvalIn(await designer.patch(at, { title: 'Gold membership' }));
    expect(answered(200, await designer.get(at))['title']).toBe('Membership');
    expect(answered(200, await chief.get(`/v0/approvals/${change}`))['details']).toMatchObject({
      changes: { title: 'Gold membership' },
    });
    answered(200, await decide(chief, 'approve', change));
    expect(answered(200, await designer.get(at))['title']).toBe('Gold membership');
  });

  it('is not published with what was changed after it was asked for', async () => {
    const [designer, chief] = [await caller(), await caller()];
    const templateId = await template(designer, { publish: true });
    const approvalId = approvalIn(await designer.post(`/v0/templates/${templateId}/publish`));
    answered(200, await designer.patch(`/v0/templates/${templateId}`, { title: 'Another one' }));
    expect(answered(200, await decide(chief, 'approve', approvalId))).toMatchObject({
      state: 'unneeded',
      outcome: 'The template was changed after it was asked for.',
    });
    expect(answered(200, await designer.get(`/v0/templates/${templateId}`))['status']).toBe('Draft');
  });

  it('is changed as was asked for last', async () => {
    const [designer, other, chief] = [await caller(), await caller(), await caller()];
    const templateId = await template(designer, { publish: true }, { fourEyes: { bulkOver: 5 }, status: 'Published' });
    const at = `/v0/templates/${templateId}`;
    const change = async (by: Caller, title: string) => approvalIn(await by.patch(at, { fourEyes: null, title }));
    const first = await change(designer, 'Godl');
    const second = await change(designer, 'Gold');
    expect(second).not.toBe(first);
    expect(await change(other, 'Gold')).toBe(second);
    expectProblem(await decide(chief, 'approve', first), 409, 'approval-ended');
    expect(answered(200, await chief.get(`/v0/approvals/${first}`))).toMatchObject({
      state: 'unneeded',
      outcome: 'Something else was asked for in its place.',
    });
    answered(200, await decide(chief, 'approve', second));
    expect(answered(200, await designer.get(at))['title']).toBe('Gold');
  });

  it('is not published while it is created, nor freed of the second by one alone', async () => {
    const designer = await caller();
    const body = { title: 'T', format: 'dc+sd-jwt', schema: { type: 'object' }, fourEyes: { publish: true } };
    const refused = await designer.post('/v0/templates', { ...body, status: 'Published' });
    expectProblem(refused, 400, 'validation-failed');
    const templateId = await template(designer, { revoke: true, bulkOver: 50 });
    const at = `/v0/templates/${templateId}`;
    for (const fourEyes of [null, { revoke: true }, { revoke: true, bulkOver: 51 }, { bulkOver: 50 }]) {
      expect((await designer.patch(at, { fourEyes })).status).toBe(202);
    }
    const stricter = { revoke: true, publish: true, bulkOver: 5 };
    expect(answered(200, await designer.patch(at, { fourEyes: stricter }))['fourEyes']).toEqual(stricter);
    expectProblem(await designer.patch(at, { fourEyes: { revoke: false } }), 400, 'validation-failed');
  });
});

describe('an import with more rows than one may start alone', () => {
  const setUp = async () => {
    const [clerk, chief] = [await caller(), await caller()];
    const templateId = await template(clerk, { bulkOver: 1 }, { status: 'Published' });
    const upload = async (file: string) => {
      const importId = await uploaded(service.url, templateId, file);
      await until(service.url, importId, 'Checked');
      return importId;
    };
    return { clerk, chief, upload };
  };
  const start = (by: Caller, importId: string) => by.post(`/v0/imports/${importId}/start`);

  it('is started by the second, and one with fewer at once', async () => {
    const { clerk, chief, upload } = await setUp();
    const importId = await upload('given_name\nErika\nMax\n');
    const approvalId = approvalIn(await start(clerk, importId));
    const waiting = { state: 'Checked', approvalId, totals: { ready: 2, created: 0 } };
    expect(answered(200, await clerk.get(`/v0/imports/${importId}`))).toMatchObject(waiting);
    expect(approvalIn(await start(clerk, importId))).toBe(approvalId);
    expectProblem(await decide(clerk, 'approve', approvalId), 403, 'approval-by-requester');
    const asked = { action: 'import.start', importId, details: { rows: 2, by: `key:${clerk.keyId}` } };
    expect(answered(200, await chief.get(`/v0/approvals/${approvalId}`))).toMatchObject(asked);
    expect(answered(200, await decide(chief, 'approve', approvalId))['state']).toBe('approved');
    const done = await until(service.url, importId, 'Done');
    expect(done).toMatchObject({ totals: { created: 2 } });
    expect(done).not.toHaveProperty('approvalId');
    answered(200, await start(clerk, await upload('given_name\nMoritz\n')));
  });

  it('is started as it is when it was corrected and asked for again', async () => {
    const { clerk, chief, upload } = await setUp();
    const importId = await upload('given_name\nE\nF\n');
    const before = approvalIn(await start(clerk, importId));
    const values = [{ column: 1, value: 'G' }];
    answered(200, await clerk.patch(`/v0/imports/${importId}/rows/2`, { values }));
    const now = approvalIn(await start(clerk, importId));
    expect(now).not.toBe(before);
    expect(approvalIn(await start(await caller(), importId))).toBe(now);
    expect(answered(200, await decide(chief, 'approve', now))['state']).toBe('approved');
    await until(service.url, importId, 'Done');
  });

  it('is not started when it was cancelled or corrected after it was asked for', async () => {
    const { clerk, chief, upload } = await setUp();
    const [cancelled, changed] = [await upload('given_name\nA\nB\n'), await upload('given_name\nC\nD\n')];
    const [one, two] = [approvalIn(await start(clerk, cancelled)), approvalIn(await start(clerk, changed))];
    answered(200, await clerk.post(`/v0/imports/${cancelled}/cancel`));
    const values = [{ column: 1, value: 'Somebody else' }];
    answered(200, await clerk.patch(`/v0/imports/${changed}/rows/2`, { values }));
    const outcome = 'The import was started, changed or cancelled after it was asked for.';
    for (const id of [one, two])
      expect(answered(200, await decide(chief, 'approve', id))).toMatchObject({ state: 'unneeded', outcome });
    expect(answered(200, await clerk.get(`/v0/imports/${changed}`))['state']).toBe('Checked');
    expect(approvalIn(await start(clerk, changed))).not.toBe(two);
  });
});

it('needs a scope of its own to decide, and another to look', async () => {
  const clerk = await caller();
  const { credentialId } = await issued(clerk);
  const approvalId = approvalIn(await revoke(clerk, credentialId));
  const reader = await caller(undefined, ['approvals:read']);
  answered(200, await reader.get(`/v0/approvals/${approvalId}`));
  expectProblem(await decide(reader, 'approve', approvalId), 403, 'forbidden');
  const stranger = await caller(undefined, ['credentials:write']);
  expectProblem(await stranger.get('/v0/approvals'), 403, 'forbidden');
  expectProblem(await clerk.get(`/v0/approvals/${randomUUID()}`), 404, 'not-found');
});

it('is in the audit by both names', async () => {
  const [clerk, chief] = [await caller(), await caller()];
  const { credentialId } = await issued(clerk);
  const approvalId = approvalIn(await revoke(clerk, credentialId));
  answered(200, await decide(chief, 'approve', approvalId));
  const rows = async (query: string) =>
    (answered(200, await chief.get(`/v0/audit?${query}`))['items'] as Json[]).map(({ action, outcome }) => [
      action,
      outcome,
    ]);
  expect(await rows(`principal=key:${chief.keyId}&object=${approvalId}`)).toContainEqual(['approvals.approve', 'ok']);
  expect(await rows(`principal=key:${clerk.keyId}&object=${credentialId}`)).toEqual([
    ['credentials.revoke', 'ok'],
    ['credentials.revoke', 'ok'],
  ]);
});

it('is of a tenant alone', async () => {
  const made = async (tenantId: string) => {
    const { apiKey } = answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
    const { apiKey: second } = answered(
      200,
      await postJson(`${service.url}/v0/tenants/${tenantId}/api_keys`, { name: 'Second', scopes: scopesOfTenants }),
    );
    const url = `${service.url}/t/${tenantId}`;
    return [callerBy(String(apiKey), '', url), callerBy(String(second), '', url)] as const;
  };
  const [[a], [, b]] = [await made('town-a'), await made('town-b')];
  const templateId = await template(a, { publish: true });
  const approvalId = approvalIn(await a.post(`/v0/templates/${templateId}/publish`));
  expect(answered(200, await a.get('/v0/approvals?state=open'))['items']).toHaveLength(1);
  expectProblem(await b.get(`/v0/approvals/${approvalId}`), 404, 'not-found');
  expectProblem(await decide(b, 'approve', approvalId), 404, 'not-found');
});
