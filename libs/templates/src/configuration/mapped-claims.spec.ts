/** @jest-environment node */
import { configurationOf, type CredentialDescription } from './credential-configuration';
import { developmentClaims } from '../data-sources/development-person';
import { type IdentifiedPerson, mappedClaims } from './mapped-claims';

const configured = (described: Partial<CredentialDescription>) => {
  const description = {
    format: 'dc+sd-jwt',
    vct: 'https://credentials.example/card',
    dataModel: 'sd-jwt-vc',
    signingAlgorithm: 'ES256',
    expiration: { kind: 'never' },
    ...described,
  } as CredentialDescription;
  const defaults = { vct: 'https://issuer.example/vct', sdJwtIdentifier: 'did' } as const;
  return configurationOf('card', description, { kind: 'provisioned' }, defaults);
};
const erika: IdentifiedPerson = { source: 'openid', claims: { given_name: 'Erika', level: 'three' } };
const tester: IdentifiedPerson = { source: 'development', claims: developmentClaims('ada.lovelace') };
const mapping = { '/given_name': 'login:/given_name', '/level': 'login:/level', '/email': 'login:/email' };
const schema = (required: string[]) => ({
  type: 'object',
  properties: { given_name: { type: 'string' }, level: { type: 'string' }, email: { type: 'string' } },
  required,
});

describe('claims of a person', () => {
  it('are mapped; what is not known may be missing where the schema does not require it', async () => {
    const configuration = configured({ claims: mapping, schema: schema(['given_name']) });
    const claims = { given_name: 'Erika', level: 'three' };
    expect(await mappedClaims(configuration, erika, 'production')).toEqual({ outcome: 'mapped', claims });
  });

  it('are refused by the names of those that are missing', async () => {
    const configuration = configured({ claims: mapping, schema: schema(['email']) });
    const refused = { outcome: 'refused', missing: ['/email'], invalid: [] };
    expect(await mappedClaims(configuration, erika, 'production')).toEqual(refused);
  });

  it('are all required where no schema says which', async () => {
    const refused = { outcome: 'refused', missing: ['/email'], invalid: [] };
    expect(await mappedClaims(configured({ claims: mapping }), erika, 'production')).toEqual(refused);
  });

  it('are refused by the names of those that the schema does not take, without their values', async () => {
    const claims = { '/level': 'login:/level' };
    const configuration = configured({
      claims,
      schema: { type: 'object', properties: { level: { type: 'integer' } } },
    });
    const refused = { outcome: 'refused', missing: [], invalid: ['/level'] };
    expect(await mappedClaims(configuration, erika, 'production')).toEqual(refused);
  });

  it('are refused as wrong, not as missing, for what is wrong inside a list', async () => {
    const properties = { nationalities: { type: 'array', items: { type: 'string', pattern: '^[A-Z]{2}$' } } };
    const configuration = configured({
      claims: { '/nationalities': 'login:/nationalities' },
      schema: { type: 'object', properties },
    });
    const known: IdentifiedPerson = { source: 'openid', claims: { nationalities: ['DE', 'German'] } };
    const refused = { outcome: 'refused', missing: [], invalid: ['/nationalities/1'] };
    expect(await mappedClaims(configuration, known, 'production')).toEqual(refused);
  });

  it.each([
    [
      'a member that the service sets',
      { claims: { '/given_name': 'login:/given_name', '/iss': 'login:/level' } },
      '/iss',
    ],
    [
      'an id that is no URI',
      {
        format: 'jwt_vc_json',
        dataModel: 'w3c-vc-1.1',
        claims: { '/given_name': 'login:/given_name', '/id': 'login:/level' },
      },
      '/id',
    ],
    ['a name that no claim can have', { claims: { '/address': 'login:/address' } }, '/address/_sd'],
  ] as const)(
    'are refused before anybody agrees, because no credential can have them: %s',
    async (_what, described, place) => {
      const claims = { ...erika.claims, address: { _sd: 'x' } };
      const refused = { outcome: 'refused', missing: [], invalid: [place] };
      expect(await mappedClaims(configured(described), { ...erika, claims }, 'production')).toEqual(refused);
    },
  );

  it('are checked as an Open Badge where that is the data model', async () => {
    const claims = { '/type': 'login:/kind', '/achievement': 'login:/achievement' };
    const types = ['VerifiableCredential', 'OpenBadgeCredential'];
    const badge = configured({
      format: 'jwt_vc_json',
      dataModel: 'open-badges-3.0',
      types,
      claims,
      schema: schema([]),
    });
    const achievement = { id: 'urn:a:b', type: 'Achievement', name: 'Teamwork', description: '', criteria: {} };
    const known = { kind: 'AchievementSubject', achievement };
    const mapped = { outcome: 'mapped', claims: { type: 'AchievementSubject', achievement } };
    expect(await mappedClaims(badge, { ...erika, claims: known }, 'production')).toEqual(mapped);
    const { criteria: _criteria, ...incomplete } = achievement;
    const faulty = { kind: 'Person', achievement: incomplete };
    const refused = { outcome: 'refused', missing: ['/achievement/criteria'], invalid: ['/type'] };
    expect(await mappedClaims(badge, { ...erika, claims: faulty }, 'production')).toEqual(refused);
  });

  it('come later from a webhook or the portal', async () => {
    for (const data of ['webhook', 'provided'] as const) {
      expect(await mappedClaims(configured({ data }), erika, 'production')).toEqual({ outcome: 'later' });
    }
  });

  it.each([
    ['nothing at all', {}, ['given_name', 'family_name', 'birthdate']],
    ['what can be withheld', { selectivelyDisclosable: ['/given_name', '/email'] }, ['given_name', 'email']],
    ['a schema', { schema: schema(['given_name']) }, ['given_name', 'email']],
  ])('are those of the development login for a configuration that says %s', async (_what, described, names) => {
    const mapped = await mappedClaims(configured(described), tester, 'development');
    expect(mapped.outcome === 'mapped' && Object.keys(mapped.claims).sort()).toEqual(names.toSorted());
  });

  it('of the development login are missing by name where a configuration has none of them', async () => {
    const configuration = configured({ schema: { type: 'object', properties: { degree: {}, 'a/b': {} } } });
    const refused = { outcome: 'refused', missing: ['/degree', '/a~1b'], invalid: [] };
    expect(await mappedClaims(configuration, tester, 'development')).toEqual(refused);
  });

  it('of the development login are those of the name that was typed', () => {
    expect(developmentClaims('ada.lovelace')).toMatchObject({ given_name: 'Ada', family_name: 'Lovelace' });
    expect(developmentClaims('erika@example.org')).toMatchObject({ given_name: 'Erika', email: 'erika@example.org' });
    expect(developmentClaims('')).toMatchObject({ given_name: 'Test', family_name: 'Example' });
  });

  it('of the development login are for nobody in production', async () => {
    expect(await mappedClaims(configured({}), tester, 'production')).toEqual({ outcome: 'later' });
  });
});
