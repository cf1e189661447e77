import { catalogue } from '@app/primitives/src/problems/catalogue';
import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { offerState, prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { readOffer, redeem } from '../support/wallets/wallet';

const service = serviceOfFile();
let membership: string;
beforeAll(async () => {
  membership = await publishedTemplate(service.url);
});

const credential = { credentialSubject: { given_name: 'Erika' } };

async function listed(path: string): Promise<unknown> {
  return answered(200, await get(`${service.url}/v0/${path}?limit=200`))['items'];
}

describe('what conflicts with the current state', () => {
  const prepare = (body: Json): Promise<Reply> =>
    postJson(`${service.url}/v0/credentials`, { templateId: membership, credential, ...body });

  it('is a second credential of one configuration in one offer', async () => {
    const offerId = randomUUID();
    answered(201, await prepare({ offerId }));
    expectProblem(await prepare({ offerId }), 409, 'conflict');
  });

  it('is a credential id that is taken', async () => {
    const credentialId = randomUUID();
    answered(201, await prepare({ offerId: randomUUID(), credentialId }));
    const offerId = randomUUID();
    expectProblem(await prepare({ offerId, credentialId }), 409, 'conflict');
    expectProblem(
      await get(`${service.url}/v0/offers/${offerId}`),
      404,
      'missing-credential-offer',
      'Missing Credential Offer',
    );
  });

  it('is a credential for an offer that was redeemed or withdrawn', async () => {
    const redeemed = await prepareOffer(service.url);
    answered(200, await redeem(await readOffer(redeemed.link)));
    const withdrawn = await prepareOffer(service.url);
    await send(`${service.url}/v0/offers/${withdrawn.offerId}`, { method: 'DELETE' });
    for (const { offerId } of [redeemed, withdrawn]) expectProblem(await prepare({ offerId }), 409, 'conflict');
    const reply = await send(`${service.url}/v0/offers/${redeemed.offerId}`, { method: 'DELETE' });
    expectProblem(reply, 409, 'conflict');
    expect(await offerState(service.url, redeemed.offerId)).toBe('Redeemed');
  });

  it('is a second opening of an offer with other templates, or with other options once a wallet has fetched it', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    const open = (terms: Json) => postJson(`${service.url}/v0/offers`, { offerId, ...terms });
    expectProblem(await open({ templateIds: [membership] }), 409, 'conflict');
    answered(200, await open({ expiresIn: 'PT2H' }));
    await readOffer(link);
    for (const terms of [{ txCode: true }, { expiresIn: 'PT1H' }]) {
      expectProblem(await open(terms), 409, 'conflict');
    }
  });

  it('is a second publication', async () => {
    const reply = await postJson(`${service.url}/v0/templates/${membership}/publish`, '');
    expectProblem(reply, 409, 'invalid-template-transition');
  });
});

describe('an unknown resource', () => {
  it.each([
    ['/v0/offers/other', 'missing-credential-offer', 'Missing Credential Offer'],
    ['/v0/offers/other/qr.svg', 'missing-credential-offer', 'Missing Credential Offer'],
    ['/v0/templates/other', 'template-not-found', 'Template Not Found'],
    ['/v0/credential_configurations/other', 'no-credential-configuration-found', 'No Credential Configuration Found'],
    ['/v0/credentials/other', 'not-found', 'Not Found'],
    ['/v0/other', 'not-found', 'Not Found'],
    ['/', 'not-found', 'Not Found'],
    ['/problems/other', 'not-found', 'Not Found'],
    ['/problems/__proto__', 'not-found', 'Not Found'],
  ])('%s is %s', async (path, slug, title) => {
    expectProblem(await get(service.url + path), 404, slug, title);
  });

  it('is answered with 405 when only the method is wrong', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/v0/offers', 'GET, POST'],
      ['PUT', '/v0/credentials/x', 'GET'],
      ['GET', '/v0/templates/x/publish', 'POST'],
      ['POST', '/jwks.json', 'GET'],
    ] as const) {
      const reply = await send(service.url + path, { method });
      expectProblem(reply, 405, 'method-not-allowed');
      expect(reply.headers.get('allow')).toBe(allow);
    }
  });
});

describe('a list', () => {
  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=-1',
    'limit=1.5',
    'limit=',
    'limit=5&limit=6',
    'limit=1e2',
    'limit=0x10',
    'limit=%2050',
    'limit=050',
    'limit=%2B5',
    'cursor=x',
    'cursor=a&cursor=b',
    'cursor=%00',
    `cursor=${'x'.repeat(2000)}`,
  ])('refuses %s', async (query) => {
    for (const path of ['offers', 'credentials', 'templates']) {
      expectProblem(await get(`${service.url}/v0/${path}?${query}`), 400, 'validation-failed');
    }
  });

  it.each([
    'status=Lost',
    'status=Issued&status=Issued',
    'offerId=a&offerId=b',
    `offerId=${'x'.repeat(300)}`,
    'offerId=%00',
    'templateId=%00',
  ])('of credentials refuses %s', async (query) => {
    expectProblem(await get(`${service.url}/v0/credentials?${query}`), 400, 'validation-failed');
  });

  it('pages through everything', async () => {
    const seen: unknown[] = [];
    for (let cursor = ''; ;) {
      const page = answered(200, await get(`${service.url}/v0/offers?limit=3${cursor}`));
      seen.push(...(page['items'] as Json[]).map(({ offerId }) => offerId));
      if (page['nextCursor'] === null) break;
      cursor = `&cursor=${encodeURIComponent(page['nextCursor'] as string)}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(((await listed('offers')) as unknown[]).length);
  });
});

describe('the page behind the type of a problem', () => {
  it('explains every problem of the catalogue', async () => {
    for (const slug of Object.keys(catalogue)) {
      const page = await get(`${service.url}/problems/${slug}`);
      expect([slug, page.status, page.headers.get('content-type')]).toEqual([slug, 200, 'text/html; charset=utf-8']);
    }
  });

  it('is at the address in the answer', async () => {
    const { type } = (await get(`${service.url}/v0/offers/other`)).json;
    const page = await get(String(type));
    expect(page.status).toBe(200);
    expect(page.text).toContain('Missing Credential Offer');
  });
});
