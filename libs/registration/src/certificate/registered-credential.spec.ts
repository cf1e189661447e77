import { parseDcqlQuery } from '@app/openid4vc';
import type { JsonValue } from '@app/primitives/json';
import { pid, verifierAt } from '../../fixtures/registrar';
import { isIssuable, overAsked, readRegistered } from './registered-credential';

const [entry = null] = verifierAt(0)['credentials'] as JsonValue[];
const registered = (...entries: JsonValue[]) => entries.flatMap((one) => readRegistered(one) ?? []);
const given = { path: ['given_name'] };

/** Pointers of what is asked for beyond the entries. */
function beyond(query: object, ...entries: JsonValue[]): string[] {
  const asked = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claims: [given], ...query };
  const clean = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const parsed = parseDcqlQuery({ credentials: [clean] });
  return overAsked(parsed, registered(...(entries.length > 0 ? entries : [entry]))).map(({ pointer }) => pointer);
}

const claims = (...paths: (string | number | null)[][]) => ({ claims: paths.map((path) => ({ path })) });
const withClaims = (member: string, list: JsonValue): JsonValue => ({
  format: 'dc+sd-jwt',
  meta: { vct_values: [pid] },
  [member]: list,
});

describe('a query', () => {
  it.each<[string, object]>([
    ['a registered claim', claims(['given_name'])],
    ['a claim below a registered one', claims(['given_name', 'latin'])],
    ['a nested claim and an entry of an array', claims(['address', 'locality'], ['nationalities', 0])],
    ['some of the registered values', { claims: [{ path: ['sex'], values: [2] }] }],
  ])('is covered that asks for %s', (_, query) => {
    expect(beyond(query)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['one nested path more', claims(['given_name'], ['address', 'street']), '/credentials/0/claims/1/path'],
    ['what is above a registered path', claims(['address']), '/credentials/0/claims/0/path'],
    ['every entry of an array', claims(['nationalities', null]), '/credentials/0/claims/0/path'],
    ['all claims, as it names none', { claims: undefined }, '/credentials/0'],
    ['another type as well', { meta: { vct_values: [pid, 'urn:other'] } }, '/credentials/0/meta'],
    ['another format', { format: 'jwt_vc_json', meta: { type_values: [[pid]] } }, '/credentials/0/format'],
    ['other values', { claims: [{ path: ['sex'], values: [1, 9] }] }, '/credentials/0/claims/0/values'],
    ['any value where some are registered', claims(['sex']), '/credentials/0/claims/0/values'],
  ])('over-asks that asks for %s', (_, query, pointer) => {
    expect(beyond(query)).toEqual([pointer]);
  });

  it('may ask for any entry of an array where all are registered', () => {
    const all = withClaims('claim', [{ path: ['nationalities', null] }]);
    expect(beyond(claims(['nationalities', 3]), all)).toEqual([]);
    expect(beyond(claims(['nationalities', null]), all)).toEqual([]);
  });

  it('is compared with claims by either name of the member, and with both together', () => {
    expect(beyond({}, withClaims('claims', [given]))).toEqual([]);
    const both = { ...(withClaims('claim', [given]) as object), claims: [{ path: ['family_name'] }] };
    expect(beyond(claims(['given_name'], ['family_name']), both)).toEqual([]);
  });

  it('may ask for nothing of an empty list of claims, and for everything where there is none', () => {
    for (const member of ['claim', 'claims']) {
      expect(beyond({}, withClaims(member, []))).toEqual(['/credentials/0/claims/0/path']);
    }
    expect(beyond({ claims: undefined }, { format: 'dc+sd-jwt', meta: { vct_values: [pid] } })).toEqual([]);
  });

  it('is covered by several entries together, each type by itself', () => {
    const of = (vct: string, name: string): JsonValue => ({
      format: 'dc+sd-jwt',
      meta: { vct_values: [vct] },
      claim: [{ path: [name] }],
    });
    expect(beyond(claims(['a'], ['b']), of(pid, 'a'), of(pid, 'b'))).toEqual([]);
    const meta = { vct_values: [pid, 'urn:other'] };
    expect(beyond({ meta, ...claims(['a']) }, of(pid, 'a'), of('urn:other', 'b'))).toEqual([
      '/credentials/0/claims/0/path',
    ]);
  });

  it('knows the types of documents and of W3C credentials', () => {
    const mdl = { format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } };
    const asked = { ...mdl, claims: [{ path: ['org.iso.18013.5.1', 'portrait'] }] };
    expect(beyond(asked, mdl)).toEqual([]);
    expect(beyond({ ...asked, meta: { doctype_value: 'other' } }, mdl)).toEqual(['/credentials/0/meta']);
    const degree = { format: 'jwt_vc_json', meta: { type_values: [['Degree']] } };
    const narrower = { ...degree, meta: { type_values: [['Degree', 'Master']] } };
    expect(beyond({ ...narrower, claims: undefined }, degree)).toEqual([]);
    expect(beyond({ ...degree, claims: undefined }, narrower)).toEqual(['/credentials/0/meta']);
  });

  it('is not covered by an entry whose types cannot be read', () => {
    for (const meta of [{ vct_values: [] }, { vct_values: [7] }, { other: pid }]) {
      expect(beyond({}, { format: 'dc+sd-jwt', meta })).toEqual(['/credentials/0/format']);
    }
  });
});

it('a type may be issued that an entry names, by the earlier name of its format too', () => {
  const provided = registered({ format: 'vc+sd-jwt', meta: { vct_values: ['urn:card'] } });
  expect(isIssuable({ format: 'dc+sd-jwt', types: ['urn:card'] }, provided)).toBe(true);
  expect(isIssuable({ format: 'dc+sd-jwt', types: ['urn:other'] }, provided)).toBe(false);
  expect(isIssuable({ format: 'mso_mdoc', types: ['urn:card'] }, provided)).toBe(false);
});
