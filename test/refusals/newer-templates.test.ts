import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { foreignJwtVc } from '../support/presenters/credentials';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { credentialStatus, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { rewrite } from '../support/service/stored-template';
import { openSession, readMetadata, requestCredential } from '../support/wallets/wallet';

/** Templates as a newer version would have stored them: this one does not know their format or data model. */
const service = serviceOfFile();

const unknownFormat = { format: 'mso_sealed', dataModel: 'sealed' };
const unknownModel = { format: 'jwt_vc_json', dataModel: 'w3c-vc-2.0' };

async function newerTemplate(content: Json): Promise<string> {
  const templateId = await publishedTemplate(service.url);
  await rewrite(service, templateId, content);
  return templateId;
}

const unknownDialect = {
  $schema: 'https://json-schema.org/draft/2031-01/schema',
  properties: { given_name: { const: 'Erika' } },
};
const schemaProblem = ['invalid-template-schema', 'Invalid Template Schema'] as const;

const issuer = newHolder('ES256', 'did:jwk');
const signed = foreignJwtVc(issuer, issuer);
const unsigned = { credentialSubject: { given_name: 'Erika' } };

async function listed(path: string): Promise<unknown> {
  return answered(200, await get(`${service.url}/v0/${path}?limit=200`))['items'];
}

const formatProblem = ['unsupported-credential-format', 'Unsupported Credential Format'] as const;
const configurationProblem = [
  'unsupported-credential-configuration-format',
  'Unsupported Credential Configuration Format',
] as const;

describe('a credential of a template that a newer version stored', () => {
  it.each([
    ['unsigned, in an unknown format', unsigned, unknownFormat, formatProblem],
    ['unsigned, in an unknown data model', unsigned, unknownModel, formatProblem],
    ['unsigned, in a data model of another format', unsigned, { dataModel: 'open-badges-3.0' }, formatProblem],
    ['unsigned, under a name of another kind', unsigned, { issuerIdentifier: 'x509' }, formatProblem],
    ['unsigned, about another kind of subject', unsigned, { subject: 'herd' }, formatProblem],
    ['unsigned and faulty, in an unknown format', {}, unknownFormat, formatProblem],
    ['signed, for an unknown format', signed, unknownFormat, configurationProblem],
    ['signed and unreadable, for an unknown format', 'hello', unknownFormat, configurationProblem],
  ])('is refused: %s', async (_what, credential, content, [slug, title]) => {
    const templateId = await newerTemplate(content);
    const before = [await listed('credentials'), await listed('offers')];
    for (const named of [{ templateId }, { credentialConfigurationId: templateId }]) {
      const reply = await postJson(`${service.url}/v0/credentials`, { offerId: randomUUID(), credential, ...named });
      expectProblem(reply, 500, slug, title);
      expect(reply.json['instance']).toBe('/v0/credentials');
    }
    expect([await listed('credentials'), await listed('offers')]).toEqual(before);
  });

  it('is refused in a batch, the others are not', async () => {
    const credentials = [await newerTemplate(unknownFormat), await publishedTemplate(service.url)].map(
      (templateId) => ({ offerId: randomUUID(), templateId, credential: unsigned }),
    );
    const { items } = answered(200, await postJson(`${service.url}/v0/credentials/batch`, { credentials }));
    expect(items).toMatchObject([{ status: 500, problem: { title: formatProblem[1] } }, { status: 201 }]);
  });

  it('is refused when this version cannot compile the schema', async () => {
    const templateId = await newerTemplate({ schema: unknownDialect });
    const before = [await listed('credentials'), await listed('offers')];
    const body = { offerId: randomUUID(), templateId, credential: unsigned };
    const reply = await postJson(`${service.url}/v0/credentials`, body);
    expectProblem(reply, 400, ...schemaProblem);
    expect(reply.json['detail']).toContain(templateId);
    const { items } = answered(200, await postJson(`${service.url}/v0/credentials/batch`, { credentials: [body] }));
    expect(items).toMatchObject([{ status: 400, problem: { title: schemaProblem[1] } }]);
    expect([await listed('credentials'), await listed('offers')]).toEqual(before);
  });

  it('is accepted unchanged when it was signed elsewhere in a known format', async () => {
    const { offerId } = await prepareOffer(service.url, []);
    const templateId = await newerTemplate(unknownModel);
    answered(201, await postJson(`${service.url}/v0/credentials`, { offerId, templateId, credential: signed }));
  });
});

describe('a template that a newer version stored', () => {
  const at = (templateId: string): string => `${service.url}/v0/templates/${templateId}`;

  it('cannot be offered', async () => {
    const before = await listed('offers');
    const reply = await postJson(`${service.url}/v0/offers`, { templateIds: [await newerTemplate(unknownFormat)] });
    expectProblem(reply, 500, ...configurationProblem);
    expect(await listed('offers')).toEqual(before);
  });

  it('cannot be offered publicly when this version cannot compile the schema, until that is changed', async () => {
    const templateId = await newerTemplate({ schema: unknownDialect });
    const open = () => postJson(`${service.url}/v0/offers`, { templateIds: [templateId], public: true });
    expectProblem(await open(), 400, ...schemaProblem);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ schema: { properties: { event: { const: 'Open day' } } } });
    answered(200, await send(at(templateId), { method: 'PATCH', headers, body }));
    answered(201, await open());
  });

  it.each([unknownFormat, unknownModel])('is neither changed nor copied: %j', async (content) => {
    const templateId = await newerTemplate(content);
    const before = [await listed('templates'), (await get(at(templateId))).headers.get('etag')];
    const headers = { 'content-type': 'application/json' };
    const change = await send(at(templateId), { method: 'PATCH', headers, body: '{"title":"Mine"}' });
    expectProblem(change, 500, ...configurationProblem);
    expectProblem(await postJson(`${at(templateId)}/duplicate`, ''), 500, ...configurationProblem);
    expect([await listed('templates'), (await get(at(templateId))).headers.get('etag')]).toEqual(before);
  });

  it('is shown unchanged, and can be archived', async () => {
    const templateId = await newerTemplate(unknownFormat);
    expect((await get(at(templateId))).json).toMatchObject(unknownFormat);
    const configuration = await get(`${service.url}/v0/credential_configurations/${templateId}`);
    expect(answered(200, configuration)).toMatchObject(unknownFormat);
    answered(200, await postJson(`${at(templateId)}/archive`, ''));
  });

  it('is the only configuration that wallets miss', async () => {
    const templateId = await publishedTemplate(service.url);
    const known = async () => {
      // The list of configurations may be a second old.
      await delay(1100);
      const documents = [
        await readMetadata(`${service.url}/openid4vci`, 'final'),
        await readMetadata(`${service.url}/openid4vci`, 'draft-13'),
      ];
      return documents.map((one) => Object.keys(one['credential_configurations_supported'] as Json));
    };
    for (const ids of await known()) expect(ids).toEqual(expect.arrayContaining([quickStart, templateId]));
    await rewrite(service, templateId, unknownFormat);
    for (const ids of await known()) {
      expect(ids).toContain(quickStart);
      expect(ids).not.toContain(templateId);
    }
  });
});

