import type { Repository } from '@app/event-store';
import { type Template, type TemplateEvent, TEMPLATES } from '@app/templates/src/template/template';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { readMetadata, receive } from '../support/wallets/wallet';
import { contentOf } from '../support/wallets/credentials';

const service = serviceOfFile();

const draft = {
  title: 'Membership',
  description: 'Of the library',
  tags: ['library'],
  format: 'dc+sd-jwt',
  schema: { type: 'object', properties: { given_name: { type: 'string' } } },
  display: [{ name: 'Membership', locale: 'en' }],
};

const at = (id: string): string => `${service.url}/v0/templates/${id}`;
const read = (id: string): Promise<Reply> => get(at(id));
const act = (id: string, name: string, body: unknown = ''): Promise<Reply> => postJson(`${at(id)}/${name}`, body);
const remove = (id: string): Promise<Reply> => send(at(id), { method: 'DELETE' });
function patch(id: string, body: Json, headers: Record<string, string> = {}): Promise<Reply> {
  const type = { 'content-type': 'application/json' };
  return send(at(id), { method: 'PATCH', headers: { ...type, ...headers }, body: JSON.stringify(body) });
}
async function created(changes: Json = {}): Promise<string> {
  return String(answered(201, await postJson(`${service.url}/v0/templates`, { ...draft, ...changes }))['templateId']);
}
async function listed(query = ''): Promise<string[]> {
  const page = answered(200, await get(`${service.url}/v0/templates?limit=200${query}`));
  return (page['items'] as Json[]).map(({ templateId }) => String(templateId));
}
const configurationStatus = async (id: string): Promise<number> =>
  (await get(`${service.url}/v0/credential_configurations/${id}`)).status;
/** Who changes a template waits, after reading it, until so many have read it. */
function meetAfterReading(portals: number): jest.SpyInstance {
  const templates = service.app.get<Repository<Template, TemplateEvent>>(TEMPLATES);
  const update = templates.update.bind(templates);
  let arrived = 0;
  let open = (): void => undefined;
  const all = new Promise<void>((resolve) => (open = resolve));
  return jest.spyOn(templates, 'update').mockImplementation((id, decide, options) => {
    const decideTogether: typeof decide = async (loaded) => {
      if (++arrived === portals) open();
      await all;
      return decide(loaded);
    };
    return update(id, decideTogether, options);
  });
}
const documentAt = (vct: unknown): Promise<Reply> => get(String(vct));

describe('a template', () => {
  it('is published, archived, published again, archived and deleted', async () => {
    const id = await created();
    for (const [name, status, configuration] of [
      ['publish', 'Published', 200],
      ['archive', 'Archived', 404],
      ['publish', 'Published', 200],
      ['archive', 'Archived', 404],
    ] as const) {
      expect(answered(200, await act(id, name))).toMatchObject({ templateId: id, status, version: 1 });
      expect(await configurationStatus(id)).toBe(configuration);
      expect(await listed(`&status=${status}`)).toContain(id);
      const metadata = await readMetadata(`${service.url}/openid4vci`, 'final');
      expect(Object.keys(metadata['credential_configurations_supported'] as Json).includes(id)).toBe(
        configuration === 200,
      );
    }
    expect(await remove(id)).toMatchObject({ status: 204, text: '' });
    for (const status of ['', '&status=Draft', '&status=Published', '&status=Archived']) {
      expect(await listed(status)).not.toContain(id);
    }
  });

  it('is archived or deleted while it is a Draft', async () => {
    const [archived, deleted] = [await created(), await created()];
    expect(answered(200, await act(archived, 'archive'))).toMatchObject({ status: 'Archived' });
    expect((await remove(deleted)).status).toBe(204);
    expect((await read(deleted)).status).toBe(404);
  });

  it('is not counted in a page once it is deleted', async () => {
    const gone = await created();
    const kept = await created();
    await remove(gone);
    const page = answered(200, await get(`${service.url}/v0/templates?limit=2`));
    expect((page['items'] as Json[]).map(({ templateId }) => templateId)).toEqual([kept, expect.any(String)]);
  });

  it('carries the data model of open badges into its configuration', async () => {
    const id = await created({ format: 'jwt_vc_json', dataModel: 'open-badges-3.0', status: 'Published' });
    expect((await read(id)).json).toMatchObject({ dataModel: 'open-badges-3.0' });
    expect((await get(`${service.url}/v0/credential_configurations/${id}`)).json).toMatchObject({
      dataModel: 'open-badges-3.0',
      type: ['VerifiableCredential', 'OpenBadgeCredential'],
    });
  });
});

