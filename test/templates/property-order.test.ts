import { answered, get, type Json, send } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { readMetadata } from '../support/wallets/wallet';

const service = serviceOfFile();

describe('the claims of a template', () => {
  it('are shown to wallets and portals in the order of the schema, also inside objects and after a change', async () => {
    const inside = { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } };
    const properties = { given_name: { type: 'string' }, age: { type: 'integer' }, address: inside };
    const templateId = await publishedTemplate(service.url, { schema: { type: 'object', properties } });
    const one = `${service.url}/v0/templates/${templateId}`;
    const headers = { 'content-type': 'application/json' };
    const names = ['given_name', 'age', 'address'];
    for (const title of ['Membership', 'Another title']) {
      answered(200, await send(one, { method: 'PATCH', headers, body: JSON.stringify({ title }) }));
      const shown = answered(200, await get(one))['schema'] as { properties: typeof properties };
      expect(Object.keys(shown.properties)).toEqual(names);
      expect(Object.keys(shown.properties.address.properties)).toEqual(['street', 'city']);
      for (const generation of ['final', 'draft-13'] as const) {
        const metadata = await readMetadata(`${service.url}/openid4vci`, generation);
        const configurations = metadata['credential_configurations_supported'] as Record<string, Json>;
        const { credential_metadata, claims = {} } = configurations[templateId] ?? {};
        const paths = (credential_metadata as { claims: { path: string[] }[] } | undefined)?.claims;
        expect(paths?.map(({ path }) => path[0]) ?? Object.keys(claims as Json)).toEqual(names);
      }
    }
  });
});
