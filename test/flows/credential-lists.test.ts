import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { receive } from '../support/wallets/wallet';

let service: RunningService;
let first: string;
let second: string;
/** Of each template seven credentials, every second one issued; and one of a provisioned configuration. */
const prepared: { readonly id: string; readonly templateId: string | undefined; readonly status: string }[] = [];

beforeAll(async () => {
  service = await startService();
  first = await publishedTemplate(service.url);
  second = await publishedTemplate(service.url);
  for (let count = 0; count < 14; count++) {
    const templateId = count % 2 === 0 ? first : second;
    const status = count % 4 < 2 ? 'Issued' : 'Prepared';
    const { link, credentialIds } = await prepareOffer(service.url, [templateId]);
    if (status === 'Issued') await receive(link);
    prepared.unshift({ id: credentialIds[0] ?? '', templateId, status });
  }
  const { credentialIds } = await prepareOffer(service.url, [quickStart]);
  prepared.unshift({ id: credentialIds[0] ?? '', templateId: undefined, status: 'Prepared' });
}, 60_000);
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
