import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { degree, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { reachThroughProxy } from '../support/http/public-address';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { readMetadata, receive } from '../support/wallets/wallet';
import { readJwt } from '../support/wallets/credentials';

const publicUrl = 'https://names.example/base';
const names = { did: 'did:web:names.example:base', https: `${publicUrl}/openid4vci` };
const w3c = { format: 'jwt_vc_json', vct: undefined };

let service: RunningService;
let asUrl: RunningService;
beforeAll(async () => {
  service = await startService({ SERVICE__APPLICATION_URL: publicUrl });
  asUrl = await startService({ SERVICE__ISSUER__SD_JWT_IDENTIFIER: 'https' });
  reachThroughProxy(publicUrl, { listenerOf: () => service.url });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all([service.stop(), asUrl.stop()]);
});

/** Header and payload of a credential of the template. */
async function issued(url: string, templateId: string) {
  const [credential = ''] = await receive((await prepareOffer(url, [templateId])).link);
  return readJwt(credential.split('~')[0] ?? '');
}

describe.each(['did', 'https'] as const)('credentials that are issued under a name of kind %s', (kind) => {
  it.each([
    ['an SD-JWT VC', {}],
    ['a W3C credential', w3c],
  ])('name their issuer, of which the metadata say nothing: %s', async (_, format) => {
    const id = await publishedTemplate(service.url, { ...format, issuerIdentifier: kind });
    const { header, payload } = await issued(service.url, id);
    expect(payload['iss']).toBe(names[kind]);
    expect(header['kid']).toMatch(kind === 'did' ? /^did:web:names\.example:base#[\w-]{43}$/ : /^[\w-]{43}$/);
    for (const generation of ['final', 'draft-13'] as const) {
      const metadata = await readMetadata(`${publicUrl}/openid4vci`, generation);
      expect((metadata['credential_configurations_supported'] as Json)[id]).not.toHaveProperty('iss');
    }
    const path = `/v0/credential_configurations/${id}`;
    expect(answered(200, await get(service.url + path))).toMatchObject({ issuerIdentifier: kind });
  });

  it('are verified by the service itself', async () => {
    const holdings = await receiveHoldings(service.url, { given_name: 'Erika' }, kind);
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard, degree] } });
    const received = await receiveRequest(asked);
    answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card', 'degree']) }));
    const own = { issuer: names[kind], trust: 'trusted' };
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', credentials: [own, own] });
  });
});

describe('a template without an issuer identifier', () => {
  it.each([
    ['an SD-JWT VC, as the setting says', {}, /^http:/],
    ['a W3C credential, by DID', w3c, /^did:jwk:/],
  ])('issues %s', async (_, format, name) => {
    const id = await publishedTemplate(asUrl.url, format);
    const { payload } = await issued(asUrl.url, id);
    expect(payload['iss']).toMatch(name);
    const metadata = await readMetadata(`${asUrl.url}/openid4vci`, 'final');
    expect((metadata['credential_configurations_supported'] as Json)[id]).not.toHaveProperty('iss');
    expect(answered(200, await get(`${asUrl.url}/v0/templates/${id}`))).not.toHaveProperty('issuerIdentifier');
  });

  it('may get one later, and lose it again', async () => {
    const id = await publishedTemplate(asUrl.url);
    const choose = async (issuerIdentifier: string | null): Promise<unknown> => {
      const body = JSON.stringify({ issuerIdentifier });
      const headers = { 'content-type': 'application/json' };
      answered(200, await send(`${asUrl.url}/v0/templates/${id}`, { method: 'PATCH', headers, body }));
      return (await issued(asUrl.url, id)).payload['iss'];
    };
    expect(await choose('did')).toMatch(/^did:jwk:/);
    expect(await choose(null)).toBe(`${asUrl.url}/openid4vci`);
  });

  it('keeps it in a copy', async () => {
    const id = await publishedTemplate(asUrl.url, { issuerIdentifier: 'did', subject: 'thing' });
    const copy = answered(201, await postJson(`${asUrl.url}/v0/templates/${id}/duplicate`, ''));
    expect(copy).toMatchObject({ issuerIdentifier: 'did', subject: 'thing' });
  });
});
