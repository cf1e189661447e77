import { DueErasures, SQL_DRIVER, type SqlDriver, takeLock } from '@app/event-store';
import { EraseCredentialHandler } from '@app/issuance/src/management/credential-erasure.handlers';
import { Housekeeping } from '@app/operation';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { ask, type Asked, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { degree, type Holdings, receiveHoldings } from '../support/presenters/holdings';
import { presentJwtVc } from '../support/presenters/credentials';
import { type RunningService, startService } from '../support/service/service';
import { receive } from '../support/wallets/wallet';

let service: RunningService;
let driver: SqlDriver;
let holdings: Holdings;
beforeAll(async () => {
  service = await startService();
  driver = service.app.get<SqlDriver>(SQL_DRIVER);
  holdings = await receiveHoldings(service.url, { given_name: 'Erika', level: 3 });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => service.stop());

const cleanUp = (): Promise<void> => service.app.get(Housekeeping).cleanUp();
const credential = async (id = ''): Promise<Json> => answered(200, await get(`${service.url}/v0/credentials/${id}`));

/** Resolves after the database's clock has passed the time. */
async function reached(time: unknown): Promise<void> {
  const wait = `select pg_sleep(greatest(0, extract(epoch from $1::text::timestamptz - clock_timestamp()) + 0.002))`;
  await driver.query({ name: 'wait', text: wait, values: [time] });
}

async function issued(retention: string): Promise<Json> {
  const template = await publishedTemplate(service.url, { retention });
  const { link, credentialIds } = await prepareOffer(service.url, [template]);
  await receive(link);
  return credential(credentialIds[0]);
}

describe('the claims of an issued credential', () => {
  it('are erased by the housekeeping when the retention of the template has ended', async () => {
    const [soon, later] = [await issued('PT0.1S'), await issued('P1D')];
    const { eraseAt, issuedAt } = soon;
    expect(Date.parse(String(eraseAt)) - Date.parse(String(issuedAt))).toBe(100);
    await reached(eraseAt);
    await cleanUp();
    const after = await credential(String(soon['credentialId']));
    expect(after).toMatchObject({ status: 'Issued', credential: null, erasedAt: expect.any(String) as unknown });
    expect(after).not.toHaveProperty('eraseAt');
    expect(await credential(String(later['credentialId']))).toEqual(later);
    expect(later['credential']).not.toBeNull();
  });

  it('are kept for ten minutes by untilIssued, in which a wallet may repeat its request', async () => {
    const { eraseAt, issuedAt } = await issued('untilIssued');
    expect(Date.parse(String(eraseAt)) - Date.parse(String(issuedAt))).toBe(600_000);
  });

  it('are kept where the template says keep or nothing', async () => {
    expect(await issued('keep')).not.toHaveProperty('eraseAt');
  });
});

describe('a credential that is not issued', () => {
  it('keeps its claims until it expires, if its template has a retention', async () => {
    const template = await publishedTemplate(service.url, { retention: 'untilIssued' });
    const expiresAt = new Date(Date.now() + 800).toISOString();
    const { credentialIds } = await prepareOffer(service.url, [template], {}, { expiresAt });
    expect(await credential(credentialIds[0])).toMatchObject({ eraseAt: expiresAt, status: 'Prepared' });
    await reached(expiresAt);
    await cleanUp();
    expect(await credential(credentialIds[0])).toMatchObject({ credential: null, status: 'Prepared' });
    const kept = await prepareOffer(service.url, [quickStart], {}, { expiresAt: '2099-01-01T00:00:00Z' });
    expect(await credential(kept.credentialIds[0])).not.toHaveProperty('eraseAt');
  });
});

describe('a template', () => {
  it('shows its retention, and so does its configuration', async () => {
    const template = await publishedTemplate(service.url, { retention: 'P90D' });
    const url = `${service.url}/v0/templates/${template}`;
    expect((await get(url)).json['retention']).toBe('P90D');
    const headers = { 'content-type': 'application/json' };
    const changed = await send(url, { method: 'PATCH', headers, body: JSON.stringify({ title: 'Other' }) });
    expect(answered(200, changed)['retention']).toBe('P90D');
    expect((await get(`${service.url}/v0/credential_configurations/${template}`)).json['retention']).toBe('P90D');
    expect((await get(`${service.url}/v0/credential_configurations/${quickStart}`)).json['retention']).toBe('keep');
  });

  it('is rejected with a retention that is none, and the error says what to send', async () => {
    const body = { title: 'x', format: 'jwt_vc_json', schema: { type: 'object' }, retention: '90 days' };
    const reply = await postJson(`${service.url}/v0/templates`, body);
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toEqual([
      {
        pointer: '/retention',
        message: expect.stringContaining('keep, untilIssued or an ISO 8601 duration') as string,
      },
    ]);
  });
});

describe('what was presented', () => {
  async function verified(retention: string): Promise<Asked> {
    const asked = await ask(service.url, { dcql_query: { credentials: [degree] }, retention });
    const received = await receiveRequest(asked);
    const token = presentJwtVc([holdings.jwtVc], holdings.holder, received);
    answered(200, await respond(received, { tokens: { [degree.id]: token } }));
    return asked;
  }

  it('is erased when its retention after the verification has ended', async () => {
    const [soon, kept] = [await verified('PT0.1S'), await verified('keep')];
    const { eraseAt } = await resultOf(soon);
    await reached(eraseAt);
    await cleanUp();
    const after = await resultOf(soon);
    expect(after).toMatchObject({ status: 'verified', vp_token: null, erasedAt: expect.any(String) as unknown });
    expect((after['timeline'] as Json[]).at(-1)).toMatchObject({ step: 'personal data erased', detail: 'retention' });
    expect(await resultOf(kept)).toMatchObject({ status: 'verified', vp_token: expect.any(Object) as unknown });
  });

  it('is counted from the expiry of a request that nobody answers', async () => {
    const asked = await ask(service.url, {
      dcql_query: { credentials: [degree] },
      expiresIn: 'PT1H',
      retention: 'P1D',
    });
    const { expiresAt, eraseAt } = await resultOf(asked);
    expect(Date.parse(String(eraseAt)) - Date.parse(String(expiresAt))).toBe(86_400_000);
  });

  it('has no untilIssued, and the error says what to send', async () => {
    const body = { dcql_query: { credentials: [degree] }, retention: 'untilIssued' };
    const reply = await postJson(`${service.url}/v0/authorization_requests`, body);
    expectProblem(reply, 400, 'validation-failed');
    expect(JSON.stringify(reply.json['violations'])).toContain('must be keep or an ISO 8601 duration');
  });
});

describe('several replicas', () => {
  it('erase in one of them at a time, and how long the oldest has been due is measured', async () => {
    const erasures = service.app.get(DueErasures);
    const { credentialId, eraseAt } = await issued('PT0.1S');
    await reached(eraseAt);
    expect(await erasures.overdue()).toBeGreaterThan(0);
    const other = await driver.session();
    expect(await takeLock(other, 'due erasures')).toBe(true);
    expect(await erasures.run()).toBe(0);
    await other.close();
    expect((await credential(String(credentialId)))['credential']).not.toBeNull();
    // A closed session loses its lock when the server notices.
    while ((await erasures.run()) === 0) await reached(new Date().toISOString());
    expect((await credential(String(credentialId)))['credential']).toBeNull();
    expect(await erasures.overdue()).toBe(0);
  });

  it('erase the others when one cannot be erased, and try that one again', async () => {
    const erasures = service.app.get(DueErasures);
    const broken = await issued('PT0.1S');
    const next = await issued('PT0.1S');
    await reached(next['eraseAt']);
    // The one that has been due for longest comes first.
    jest.spyOn(service.app.get(EraseCredentialHandler), 'execute').mockRejectedValueOnce(new Error('broken'));
    expect(await erasures.run()).toBe(1);
    expect((await credential(String(next['credentialId'])))['credential']).toBeNull();
    expect((await credential(String(broken['credentialId'])))['credential']).not.toBeNull();
    expect(await erasures.run()).toBe(1);
    expect((await credential(String(broken['credentialId'])))['credential']).toBeNull();
  });
});
