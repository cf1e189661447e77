import { formOf } from '../form/field';
import { claimPaths, dcqlQuery } from './dcql';
import { speak } from '../texts';
import forms from '../texts/en/forms.json';

speak('en', { forms });

describe('a query', () => {
  const diploma = { id: 'diploma', format: 'dc+sd-jwt', vct: 'https://issuer.example/vct/diploma/1' } as const;
  const degree = { id: 'degree.v1', format: 'jwt_vc_json', type: ['VerifiableCredential', 'Degree'] } as const;

  it('asks for credentials of each format by their types and claims', () => {
    const asked = [
      { configuration: diploma, claims: [['given_name']] },
      { configuration: degree, claims: [['degree', 'name']] },
    ];
    expect(dcqlQuery(asked)).toEqual({
      credentials: [
        {
          id: 'diploma',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['https://issuer.example/vct/diploma/1'] },
          claims: [{ path: ['given_name'] }],
        },
        {
          id: 'degree_v1',
          format: 'jwt_vc_json',
          meta: { type_values: [['VerifiableCredential', 'Degree']] },
          claims: [{ path: ['credentialSubject', 'degree', 'name'] }],
        },
      ],
    });
  });

  it('asks for an element of an mdoc as a whole, and once', () => {
    const licence = { id: 'licence', format: 'mso_mdoc', doctype: 'org.iso.18013.5.1.mDL' } as const;
    const space = 'org.iso.18013.5.1';
    const claims = [
      [space, 'driving_privileges', null, 'issue_date'],
      [space, 'driving_privileges', null, 'expiry_date'],
      [space, 'age_over_18'],
    ];
    expect(dcqlQuery([{ configuration: licence, claims }])).toEqual({
      credentials: [
        {
          id: 'licence',
          format: 'mso_mdoc',
          meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
          claims: [{ path: [space, 'driving_privileges'] }, { path: [space, 'age_over_18'] }],
        },
      ],
    });
  });

  it('names each credential differently, and no claims where none is chosen', () => {
    const twice = dcqlQuery([
      { configuration: degree, claims: [] },
      { configuration: { ...degree, id: 'degree_v1' }, claims: [] },
    ]);
    expect(twice).toMatchObject({ credentials: [{ id: 'degree_v1' }, { id: 'degree_v1-2' }] });
    expect(JSON.stringify(twice)).not.toContain('claims');
  });
});

describe('the claims to choose from', () => {
  it('are the leaves of the schema', () => {
    const form = formOf({
      type: 'object',
      properties: {
        name: { type: 'string' },
        address: { type: 'object', properties: { city: { type: 'string' } } },
        nationalities: { type: 'array', items: { type: 'string' } },
        courses: { type: 'array', items: { type: 'object', properties: { title: { type: 'string' } } } },
      },
    });
    expect(claimPaths(form)).toEqual([
      ['name'],
      ['address', 'city'],
      ['nationalities', null],
      ['courses', null, 'title'],
    ]);
    expect(claimPaths(formOf({ type: 'object' }))).toEqual([]);
  });
});
