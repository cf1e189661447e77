import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { serviceOfFile } from '../support/service/service-of-file';
import { readMetadata } from '../support/wallets/wallet';

const service = serviceOfFile();
const base = {
  title: 'Membership',
  format: 'dc+sd-jwt',
  schema: { type: 'object', properties: { given_name: { type: 'string', title: 'Given name' } } },
  status: 'Published',
};
const create = (changes: Json) => postJson(`${service.url}/v0/templates`, { ...base, ...changes });

it('claims are called in their languages in the metadata and in the type metadata', async () => {
  const image = { uri: 'https://issuer.example/back.png' };
  const made = answered(
    201,
    await create({
      claimLabels: { '/given_name': { de: 'Vorname', fr: 'Prénom' } },
      display: [{ name: 'Mitgliedschaft', locale: 'de', background_image: image }],
    }),
  );
  const metadata = await readMetadata(`${service.url}/openid4vci`, 'final');
  const all = metadata['credential_configurations_supported'] as Record<string, Json>;
  const shown = all[String(made['templateId'])]?.['credential_metadata'] as Json;
  expect(shown['claims']).toEqual([
    {
      path: ['given_name'],
      display: [{ name: 'Given name' }, { name: 'Vorname', locale: 'de' }, { name: 'Prénom', locale: 'fr' }],
    },
  ]);
  expect(shown['display']).toMatchObject([{ background_image: image }]);
  const type = answered(200, await get(String(made['vct'])));
  const [claim] = (type['claims'] as Json[]).filter(({ path }) => String(path) === 'given_name');
  expect(claim).toMatchObject({
    display: [
      { locale: 'de', label: 'Vorname' },
      { locale: 'fr', label: 'Prénom' },
    ],
  });
  expect(type['display']).toMatchObject([{ rendering: { simple: { background_image: image } } }]);
});

it.each([{}, [], { given_name: { de: 'V' } }, { '/given_name': {} }, { '/given_name': { 'not a tag': 'V' } }])(
  'labels that name nothing are refused: %j',
  async (claimLabels) => {
    expectProblem(await create({ claimLabels }), 400, 'validation-failed');
  },
);
