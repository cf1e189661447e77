import { dataOriginOf, faultsOfData, identificationOf, isForWallets, type DataTerms } from './data-origin';

const login = { '/given_name': 'login:/given_name' };
const presented = { '/given_name': 'presentation:/given_name' };
const presentation = {
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['given_name'] }] },
  ],
} as const;
const [pid] = presentation.credentials;
const configured = (terms: DataTerms) => ({ dataModel: 'sd-jwt-vc', ...terms }) as const;

describe('where the data of a configuration comes from', () => {
  it.each([
    ['one that says nothing', {}, 'production', 'provided', 'portal', false],
    ['one that says nothing', {}, 'development', 'development', 'development', true],
    ['provided data', { data: 'provided' }, 'development', 'provided', 'development', false],
    ['a mapped login', { claimSources: login }, 'production', 'mapped', 'openid', true],
    ['a mapped login', { claimSources: login }, 'development', 'mapped', 'development', true],
    ['a mapped presentation', { claimSources: presented, presentation }, 'development', 'mapped', 'presentation', true],
    ['a webhook', { data: 'webhook' }, 'production', 'webhook', 'openid', true],
    [
      'a webhook behind a presentation',
      { data: 'webhook', presentation },
      'production',
      'webhook',
      'presentation',
      true,
    ],
    ['a webhook for offers', { data: 'webhook', identification: 'portal' }, 'development', 'webhook', 'portal', false],
    ['a login without a mapping', { identification: 'openid' }, 'development', 'development', 'openid', false],
    [
      'the development form',
      { data: 'webhook', identification: 'development' },
      'production',
      'webhook',
      'development',
      false,
    ],
  ] as const)('%s: %j in %s', (_what, terms, profile, origin, identification, isForAll) => {
    const configuration = configured(terms);
    expect(dataOriginOf(configuration, profile)).toBe(origin);
    expect(identificationOf(configuration, profile)).toBe(identification);
    expect(isForWallets(configuration, profile)).toBe(isForAll);
  });

  it('is the portal for an Open Badge, which is more than claims', () => {
    expect(isForWallets({ dataModel: 'open-badges-3.0' }, 'development')).toBe(false);
  });

  it.each([
    ['mapped data without a mapping', { data: 'mapped' }, ['/claims']],
    ['a mapping of provided data', { data: 'provided', claims: login }, ['/claims']],
    ['a mapping beside a webhook', { data: 'webhook', claims: login }, ['/claims']],
    ['an approval of what the portal submits', { approval: 'manual' }, ['/approval']],
    ['a webhook for an Open Badge', { data: 'webhook', dataModel: 'open-badges-3.0' }, ['/data']],
    [
      'a login for presented claims',
      { claims: presented, presentation, identification: 'openid' },
      ['/identification'],
    ],
    ['presented claims without a query', { claims: presented }, ['/presentation']],
    ['a presentation without a query', { data: 'webhook', identification: 'presentation' }, ['/presentation']],
    ['a query beside the portal', { presentation, identification: 'portal' }, ['/identification']],
    ['claims of a login beside a query', { claims: login, presentation }, ['/claims']],
    [
      'a claim that the query does not ask for',
      { claims: { '/birth~1date': 'presentation:/birthdate' }, presentation },
      ['/claims/~1birth~01date'],
    ],
    ['no query', { presentation: { credentials: [] } }, ['/presentation/credentials']],
    [
      'a query for credentials of two people',
      { presentation: { credentials: [pid, { ...pid, id: 'other' }], credential_sets: [{ options: [['pid']] }] } },
      ['/presentation/credentials', '/presentation/credential_sets'],
    ],
    [
      'a query for no claims',
      { presentation: { credentials: [{ ...pid, claims: undefined }] } },
      ['/presentation/credentials/0/claims'],
    ],
    [
      'a query for credentials of anybody',
      { presentation: { credentials: [{ ...pid, multiple: true, require_cryptographic_holder_binding: false }] } },
      ['/presentation/credentials/0/multiple', '/presentation/credentials/0/require_cryptographic_holder_binding'],
    ],
    ['the portal for claims of a login', { claims: login, identification: 'portal' }, ['/identification']],
    [
      'a claim that the schema requires without a source',
      { claims: login, schema: { required: ['level'] } },
      ['/claims'],
    ],
    [
      'a claim that the schema does not allow',
      { claims: login, schema: { properties: { name: {} }, additionalProperties: false } },
      ['/claims'],
    ],
    [
      'a claim inside one that is text',
      { claims: { '/name/first': 'login:/given_name' }, schema: { properties: { name: { type: 'string' } } } },
      ['/claims/~1name~1first'],
    ],
    [
      'a member that the service sets in such a credential',
      { claims: { ...login, '/iss': 'login:/iss', '/cnf/jwk': 'login:/key' }, format: 'dc+sd-jwt' },
      ['/claims/~1iss', '/claims/~1cnf~1jwk'],
    ],
  ])('does not fit together: %s', (_what, given, pointers) => {
    expect(faultsOfData(given).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it.each([
    [{}],
    [{ data: 'provided', identification: 'openid' }],
    [{ claims: login, approval: 'manual', schema: { required: ['given_name'] } }],
    [{ data: 'webhook', approval: 'manual', identification: 'presentation', presentation }],
    [{ data: 'provided', presentation }],
    [{ claims: { '/name': 'presentation:/given_name/0' }, presentation }],
    [{ claims: presented, identification: 'presentation', presentation }],
    [{ claims: { '/iss': 'login:/iss' }, format: 'jwt_vc_json' }],
    [{ claims: { '/name/first': 'login:/name' }, schema: { properties: { name: { type: ['object', 'null'] } } } }],
  ])('fits together: %j', (given) => {
    expect(faultsOfData(given)).toEqual([]);
  });
});
