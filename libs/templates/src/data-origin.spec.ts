import { dataOriginOf, faultsOfData, identificationOf, isForWallets, type DataTerms } from './data-origin';

const login = { '/given_name': 'login:/given_name' };
const presented = { '/given_name': 'presentation:/given_name' };
const configured = (terms: DataTerms) => ({ dataModel: 'sd-jwt-vc', ...terms }) as const;

describe('where the data of a configuration comes from', () => {
  it.each([
    ['one that says nothing', {}, 'production', 'provided', 'portal', false],
    ['one that says nothing', {}, 'development', 'development', 'development', true],
    ['provided data', { data: 'provided' }, 'development', 'provided', 'development', false],
    ['a mapped login', { claimSources: login }, 'production', 'mapped', 'openid', true],
    ['a mapped login', { claimSources: login }, 'development', 'mapped', 'development', true],
    ['a mapped presentation', { claimSources: presented }, 'development', 'mapped', 'presentation', true],
    ['a webhook', { data: 'webhook' }, 'production', 'webhook', 'openid', true],
    [
      'a webhook behind a presentation',
      { data: 'webhook', identification: 'presentation' },
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
    ['a login for presented claims', { claims: presented, identification: 'openid' }, ['/identification']],
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
    [{ data: 'webhook', approval: 'manual', identification: 'presentation' }],
    [{ claims: presented, identification: 'presentation' }],
    [{ claims: { '/iss': 'login:/iss' }, format: 'jwt_vc_json' }],
    [{ claims: { '/name/first': 'login:/name' }, schema: { properties: { name: { type: ['object', 'null'] } } } }],
  ])('fits together: %j', (given) => {
    expect(faultsOfData(given)).toEqual([]);
  });
});