describe('a wallet with an offer of such a template', () => {
  it.each([
    ['F', unknownFormat],
    ['L13', unknownFormat],
    ['F', { dataModel: 'sd-jwt-vc-2' }],
  ] as const)('is denied the credential, which stays Prepared (%s, %j)', async (requestClass, content) => {
    const templateId = await publishedTemplate(service.url);
    const { offerId, link, credentialIds } = await prepareOffer(service.url, [templateId]);
    const session = await openSession(link, requestClass);
    await rewrite(service, templateId, content);
    expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect((timeline as Json[]).find(({ step }) => step === 'credential denied')).toMatchObject({
      detail: expect.stringContaining('update the service') as unknown,
    });
    expect(await credentialStatus(service.url, credentialIds[0] ?? '')).toBe('Prepared');
  });

  it('is denied what a public offer promised when this version cannot compile the schema', async () => {
    const templateId = await publishedTemplate(service.url, {
      schema: { properties: { given_name: { const: 'Erika' } } },
    });
    const body = { templateIds: [templateId], public: true };
    const { offerId, credentialOffer } = answered(201, await postJson(`${service.url}/v0/offers`, body));
    const session = await openSession(String(credentialOffer));
    await rewrite(service, templateId, { schema: unknownDialect });
    expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${String(offerId)}`));
    expect((timeline as Json[]).at(-1)).toMatchObject({
      detail: `The schema of the template ${templateId} cannot be used by this version of the service: change it.`,
    });
  });

  it('gets a credential that was signed elsewhere, whatever its data model', async () => {
    const templateId = await publishedTemplate(service.url, { format: 'jwt_vc_json', vct: undefined });
    const { link } = await prepareOffer(service.url, [templateId], {}, { credential: signed });
    const session = await openSession(link);
    await rewrite(service, templateId, unknownModel);
    answered(200, await requestCredential(session, { holders: [issuer] }));
  });
});
