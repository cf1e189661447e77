import { invite } from '../../examples/demo/invitation';
import { Portal as DemoPortal } from '../../examples/demo/portal';
import { libraryCard } from '../../examples/portal/library-card';
import { Portal } from '../../examples/portal/portal';
import { OpenApiDocument, type Operation } from '../support/openapi/document';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { serviceOfFile } from '../support/service/service-of-file';
import { openSession, receive, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();

describe('the explorer of the management API', () => {
  it('is a page that loads everything from this service, which its Content-Security-Policy enforces', async () => {
    const page = await get(`${service.url}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses).toHaveLength(3);
    for (const address of addresses) {
      const url = new URL(address, `${service.url}/docs`);
      expect(url.origin).toBe(service.url);
      const asset = await get(url.href);
      expect([asset.status, asset.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^text\/(css|javascript); charset=utf-8$/),
      ]);
      expect(asset.text.length).toBeGreaterThan(50);
    }
  });

  it('opens the document of this service', async () => {
    const { text } = await get(`${service.url}/docs/start.js`);
    const [, url = ''] = /url: '([^']+)'/.exec(text) ?? [];
    expect((await get(new URL(url, `${service.url}/docs`).href)).json['openapi']).toBe('3.1.0');
  });

  it.each(['package.json', 'index.js', '..%2Fpackage.json', '__proto__'])('has no file %s', async (name) => {
    expect((await get(`${service.url}/docs/${name}`)).status).toBe(404);
  });
});

/** A request as the explorer fills it in, changed by nobody: the examples of the path and of the body, and nothing else. */
function filledIn({ method, path, parameters, body }: Operation, example: Json | undefined): Promise<Reply> {
  const prefilled = parameters.filter((one) => one.example !== undefined || 'default' in one.schema);
  const values = new Map(prefilled.map(({ name, example: value }) => [name, String(value)]));
  const url = service.url + path.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '');
  if (prefilled.some((one) => one.in !== 'path' && one.example !== undefined))
    throw new Error(`${path} has parameters that nobody has chosen`);
  const headers = body ? { 'content-type': 'application/json' } : {};
  return send(url, { method, headers, ...(body && { body: Buffer.from(JSON.stringify(example)) }) });
}

describe('the examples of the document', () => {
  let operations: ReadonlyMap<string, Operation>;
  beforeAll(async () => {
    const document = new OpenApiDocument((await get(`${service.url}/openapi.json`)).json);
    operations = new Map(document.operations.map((operation) => [operation.id, operation]));
  });

  /** Sends every example of each, one after the other. @returns the last answer */
  async function succeed(...ids: string[]): Promise<Json> {
    let last: Json = {};
    for (const id of ids) {
      const operation = operations.get(id);
      if (!operation) throw new Error(`There is no operation ${id}.`);
      for (const example of operation.body?.examples ?? [undefined]) {
        const answer = await filledIn(operation, example);
        if (answer.status >= 400) throw new Error(`${id} answered ${answer.status}: ${answer.text}`);
        last = answer.json;
      }
    }
    return last;
  }

  it('are one story: each names what an earlier one has created, from the template to the revocation', async () => {
    await succeed(
      'createTemplate',
      'getTemplate',
      'listTemplates',
      'changeTemplate',
      'publishTemplate',
      'duplicateTemplate',
    );
    await succeed('listCredentialConfigurations', 'getCredentialConfiguration');
    await succeed('openOffer', 'prepareCredential', 'prepareCredentials', 'listCredentials', 'getCredential');
    await succeed('getOffer', 'getOfferQrSvg', 'getOfferQrPng', 'listOffers');
    const { credentialOffer } = answered(200, await get(`${service.url}/v0/offers/order-4711`));
    await receive(String(credentialOffer));
    await succeed('suspendCredential', 'reinstateCredential', 'revokeCredential', 'changeCredentialStatuses');
    await succeed('askForPresentation', 'getAuthorizationRequest', 'getAuthorizationRequestQrSvg');
    await succeed('listAuthorizationRequests', 'eraseAuthorizationRequestPersonalData', 'eraseCredentialPersonalData');
    const { items } = await succeed('listWebhooks', 'showConfiguration', 'listAudit');
    expect(items).not.toEqual([]);
  });
});

const erika = { given_name: 'Erika', card_number: 4711 };

describe('the demo that stays', () => {
  it('prints an offer that is open, its page, and what to do next', async () => {
    const printed = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    await invite(new DemoPortal(service.url), service.url);
    const text = printed.mock.calls.join('');
    printed.mockRestore();
    const [, link = ''] = /link +(\S+)/.exec(text) ?? [];
    const [, page = ''] = /page +(\S+)/.exec(text) ?? [];
    expect((await get(page)).text).toContain('Your credential is ready');
    expect(await receive(link)).toHaveLength(1);
    for (const command of text.matchAll(/curl (\S+)/g)) answered(200, await get(command[1] ?? ''));
    expect(text).toContain('▄▄▄▄▄▄▄');
  });
});

describe('the portal of the tutorial', () => {
  it('issues from its template, hears that a wallet keeps the credential, and revokes it', async () => {
    const portal = new Portal(service.url);
    // As at every start of a portal.
    for (const template of [libraryCard, libraryCard]) await portal.describe(template);
    const card = { offerId: 'card-1', templateId: 'library-card', credential: { credentialSubject: erika } };
    const { credentialId, credentialOffer } = await portal.offer(card);
    expect((await portal.offer(card)).credentialId).toBe(credentialId);
    const wallet = await openSession(String(credentialOffer));
    const { notification_id } = answered(200, await requestCredential(wallet));
    const report = { notification_id, event: 'credential_accepted' };
    const authorization = `Bearer ${wallet.accessToken}`;
    answered(204, await postJson(String(wallet.metadata['notification_endpoint']), report, { authorization }));
    for await (const accepted of portal.accepted()) {
      expect(accepted).toBe(credentialId);
      break;
    }
    await portal.revoke(credentialId, 'The card was lost.');
    expect(await portal.read(credentialId)).toMatchObject({ status: 'Accepted', validity: 'Revoked' });
  });

  it('reads in an error what is wrong', async () => {
    const unknown = { offerId: 'card-2', templateId: 'unknown', credential: { credentialSubject: {} } };
    await expect(new Portal(service.url).offer(unknown)).rejects.toThrow(/unknown/);
  });
});

describe('the console', () => {
  it('has a page that loads its files from here, whatever the path of the public URL', async () => {
    const page = await get(`${service.url}/console`);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses).toEqual(['console/icon.svg', 'console/style.css', 'console/console.js']);
    for (const address of addresses) {
      const asset = await get(new URL(address, `${service.url}/console`).href);
      expect(asset.status).toBe(200);
      expect(asset.headers.get('content-type')).toMatch(/^(image\/svg\+xml|text\/(css|javascript); charset=utf-8)$/);
    }
  });

  it('gives the licences of what is bundled in it, and no other file', async () => {
    const licences = await get(`${service.url}/console/licences.txt`);
    expect(licences.text).toContain('preact');
    for (const name of ['index.html', 'console.js.map', '..%2Fserver%2Fsrc%2Fmain.js', '__proto__']) {
      expect((await get(`${service.url}/console/${name}`)).status).toBe(404);
    }
  });
});
