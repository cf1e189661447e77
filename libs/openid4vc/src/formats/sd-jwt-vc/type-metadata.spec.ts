import { renderTypeMetadata } from './type-metadata';

const vct = 'https://issuer.example.com/vct/identity/1';

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
      ],
    });
  });

  it('follows the selection of disclosable claims when there is one', () => {
    const claims = [{ path: ['a/b'] }, { path: ['address', 'city'] }];
    expect(renderTypeMetadata({ vct, claims, selectivelyDisclosable: ['/address/city'] })['claims']).toEqual([
      { path: ['a/b'], sd: 'never' },
      { path: ['address', 'city'], sd: 'always' },
    ]);
    expect(renderTypeMetadata({ vct, claims, selectivelyDisclosable: ['/a~1b'] })['claims']).toMatchObject([
      { sd: 'always' },
      { sd: 'never' },
    ]);
  });

  it('is the vct alone when nothing more is known', () => {
    expect(renderTypeMetadata({ vct })).toEqual({ vct });
    expect(renderTypeMetadata({ vct, display: [{ name: 'Identity' }] })).toEqual({ vct, name: 'Identity' });
  });
});
