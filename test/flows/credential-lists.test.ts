import { KeyRing } from '@app/keys';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expectProblem } from '../support/http/refusals';
import { storedEvents } from '../support/database/stored-rows';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { newHolder } from '../support/wallets/key-proofs';
import { openSession, receive, requestCredential } from '../support/wallets/wallet';

let service: RunningService;
let first: string;
let second: string;
/** Of each template seven credentials, every second one issued; and one of a provisioned configuration. */
const prepared: { readonly id: string; readonly templateId: string | undefined; readonly status: string }[] = [];
/** A time before the first, between the seventh and the eighth, and after the last of them. */
const [start, halfway, end] = ['start', 'halfway', 'end'] as const;
const moments: Record<string, string> = {};
const later = 7;

async function note(moment: string): Promise<void> {
  await setTimeout(5);
  moments[moment] = new Date().toISOString();
  await setTimeout(5);
}

beforeAll(async () => {
  service = await startService();
  first = await publishedTemplate(service.url);
  second = await publishedTemplate(service.url);
  await note(start);
  for (let count = 0; count < 14; count++) {
    if (count === 14 - later) await note(halfway);
    const templateId = count % 2 === 0 ? first : second;
    const status = count % 4 < 2 ? 'Issued' : 'Prepared';
    const { link, credentialIds } = await prepareOffer(service.url, [templateId]);
    if (status === 'Issued') await receive(link);
    prepared.unshift({ id: credentialIds[0] ?? '', templateId, status });
  }
  const { credentialIds } = await prepareOffer(service.url, [quickStart]);
  prepared.unshift({ id: credentialIds[0] ?? '', templateId: undefined, status: 'Prepared' });
  await note(end);
});
afterAll(() => service.stop());

/** All items of a list, three at a time. */
async function listed(filter: Json): Promise<unknown[]> {
  const query = new URLSearchParams({ limit: '3', ...(filter as Record<string, string>) });
  const seen: unknown[] = [];
  for (let pages = 0; pages < 20; pages++) {
    const page = answered(200, await get(`${service.url}/v0/credentials?${query.toString()}`));
    seen.push(...(page['items'] as Json[]).map(({ credentialId }) => credentialId));
    if (page['nextCursor'] === null) return seen;
    query.set('cursor', page['nextCursor'] as string);
  }
  throw new Error('The list does not end.');
}