describe('a change', () => {
  it('keeps what it leaves out and clears what is null', async () => {
    const id = await created({ vct: 'https://credentials.example/m', selectivelyDisclosable: ['/given_name'] });
    const before = (await read(id)).json;
    expect(answered(200, await patch(id, { title: 'Member', expiration: 'P1Y' }))).toEqual({
      ...before,
      title: 'Member',
      expiration: 'P1Y',
    });
    const cleared = { description: null, tags: null, vct: null, selectivelyDisclosable: null, display: null };
    const after = answered(200, await patch(id, cleared));
    expect(after).toEqual({
      templateId: id,
      status: 'Draft',
      version: 1,
      vct: `${service.url}/vct/${id}/1`,
      title: 'Member',
      tags: [],
      format: 'dc+sd-jwt',
      dataModel: 'sd-jwt-vc',
      expiration: 'P1Y',
      retention: 'keep',
      schema: draft.schema,
      signingAlgorithm: 'ES256',
    });
    expect((await read(id)).json).toEqual(after);
  });

  it('of a Published template keeps the type of its credentials unless claims or disclosure change, or one is asked for', async () => {
    const id = await created({ status: 'Published' });
    const first = `${service.url}/vct/${id}/1`;
    const type = async () => (await read(id)).json['vct'];
    const configured = async () => answered(200, await get(`${service.url}/v0/credential_configurations/${id}`))['vct'];
    expect(await type()).toBe(first);
    const words = { title: 'Club', description: 'New', tags: ['new'], expiration: 'P1Y', revocable: true };
    for (const [name, value] of Object.entries({ ...words, display: [{ name: 'Member', locale: 'en' }] })) {
      answered(200, await patch(id, { [name]: value }));
    }
    expect([await type(), await configured()]).toEqual([first, first]);
    expect((await read(id)).json).toMatchObject({ version: 7 });
    expect((await documentAt(first)).json).toMatchObject({ vct: first, name: 'Member' });
    expect(answered(200, await patch(id, { selectivelyDisclosable: [] }))).toMatchObject({
      vct: `${service.url}/vct/${id}/8`,
    });
    const asked = answered(200, await patch(id, { newType: true }));
    expect([asked['vct'], await configured()]).toEqual(Array(2).fill(`${service.url}/vct/${id}/9`));
    expect((await documentAt(`${service.url}/vct/${id}/7`)).status).toBe(404);
    expect((await documentAt(first)).json).toMatchObject({ vct: first, name: 'Member' });
  });

  it('of a Published template that sends back what was read keeps the hosted type, which still follows the claims', async () => {
    const id = await created({ status: 'Published', selectivelyDisclosable: ['/given_name', '/family_name'] });
    const { vct: first, selectivelyDisclosable, title, schema } = (await read(id)).json;
    const back = { vct: first, selectivelyDisclosable: [...(selectivelyDisclosable as string[])].reverse(), schema };
    expect(answered(200, await patch(id, { ...back, title }))).toMatchObject({ vct: first });
    const changed = { type: 'object', properties: { given_name: { type: 'string', minLength: 1 } } };
    const { vct, version } = answered(200, await patch(id, { ...back, schema: changed }));
    expect(vct).toBe(`${service.url}/vct/${id}/${String(version)}`);
    expect(vct).not.toBe(first);
  });

  it('asks for a new type only where the type is hosted here', async () => {
    const w3c = await created({ format: 'jwt_vc_json', status: 'Published' });
    const own = await created({ vct: 'https://credentials.example/m', status: 'Published' });
    for (const id of [w3c, own]) {
      const reply = await patch(id, { newType: true });
      expectProblem(reply, 400, 'validation-failed');
      expect(reply.json['violations']).toMatchObject([{ pointer: '/newType' }]);
    }
    expect((await read(own)).json).toMatchObject({ version: 1, vct: 'https://credentials.example/m' });
    expect((await read(w3c)).json).toMatchObject({ version: 1, type: ['VerifiableCredential'] });
  });

  it('of the claims makes a type; the earlier type metadata stay, also after its end', async () => {
    const id = await created({ status: 'Published' });
    const { vct: first } = (await read(id)).json;
    const document = await documentAt(first);
    expect(document.json).toMatchObject({ vct: first, name: 'Membership' });
    const schema = { type: 'object', properties: { given_name: { type: 'string', minLength: 1 } } };
    const changed = answered(200, await patch(id, { schema, display: [{ name: 'Member', locale: 'en' }] }));
    const second = String(first).replace(/1$/, '2');
    expect(changed).toMatchObject({ version: 2, status: 'Published', vct: second });
    expect((await documentAt(second)).json).toMatchObject({ vct: second, name: 'Member' });
    expect((await documentAt(first)).text).toBe(document.text);
    const { link } = await prepareOffer(
      service.url,
      [id],
      {},
      { credential: { credentialSubject: { given_name: 'E' } } },
    );
    expect(contentOf((await receive(link))[0] ?? '').payload).toMatchObject({ vct: second });
    answered(200, await act(id, 'archive'));
    await remove(id);
    expect((await documentAt(first)).text).toBe(document.text);
    expect((await documentAt(second)).status).toBe(200);
    for (const version of ['0', '3', '1.0', '01', 'x']) {
      expect((await documentAt(`${service.url}/vct/${id}/${version}`)).status).toBe(404);
    }
  });

  it('to the current content changes nothing', async () => {
    const id = await created({ status: 'Published' });
    const before = await read(id);
    const after = await patch(id, { title: draft.title, schema: draft.schema });
    expect(after.text).toBe(before.text);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('shows no type metadata of a Draft', async () => {
    expect((await documentAt(`${service.url}/vct/${await created()}/1`)).status).toBe(404);
  });

  it('applies to the credentials prepared after it', async () => {
    const id = await publishedTemplate(service.url);
    const schema = { type: 'object', properties: { level: { type: 'integer', maximum: 2 } } };
    const data = { templateId: id, credential: { credentialSubject: { level: 3 } } };
    const submitted = () => postJson(`${service.url}/v0/credentials`, { offerId: randomUUID(), ...data });
    answered(201, await submitted());
    answered(200, await patch(id, { schema }));
    expectProblem(await submitted(), 422, 'credential-schema-validation-failed');
  });
});

describe('what wallets show of a credential', () => {
  const shown = async (id: string): Promise<Json[]> => {
    const { vct } = (await read(id)).json;
    const documents = ['final', 'draft-13'] as const;
    const [final, draft13] = await Promise.all(
      documents.map(async (form) => {
        const metadata = await readMetadata(`${service.url}/openid4vci`, form);
        return (metadata['credential_configurations_supported'] as Record<string, Json>)[id] ?? {};
      }),
    );
    return [(final?.['credential_metadata'] as Json | undefined) ?? {}, draft13 ?? {}, (await documentAt(vct)).json];
  };

  it('is the title where the template says nothing else', async () => {
    const id = await created({ display: undefined, status: 'Published' });
    const display = [{ name: 'Membership' }];
    expect(await shown(id)).toMatchObject([{ display }, { display }, { name: 'Membership' }]);
    answered(200, await patch(id, { title: 'Club card' }));
    expect(await shown(id)).toMatchObject([
      { display: [{ name: 'Club card' }] },
      { display: [{ name: 'Club card' }] },
      { name: 'Club card' },
    ]);
  });

  it('has name, description, logo and colours for each language, in the form of each draft', async () => {
    const uri = 'https://issuer.example/logo.png';
    const colours = { background_color: '#12107c', text_color: '#ffffff' };
    const english = { name: 'Membership', locale: 'en', description: 'Of the library', ...colours };
    const german = { name: 'Mitgliedschaft', locale: 'de', description: 'In der Bibliothek', ...colours };
    const display = [english, german].map((one) => ({ ...one, logo: { uri, alt_text: 'Logo' } }));
    const id = await created({ display, status: 'Published' });
    const earlier = display.map((one) => ({ ...one, logo: { ...one.logo, url: uri } }));
    const simple = { logo: { uri, alt_text: 'Logo' }, ...colours };
    const typed = [english, german].map(({ name, locale, description }) => {
      return { name, locale, lang: locale, description, rendering: { simple } };
    });
    expect(await shown(id)).toMatchObject([{ display }, { display: earlier }, { display: typed }]);
  });
});

describe('a copy', () => {
  it('is a Draft with its own id and title', async () => {
    const id = await created({ status: 'Published' });
    answered(200, await patch(id, { title: 'Second edition' }));
    const reply = await act(id, 'duplicate');
    const copy = answered(201, reply);
    expect(copy).toEqual({
      ...(await read(id)).json,
      templateId: copy['templateId'],
      status: 'Draft',
      version: 1,
      vct: `${service.url}/vct/${String(copy['templateId'])}/1`,
      title: 'Second edition (copy)',
    });
    expect(copy['templateId']).not.toBe(id);
    expect(reply.headers.get('location')).toBe(`/v0/templates/${String(copy['templateId'])}`);
    expect((await read(String(copy['templateId']))).json).toEqual(copy);
  });

  it('uses the id and the title that were sent', async () => {
    const templateId = randomUUID();
    const reply = await act(await created(), 'duplicate', { templateId, title: 'Other' });
    expect(answered(201, reply)).toMatchObject({ templateId, title: 'Other' });
  });

  it('of a template with the longest title still fits', async () => {
    const { title } = answered(201, await act(await created({ title: 'x'.repeat(256) }), 'duplicate'));
    expect(title).toMatch(/^x{249} \(copy\)$/);
  });
});

describe('the entity tag', () => {
  it('of each answer is that of the current state', async () => {
    const reply = await postJson(`${service.url}/v0/templates`, draft);
    const id = String(answered(201, reply)['templateId']);
    const tags = [reply.headers.get('etag')];
    for (const change of [
      () => patch(id, { title: 'A' }),
      () => act(id, 'publish'),
      () => patch(id, { title: 'B' }),
      () => act(id, 'archive'),
    ]) {
      const tag = (await change()).headers.get('etag');
      expect((await read(id)).headers.get('etag')).toBe(tag);
      tags.push(tag);
    }
    expect(tags).toEqual(['"1"', '"2"', '"3"', '"4"', '"5"']);
  });

  it('prevents a change over the change of another client', async () => {
    const id = await created();
    const stale = { 'if-match': (await read(id)).headers.get('etag') ?? '' };
    answered(200, await patch(id, { title: 'Other' }, stale));
    const before = await read(id);
    expectProblem(await patch(id, { title: 'Mine' }, stale), 412, 'version-conflict', 'Version Conflict');
    expectProblem(await postJson(`${at(id)}/publish`, '', stale), 412, 'version-conflict');
    expectProblem(await postJson(`${at(id)}/archive`, '', stale), 412, 'version-conflict');
    expectProblem(await send(at(id), { method: 'DELETE', headers: stale }), 412, 'version-conflict');
    expectProblem(await patch(id, { title: 'Mine' }, { 'if-match': '2' }), 400, 'validation-failed');
    expect((await read(id)).text).toBe(before.text);
    answered(200, await patch(id, { title: 'Mine' }, { 'if-match': '"x", "2"' }));
    answered(200, await patch(id, { title: 'Mine too' }, { 'if-match': '*' }));
  });

  it.each([true, false])('prevents lost updates between concurrent changes (If-Match %s)', async (isTagged) => {
    const id = await created();
    const changes: Json[] = [
      { title: 'A' },
      { description: 'B' },
      { tags: ['C'] },
      { expiration: 'P2D' },
      { vct: 'https://credentials.example/e' },
      { signingAlgorithm: 'EdDSA' },
    ];
    const headers = isTagged ? { 'if-match': '"1"' } : {};
    const replies = await Promise.all(changes.map((change) => patch(id, change, headers)));
    const winning = changes.filter((_, index) => replies[index]?.status === 200);
    expect(winning.length).toBeGreaterThanOrEqual(1);
    if (isTagged) expect(winning).toHaveLength(1);
    for (const loser of replies.filter(({ status }) => status !== 200)) {
      expectProblem(loser, isTagged ? 412 : 409, isTagged ? 'version-conflict' : 'conflict');
    }
    const { json, headers: now } = await read(id);
    expect(json).toMatchObject(Object.assign({}, ...winning) as Json);
    expect(now.get('etag')).toBe(`"${winning.length + 1}"`);
  });

  it.each([
    ['both name the version they have read', 412, 'version-conflict'],
    ['neither names a version', 409, 'conflict'],
  ] as const)(
    'accepts one of two portals that change what both have read, twenty times: %s',
    async (_how, status, slug) => {
      const id = await created();
      const kept: Json = {};
      for (let round = 1; round <= 20; round++) {
        const headers = status === 412 ? { 'if-match': `"${round}"` } : {};
        const changes: Json[] = [{ title: `Round ${round}` }, { description: `Round ${round}` }];
        const decideTogether = meetAfterReading(2);
        const replies = await Promise.all(changes.map((change) => patch(id, change, headers)));
        decideTogether.mockRestore();
        const [winner, ...others] = changes.filter((_, index) => replies[index]?.status === 200);
        expect(others).toEqual([]);
        for (const loser of replies.filter((reply) => reply.status !== 200)) expectProblem(loser, status, slug);
        Object.assign(kept, winner);
        const now = await read(id);
        expect(now.json).toMatchObject(kept);
        expect(now.headers.get('etag')).toBe(`"${round + 1}"`);
      }
    },
  );

  it('prevents a lost update by a change that began earlier and took longer', async () => {
    const id = await created();
    // A new pattern is analysed for a while.
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^x[a-z]*$' } } };
    const slow = patch(id, { schema });
    await delay(50);
    answered(200, await patch(id, { title: 'Faster' }));
    const isRefused = (await slow).status !== 200;
    if (isRefused) expectProblem(await slow, 409, 'conflict');
    expect((await read(id)).json).toMatchObject({ title: 'Faster', schema: isRefused ? draft.schema : schema });
  });

  it('accepts one of parallel publications', async () => {
    const id = await created();
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => act(id, 'publish')))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409, 409]);
    expect((await read(id)).headers.get('etag')).toBe('"2"');
  });
});
