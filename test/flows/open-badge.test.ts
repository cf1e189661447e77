import { badge, subject } from '../support/portal/open-badges';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { receive } from '../support/wallets/wallet';

let service: RunningService;
let templateId: string;
beforeAll(async () => {
  service = await startService();
  templateId = await publishedTemplate(service.url, {
    format: 'jwt_vc_json',
    dataModel: 'open-badges-3.0',
    vct: undefined,
    schema: { type: 'object' },
  });
});
afterAll(() => service.stop());

function handIn(credential: Json, offerId: string = crypto.randomUUID()) {
  return postJson(`${service.url}/v0/credentials`, { offerId, templateId, credential });
}

describe('an Open Badge 3.0', () => {
  it('reaches the wallet with its context, types and members', async () => {
    const offerId = crypto.randomUUID();
    const evidence = [{ id: 'https://badges.example/evidence/1', type: ['Evidence'] }];
    const { credentialId } = answered(201, await handIn({ ...badge, evidence }, offerId));
    const offer = answered(200, await postJson(`${service.url}/v0/offers`, { offerId }));
    const [credential = ''] = await receive(String(offer['credentialOffer']));
    const { vc } = JSON.parse(Buffer.from(credential.split('.')[1] ?? '', 'base64url').toString()) as { vc: Json };
    expect(vc).toMatchObject({
      '@context': ['https://www.w3.org/2018/credentials/v1', expect.stringContaining('ob/v3p0')],
      id: badge.id,
      type: ['VerifiableCredential', 'OpenBadgeCredential'],
      name: 'Teamwork',
      evidence,
      issuer: { id: expect.stringMatching(/^did:/), type: ['Profile'] },
      credentialSubject: subject,
    });
    expect(answered(200, await get(`${service.url}/v0/credentials/${String(credentialId)}`))['credential']).toEqual({
      ...badge,
      evidence,
      name: 'Teamwork',
    });
  });

  it('is claimed from a public offer of a template whose schema allows one badge alone', async () => {
    const of = (claims: Json) => ({
      type: 'object',
      properties: Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, { const: value }])),
    });
    const publicOffer = async (claims: Json) => {
      const type = ['VerifiableCredential', 'OpenBadgeCredential'];
      const id = await publishedTemplate(service.url, {
        format: 'jwt_vc_json',
        vct: undefined,
        type,
        schema: of(claims),
      });
      return postJson(`${service.url}/v0/offers`, { public: true, templateIds: [id] });
    };
    const offer = answered(201, await publicOffer(subject));
    const [credential = ''] = await receive(String(offer['credentialOffer']));
    const { vc } = JSON.parse(Buffer.from(credential.split('.')[1] ?? '', 'base64url').toString()) as { vc: Json };
    expect(vc).toMatchObject({ id: expect.stringMatching(/^urn:uuid:/), name: 'Teamwork', credentialSubject: subject });
    expect((await publicOffer({ given_name: 'Erika' })).status).toBe(422);
  });
});