describe('the list of credentials', () => {
  it.each<[string, () => Json]>([
    ['all', () => ({})],
    ['of one template', () => ({ templateId: first })],
    ['in one state', () => ({ status: 'Issued' })],
    ['in one state, of one template', () => ({ status: 'Prepared', templateId: second })],
    ['in a state that none has', () => ({ status: 'Refused' })],
    ['of an unknown template', () => ({ templateId: randomUUID() })],
  ])('has %s, the newest first, page by page', async (_what, filter) => {
    const wanted = filter();
    const expected = prepared.filter(
      ({ templateId, status }) =>
        (wanted['templateId'] ?? templateId) === templateId && (wanted['status'] ?? status) === status,
    );
    expect(await listed(wanted)).toEqual(expected.map(({ id }) => id));
  });

  const since = () => prepared.slice(0, later + 1);
  const before = () => prepared.slice(later + 1);
  it.each<[string, Record<string, string>, Record<string, string>, () => typeof prepared]>([
    ['created after a time', { createdAfter: halfway }, {}, since],
    ['created before a time', { createdBefore: halfway }, {}, before],
    ['created between two times', { createdAfter: start, createdBefore: halfway }, {}, before],
    ['created after all of them', { createdAfter: end }, {}, () => []],
    ['of one state created before a time', { createdBefore: halfway }, { status: 'Prepared' }, before],
    ['issued after a time', { issuedAfter: halfway }, {}, since],
    ['issued before a time', { issuedBefore: halfway }, {}, before],
    ['issued between two times', { issuedAfter: start, issuedBefore: end }, {}, () => prepared],
    ['issued and created before a time', { issuedAfter: start, createdBefore: halfway }, {}, before],
    ['issued before all of them', { issuedBefore: start }, {}, () => []],
    ['in one state issued after a time', { issuedAfter: halfway }, { status: 'Issued' }, since],
    ['in one state that none has, issued after a time', { issuedAfter: halfway }, { status: 'Refused' }, () => []],
  ])('has those %s, the newest first, page by page', async (_what, times, filter, among) => {
    const given = Object.entries(times).map(([name, moment]) => [name, moments[moment]]);
    const isOnlyIssued = given.some(([name]) => name?.startsWith('issued') === true);
    const status = filter['status'] ?? (isOnlyIssued ? 'Issued' : undefined);
    const expected = among().filter((one) => status === undefined || one.status === status);
    expect(await listed({ ...Object.fromEntries(given), ...filter })).toEqual(expected.map(({ id }) => id));
  });

  it('keeps its place while others are issued', async () => {
    const url = `${service.url}/v0/credentials?issuedAfter=${moments[start] ?? ''}&limit=2`;
    const [first, second] = prepared.filter(({ status }) => status === 'Issued').map(({ id }) => id);
    const page = answered(200, await get(url));
    expect((page['items'] as Json[]).map(({ credentialId }) => credentialId)).toEqual([first, second]);
    const { link, credentialIds } = await prepareOffer(service.url, [quickStart]);
    await receive(link);
    const next = answered(200, await get(`${url}&cursor=${String(page['nextCursor'])}`));
    const ids = (next['items'] as Json[]).map(({ credentialId }) => credentialId);
    expect(ids).toHaveLength(2);
    for (const id of [first, second, credentialIds[0]]) expect(ids).not.toContain(id);
  });

  it('of one offer can be those issued at some time', async () => {
    const { offerId, link, credentialIds } = await prepareOffer(service.url, [quickStart]);
    expect(await listed({ offerId, issuedAfter: moments[start] })).toEqual([]);
    await receive(link);
    expect(await listed({ offerId, issuedAfter: moments[end] })).toEqual(credentialIds);
    expect(await listed({ offerId, issuedBefore: moments[end] })).toEqual([]);
    expect(await listed({ offerId, createdBefore: moments[end] })).toEqual([]);
  });

  it.each([
    ['createdAfter=yesterday', '/createdAfter'],
    ['createdBefore=2026-01-01', '/createdBefore'],
    ['issuedAfter=2026-02-30T00:00:00Z', '/issuedAfter'],
    ['issuedBefore=', '/issuedBefore'],
    ['createdAfter=2026-01-02T00:00:00Z&createdBefore=2026-01-02T00:00:00Z', '/createdBefore'],
    ['issuedAfter=2026-01-02T00:00:00Z&issuedBefore=2026-01-01T23:59:59Z', '/issuedBefore'],
    ['validity=valid', '/validity'],
    ['validity=Valid,Revoked', '/validity'],
    ['signingKeyId=', '/signingKeyId'],
    ['issuedSince=2026-01-01T00:00:00Z', '/issuedSince'],
  ])('names the fault of ?%s', async (query, pointer) => {
    const reply = await get(`${service.url}/v0/credentials?${query}`);
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toMatchObject([{ pointer }]);
  });

  it('rejects the cursor of a list in another order', async () => {
    const page = answered(200, await get(`${service.url}/v0/credentials?limit=1`));
    const query = `issuedAfter=${moments[start] ?? ''}&cursor=${String(page['nextCursor'])}`;
    expectProblem(await get(`${service.url}/v0/credentials?${query}`), 400, 'validation-failed');
  });

  it('has those that one key signed last, also when another one has signed since', async () => {
    const ring = service.app.get(KeyRing, { strict: false });
    const first = ring.activeKey('ES256').kid;
    const revocable = await publishedTemplate(service.url, { revocable: true });
    const issue = async () => {
      const { link, credentialIds } = await prepareOffer(service.url, [revocable]);
      const session = await openSession(link);
      const holders = [newHolder()];
      const fetch = async () => answered(200, await requestCredential(session, { holders }));
      await fetch();
      return { id: credentialIds[0] ?? '', fetch };
    };
    const [lost, kept] = [await issue(), await issue()];
    expect(answered(200, await get(`${service.url}/v0/credentials/${kept.id}`))['signingKeyId']).toBe(first);
    await ring.rotate('ES256');
    const second = ring.activeKey('ES256').kid;
    const later = await issue();
    const signed = (signingKeyId: string, others: Json = {}) =>
      listed({ signingKeyId, templateId: revocable, ...others });
    expect(await signed(first)).toEqual([kept.id, lost.id]);
    expect(await signed(second)).toEqual([later.id]);
    // Its wallet did not get the answer, and asks again.
    await lost.fetch();
    expect(await signed(first)).toEqual([kept.id]);
    expect(await signed(second)).toEqual([later.id, lost.id]);
    await lost.fetch();
    const types = await storedEvents(service, `credential-${lost.id}`);
    expect(types).toEqual(['CredentialPrepared', 'CredentialIssued', 'CredentialSignedAgain']);
    expect(await listed({ signingKeyId: randomUUID() })).toEqual([]);
    const earlier = prepared.filter(({ status }) => status === 'Issued').map(({ id }) => id);
    expect(await listed({ signingKeyId: first })).toEqual(expect.arrayContaining([kept.id, ...earlier]));

    // What the runbook does about a revoked key.
    const affected = await listed({ signingKeyId: second, validity: 'Valid' });
    expect(affected).toEqual([later.id, lost.id]);
    const body = { change: 'revoke', credentialIds: affected };
    answered(200, await postJson(`${service.url}/v0/credentials/status_changes`, body));
    expect(await listed({ signingKeyId: second, validity: 'Valid' })).toEqual([]);
    expect(await listed({ signingKeyId: second, validity: 'Revoked' })).toEqual(affected);
    expect(await listed({ validity: 'Revoked' })).toEqual(affected);
    expect(await listed({ validity: 'Valid' })).toEqual([kept.id]);
    expect(await listed({ validity: 'Valid', issuedBefore: moments[end] })).toEqual([]);
    expect(await listed({ validity: 'Suspended', status: 'Issued' })).toEqual([]);
  });

  it('of one offer can be those with a key and a status', async () => {
    const template = await publishedTemplate(service.url, { revocable: true });
    const { offerId, link, credentialIds } = await prepareOffer(service.url, [template]);
    expect(await listed({ offerId, validity: 'Valid' })).toEqual([]);
    await receive(link);
    const signingKeyId = service.app.get(KeyRing, { strict: false }).activeKey('ES256').kid;
    expect(await listed({ offerId, validity: 'Valid', signingKeyId })).toEqual(credentialIds);
    expect(await listed({ offerId, validity: 'Revoked' })).toEqual([]);
    expect(await listed({ offerId, signingKeyId: 'another' })).toEqual([]);
  });

  it('follows a credential from state to state', async () => {
    const { offerId, link, credentialIds } = await prepareOffer(service.url, [first]);
    const inState = async (status: string): Promise<boolean> =>
      (await listed({ status })).includes(credentialIds[0]) && (await listed({ status, offerId })).length === 1;
    expect([await inState('Prepared'), await inState('Issued')]).toEqual([true, false]);
    await receive(link);
    expect([await inState('Prepared'), await inState('Issued')]).toEqual([false, true]);
  });

  it('of one offer accepts the other filters', async () => {
    const { offerId } = await prepareOffer(service.url, [first, second]);
    expect(await listed({ offerId })).toHaveLength(2);
    expect(await listed({ offerId, templateId: second, status: 'Prepared' })).toHaveLength(1);
    expect(await listed({ offerId, templateId: second, status: 'Issued' })).toEqual([]);
    const body = { offerId: randomUUID(), templateId: first, credential: { credentialSubject: {} } };
    answered(201, await postJson(`${service.url}/v0/credentials`, body));
    expect(await listed({ offerId: body.offerId })).toHaveLength(1);
  });
});
