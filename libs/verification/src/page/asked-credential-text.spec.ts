import { outlineOf, parseDcqlQuery } from '@app/openid4vc';
import { textsIn } from '@app/pages';
import { claimText, type KnownCredential, nameOf } from './asked-credential-text';

const english = { language: 'en', texts: textsIn('en') } as const;
const german = { language: 'de', texts: textsIn('de') } as const;

describe('a claim', () => {
  it.each([
    [['family_name'], 'Familienname'],
    [['lastName'], 'Familienname'],
    [['dob'], 'Geburtsdatum'],
    [['age_over_18'], 'Dass Sie mindestens 18 Jahre alt sind'],
    [['address', 'postal_code'], 'Anschrift: Postleitzahl'],
    [['nationalities', null], 'Staatsangehörigkeit'],
    [['degrees', 0, 'gradeAverage'], 'Degrees: 1.: Grade average'],
    [['constructor'], 'Constructor'],
    [['__'], '__'],
    [['شهادة'], 'شهادة'],
  ])('%j is called %s', (path, name) => {
    expect(claimText(path, undefined, german)).toBe(name);
  });

  it('has the label that its issuer gives it', () => {
    const known = { claims: [{ path: ['level'], display: [{ name: 'Year of study' }] }] };
    expect(claimText(['level'], known, english)).toBe('Year of study');
    expect(claimText(['other'], known, english)).toBe('Other');
  });
});

describe('an mdoc', () => {
  it('has the names of its elements, without their name spaces', () => {
    const claims = ['family_name', 'age_over_18', 'portrait', 'driving_privileges'].map((name) => ({
      path: ['org.iso.18013.5.1', name],
    }));
    const credential = { id: 'a', format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' }, claims };
    const [choice] = outlineOf(parseDcqlQuery({ credentials: [credential] }));
    const asked = choice?.alternatives[0]?.[0];
    const [paths = []] = asked?.claims ?? [];
    const textsOf = (words: typeof english | typeof german, known?: KnownCredential) =>
      paths.map((path) => claimText(path, known, words, asked?.stepsAboveClaims));
    expect(textsOf(english)).toEqual(['Family name', 'That you are 18 or older', 'Photo of you', 'Driving privileges']);
    const display = [{ name: 'Categories' }, { name: 'Klassen', locale: 'de-AT' }];
    const known = {
      claims: [
        { path: ['org.iso.18013.5.1.aamva', 'driving_privileges'], display: [{ name: 'Others' }] },
        { path: ['org.iso.18013.5.1', 'driving_privileges'], display },
      ],
    };
    expect(textsOf(german, known).slice(2)).toEqual(['Foto von Ihnen', 'Klassen']);
    expect(textsOf(german).at(3)).toBe('Fahrerlaubnisklassen');
  });
});

describe('a credential', () => {
  it.each([
    ['dc+sd-jwt', { vct_values: ['https://credentials.example/vct/StudentCard/2'] }, 'Student card'],
    ['dc+sd-jwt', { vct_values: ['urn:example:pid:1', 'a', 'b', 'c'] }, 'Pid / A / B'],
    ['mso_mdoc', { doctype_value: 'org.iso.18013.5.1.mDL' }, 'MDL'],
    ['mso_mdoc', { doctype_value: 'org.iso.23220.photoID.1' }, 'PhotoID'],
    ['mso_mdoc', { doctype_value: 'eu.europa.ec.eudi.pid.1' }, 'Pid'],
    ['jwt_vc_json', { type_values: [['VerifiableCredential', 'OpenBadgeCredential']] }, 'Open badge credential'],
    ['jwt_vc_json', { type_values: [['VerifiableCredential'], ['OpenBadge']] }, 'A credential of your choice'],
  ])('of the format %s and %j is called %s', (format, meta, name) => {
    const [choice] = outlineOf(parseDcqlQuery({ credentials: [{ id: 'a', format, meta }] }));
    const [asked] = choice?.alternatives[0] ?? [];
    expect(asked && nameOf(asked, undefined, english)).toBe(name);
    expect(asked && nameOf(asked, { display: [{ name: 'Mine' }] }, english)).toBe('Mine');
  });
});
