import { renderTypeMetadata } from './type-metadata';

const vct = 'https://issuer.example.com/vct/identity/1';
const never = (name: string) => ({ path: [name], sd: 'never' });
const frame = [
  ...['iss', 'vct', 'iat'].map((name) => ({ ...never(name), mandatory: true })),
  ...['exp', 'cnf', 'status', 'jti'].map(never),
];

describe('type metadata', () => {
  it('shows names, looks and claims', () => {
    const document = renderTypeMetadata({
      vct,
      display: [
        {
          name: 'Identity',
          locale: 'en',
          description: 'Who you are',
          logo: { uri: 'https://example.com/logo.png', alt_text: 'a logo' },
          background_color: '#12107c',
          text_color: '#ffffff',
        },
        { name: 'Ausweis', locale: 'de' },
      ],
      claims: [
        { path: ['given_name'], mandatory: true, display: [{ name: 'Vorname', locale: 'de' }, { name: 'First name' }] },
        { path: ['address', 'city'] },
      ],
    });
    expect(document).toEqual({
      vct,
      name: 'Identity',
      description: 'Who you are',
      display: [
        {
          locale: 'en',
          lang: 'en',
          name: 'Identity',
          description: 'Who you are',
          rendering: {
            simple: {
              logo: { uri: 'https://example.com/logo.png', alt_text: 'a logo' },
              background_color: '#12107c',
              text_color: '#ffffff',
            },
          },
        },
        { locale: 'de', lang: 'de', name: 'Ausweis' },
      ],
      claims: [
        {
          path: ['given_name'],
          display: [{ locale: 'de', lang: 'de', label: 'Vorname' }],
          mandatory: true,
          sd: 'always',
        },
        { path: ['address', 'city'], sd: 'never' },
        ...frame,
      ],
    });
  });

  it('follows the selection of disclosable claims when there is one', () => {
    const claims = [{ path: ['a/b'] }, { path: ['address', 'city'] }];
    expect(renderTypeMetadata({ vct, claims, selectivelyDisclosable: ['/address/city'] })['claims']).toEqual([
      { path: ['a/b'], sd: 'never' },
      { path: ['address', 'city'], sd: 'always' },
      ...frame,
    ]);
    expect(renderTypeMetadata({ vct, claims, selectivelyDisclosable: ['/a~1b'] })['claims']).toMatchObject([
      { sd: 'always' },
      { sd: 'never' },
      ...frame,
    ]);
  });

  it('is the vct and what every credential has when nothing more is known', () => {
    expect(renderTypeMetadata({ vct })).toEqual({ vct, claims: frame });
    const named = renderTypeMetadata({ vct, display: [{ name: 'Identity' }] });
    expect(named).toEqual({ vct, name: 'Identity', claims: frame });
  });

  it('names a claim once, also one that a template names', () => {
    const { claims } = renderTypeMetadata({ vct, claims: [{ path: ['jti'], mandatory: true }] });
    expect(claims).toEqual([{ path: ['jti'], mandatory: true, sd: 'always' }, ...frame.slice(0, -1)]);
  });
});
