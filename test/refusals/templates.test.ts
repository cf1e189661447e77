import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile();

type Status = 'Draft' | 'Published' | 'Archived' | 'Deleted';

const at = (id: string): string => `${service.url}/v0/templates/${id}`;

function ask(method: string, url: string, body?: unknown): Promise<Reply> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return send(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

async function templateIn(status: Status, changes: Json = {}): Promise<string> {
  const templateId = randomUUID();
  const body = { templateId, title: 'Membership', format: 'dc+sd-jwt', schema: { type: 'object' }, ...changes };
  answered(201, await postJson(`${service.url}/v0/templates`, body));
  if (status === 'Published') answered(200, await ask('POST', `${at(templateId)}/publish`));
  if (status === 'Archived') answered(200, await ask('POST', `${at(templateId)}/archive`));
  if (status === 'Deleted') answered(204, await ask('DELETE', at(templateId)));
  return templateId;
}

const acts: Record<string, (id: string) => Promise<Reply>> = {
  publish: (id) => ask('POST', `${at(id)}/publish`),
  archive: (id) => ask('POST', `${at(id)}/archive`),
  duplicate: (id) => ask('POST', `${at(id)}/duplicate`),
  change: (id) => ask('PATCH', at(id), { title: 'Other' }),
  delete: (id) => ask('DELETE', at(id)),
};

describe('an invalid transition', () => {
  it.each([
    ['Published', 'publish'],
    ['Published', 'delete'],
    ['Archived', 'archive'],
    ['Archived', 'change'],
  ] as const)('of a template that is %s is rejected: %s', async (status, act) => {
    const id = await templateIn(status);
    const before = await get(at(id));
    expectProblem((await acts[act]?.(id)) ?? before, 409, 'invalid-template-transition', 'Invalid Template Transition');
    const after = await get(at(id));
    expect(after.text).toBe(before.text);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
  });
});

describe('where the data of a template comes from', () => {
  const schema = { type: 'object', properties: { given_name: {}, level: {} } };
  const body = { title: 'Card', format: 'dc+sd-jwt', schema };

  it.each([
    ['a source of another name', { claims: { '/given_name': 'wallet:/name' } }, '/claims/~1given_name'],
    [
      'no source of a claim that the schema requires',
      { claims: { '/level': 'login:/l' }, schema: { ...schema, required: ['given_name'] } },
      '/claims',
    ],
    [
      'an identification by which its claims are not known',
      { claims: { '/level': 'login:/l' }, identification: 'portal' },
      '/identification',
    ],
    ['presented claims without what is presented', { claims: { '/level': 'presentation:/l' } }, '/presentation'],
    [
      'a presentation with a member that is misspelt',
      {
        presentation: {
          credentials: [
            {
              id: 'pid',
              format: 'dc+sd-jwt',
              meta: { vct_values: ['urn:eudi:pid:1'] },
              claims: [{ path: ['given_name'], value: ['Erika'] }],
            },
          ],
        },
      },
      '/presentation/credentials/0/claims/0/value',
    ],
    [
      'a claim that is spelt much like one of the schema',
      { claims: { '/givn_name': 'login:/n' } },
      '/claims/~1givn_name',
    ],
    ['a presentation that is no query', { presentation: { credentials: 'pid' } }, '/presentation/credentials'],
    ['an approval of what the portal submits', { approval: 'manual' }, '/approval'],
  ])('is rejected: %s', async (_what, changes, pointer) => {
    const refused = await postJson(`${service.url}/v0/templates`, { ...body, ...changes });
    expectProblem(refused, 400, 'validation-failed');
    expect((refused.json['violations'] as Json[]).map((fault) => fault['pointer'])).toEqual([pointer]);
  });

  it.each([
    ['no webhook while the settings name no server', { data: 'webhook' }, 'SERVICE__IDENTIFICATION__DATA_URL'],
    ['no login without a provider', { identification: 'openid' }, 'SERVICE__IDENTIFICATION__OPENID__ISSUER'],
  ])('is %s', async (_what, terms, setting) => {
    const refused = await postJson(`${service.url}/v0/templates`, { ...body, ...terms });
    expectProblem(refused, 409, 'setting-missing');
    expect(refused.json['detail']).toContain(setting);
    expect(refused.json['remedy']).toContain('Ask the operator');
  });
});

describe('a template that is not found', () => {
  it('may have been meant under another id', async () => {
    const templateId = `student-card-${randomUUID()}`;
    await templateIn('Draft', { templateId });
    const mistyped = templateId.replace('student', 'studnt');
    const detail = `There is no template with the id ${mistyped}. Did you mean ${templateId}?`;
    expect((await get(at(mistyped))).json['detail']).toBe(detail);
    for (const act of Object.values(acts)) expect((await act(mistyped)).json['detail']).toBe(detail);
    const offered = await postJson(`${service.url}/v0/offers`, { templateIds: [mistyped] });
    expectProblem(offered, 404, 'template-not-found');
    expect(offered.json['detail']).toBe(detail);
  });
});

describe('a deleted template', () => {
  it.each(Object.keys(acts))('is not found: %s', async (act) => {
    const id = await templateIn('Deleted');
    const refused = await acts[act]?.(id);
    expectProblem(refused ?? (await get(at(id))), 404, 'template-not-found', 'Template Not Found');
  });

  it('is not found by any other operation', async () => {
    const id = await templateIn('Deleted');
    expectProblem(await get(at(id)), 404, 'template-not-found');
    const credential = { offerId: randomUUID(), credential: { credentialSubject: {} } };
    const prepare = (named: Json) => postJson(`${service.url}/v0/credentials`, { ...credential, ...named });
    expectProblem(await prepare({ templateId: id }), 404, 'template-not-found');
    expectProblem(await prepare({ credentialConfigurationId: id }), 404, 'no-credential-configuration-found');
    expectProblem(await postJson(`${service.url}/v0/offers`, { templateIds: [id] }), 404, 'template-not-found');
    const configuration = await get(`${service.url}/v0/credential_configurations/${id}`);
    expectProblem(configuration, 404, 'no-credential-configuration-found');
  });

  it('keeps its id', async () => {
    const id = await templateIn('Deleted');
    const body = { templateId: id, title: 'Again', format: 'dc+sd-jwt', schema: { type: 'object' } };
    expectProblem(await postJson(`${service.url}/v0/templates`, body), 409, 'conflict');
    expectProblem(await ask('POST', `${at(await templateIn('Draft'))}/duplicate`, { templateId: id }), 409, 'conflict');
  });
});

describe('a change is rejected, with nothing stored, for', () => {
  it.each<[string, Json, string]>([
    ['another format', { format: 'jwt_vc_json' }, '/format'],
    ['the same format', { format: 'dc+sd-jwt' }, '/format'],
    ['format null', { format: null }, '/format'],
    ['a data model', { dataModel: 'sd-jwt-vc' }, '/dataModel'],
    ['another id', { templateId: 'other' }, '/templateId'],
    ['a status', { status: 'Archived' }, '/status'],
    ['title null', { title: null }, '/title'],
    ['expiration null', { expiration: null }, '/expiration'],
    ['signingAlgorithm null', { signingAlgorithm: null }, '/signingAlgorithm'],
    ['a type for an SD-JWT VC', { type: ['VerifiableCredential'] }, '/type'],
    ['an invalid expiration', { expiration: 'soon' }, '/expiration'],
    ['a claim that must be visible', { selectivelyDisclosable: ['/iss'] }, '/selectivelyDisclosable/0'],
    [
      'a logo that is an SVG',
      { display: [{ name: 'x', logo: { uri: 'data:image/svg+xml,%3Csvg/%3E' } }] },
      '/display/0/logo/uri',
    ],
    ['a logo that is no address', { display: [{ name: 'x', logo: { uri: 'x' } }] }, '/display/0/logo/uri'],
    ['an unknown member', { colour: 'red' }, '/colour'],
  ])('%s', async (_what, changes, pointer) => {
    const id = await templateIn('Published');
    const before = await get(at(id));
    const reply = await ask('PATCH', at(id), { title: 'Changed', ...changes });
    expectProblem(reply, 400, 'validation-failed', 'Validation Failed');
    expect(new Set((reply.json['violations'] as Json[]).map((one) => one['pointer']))).toEqual(new Set([pointer]));
    expect((await get(at(id))).text).toBe(before.text);
  });

  it('what does not fit the stored format, every fault at once', async () => {
    const changes = { type: ['VerifiableCredential'], selectivelyDisclosable: ['/iss'] };
    const reply = await ask('PATCH', at(await templateIn('Draft')), changes);
    expectProblem(reply, 400, 'validation-failed', 'Validation Failed');
    expect(reply.json).toMatchObject({ violations: [{ pointer: '/type' }, { pointer: '/selectivelyDisclosable/0' }] });
  });

  it('an unsafe schema', async () => {
    const id = await templateIn('Draft');
    const schema = { type: 'object', patternProperties: { '^(a|a)*$': {} } };
    const reply = await ask('PATCH', at(id), { title: 'Changed', schema });
    expectProblem(reply, 400, 'invalid-template-schema', 'Invalid Template Schema');
    expect(reply.json['violations']).toMatchObject([{ pointer: '/schema/patternProperties/^(a|a)*$' }]);
    expect((await get(at(id))).json).toMatchObject({ title: 'Membership', schema: { type: 'object' } });
  });

  it.each([null, [{ type: 'object' }]])('a schema that is no object: %j', async (schema) => {
    const id = await templateIn('Published');
    const reply = await ask('PATCH', at(id), { title: 'Changed', schema });
    const created = await postJson(`${service.url}/v0/templates`, { title: 'Badge', format: 'dc+sd-jwt', schema });
    for (const refused of [reply, created]) {
      expectProblem(refused, 400, 'invalid-template-schema', 'Invalid Template Schema');
      expect(refused.json['violations']).toMatchObject([{ pointer: '/schema' }]);
    }
    expect((await get(at(id))).json).toMatchObject({ title: 'Membership', schema: { type: 'object' } });
  });

  it('a body of another media type', async () => {
    const reply = await send(at(await templateIn('Draft')), { method: 'PATCH', body: 'title=x' });
    expectProblem(reply, 415, 'unsupported-media-type');
  });
});

describe('a copy is rejected', () => {
  it('under an id that is taken', async () => {
    const id = await templateIn('Draft');
    for (const templateId of [id, quickStart]) {
      expectProblem(await ask('POST', `${at(id)}/duplicate`, { templateId }), 409, 'conflict');
    }
  });

  it('for unknown members', async () => {
    const reply = await ask('POST', `${at(await templateIn('Draft'))}/duplicate`, { status: 'Published' });
    expectProblem(reply, 400, 'validation-failed');
  });
});

describe('a data model of another format', () => {
  it.each([
    ['dc+sd-jwt', 'open-badges-3.0'],
    ['dc+sd-jwt', 'w3c-vc-1.1'],
    ['jwt_vc_json', 'sd-jwt-vc'],
    ['jwt_vc_json', 'open-badges-2.0'],
  ])('%s with %s is rejected', async (format, dataModel) => {
    const body = { title: 'Badge', schema: { type: 'object' }, format, dataModel };
    const reply = await postJson(`${service.url}/v0/templates`, body);
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toMatchObject([{ pointer: '/dataModel' }]);
  });
});

describe('a credential configuration', () => {
  const configuration = (id: string): string => `${service.url}/v0/credential_configurations/${id}`;
  const update = 'Update Provisioned Credential Configuration Error';

  it.each([
    ['PUT', 'update-provisioned-credential-configuration', update],
    ['PATCH', 'update-provisioned-credential-configuration', update],
    ['DELETE', 'remove-provisioned-credential-configuration', 'Remove Provisioned Credential Configuration Error'],
  ])('rejects %s', async (method, slug, title) => {
    const ofTemplate = await publishedTemplate(service.url);
    for (const body of [undefined, { format: 'dc+sd-jwt' }]) {
      for (const id of [quickStart, ofTemplate]) {
        const before = await get(configuration(id));
        const reply = await ask(method, configuration(id), body);
        if (id === quickStart) expectProblem(reply, 400, slug, title);
        else expectProblem(reply, 409, 'managed-by-template', 'Managed By Template');
        expect((await get(configuration(id))).text).toBe(before.text);
      }
    }
    for (const id of ['other', await templateIn('Draft'), await templateIn('Archived')]) {
      const reply = await ask(method, configuration(id));
      expectProblem(reply, 404, 'no-credential-configuration-found', 'No Credential Configuration Found');
    }
  });
});

describe('a list of templates', () => {
  it.each(['Deleted', 'draft', '', 'Draft&status=Archived'])('rejects the status %j', async (status) => {
    const reply = await get(`${service.url}/v0/templates?status=${status}`);
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toMatchObject([{ pointer: '/status' }]);
  });
});
