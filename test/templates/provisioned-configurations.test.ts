import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProvisionedConfigurations } from '@app/templates/src/configuration/provisioned-configurations';

const hostedVct = (id: string): string => `https://issuer.example/vct/${id}/1`;

/** Reads a directory that holds exactly these files. */
async function read(
  files: Readonly<Record<string, string>>,
  sdJwtIdentifier: 'did' | 'https' = 'did',
  profile: 'development' | 'production' = 'production',
  identification = { dataUrl: '', openid: { issuer: '' } },
) {
  const directory = mkdtempSync(join(tmpdir(), 'provisioned-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const settings = { profile, identification };
    return await readProvisionedConfigurations(directory, (id) => ({ vct: hostedVct(id), sdJwtIdentifier }), settings);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('provisioned configurations', () => {
  it('are read from YAML and JSON, and by default do not limit the lifetime of credentials', async () => {
    const found = await read({
      'a.yaml': 'id: diploma\nformat: dc+sd-jwt\n',
      'b.json': '{"id":"badge","format":"jwt_vc_json","type":["VerifiableCredential","Badge"],"expiration":"P1Y"}',
      'notes.txt': 'not a configuration',
    });
    expect([...found.keys()]).toEqual(['diploma', 'badge']);
    expect(found.get('diploma')).toMatchObject({
      vct: hostedVct('diploma'),
      expiration: 'never',
      origin: 'provisioned',
    });
    expect(found.get('badge')).toMatchObject({ expiration: { after: 'P1Y' }, signingAlgorithm: 'ES256' });
  });

  it('are left out of production when they are for development', async () => {
    const files = {
      'a.yaml': 'id: sample\nformat: jwt_vc_json\nprofile: development\n',
      'b.yaml': 'id: diploma\nformat: jwt_vc_json\n',
    };
    expect([...(await read(files, 'did', 'development')).keys()]).toEqual(['sample', 'diploma']);
    expect([...(await read(files, 'did', 'production')).keys()]).toEqual(['diploma']);
    await expect(read({ 'a.yaml': 'id: sample\nformat: jwt_vc_json\nprofile: dev\n' })).rejects.toThrow('/profile');
  });

  it('say what their claims are shaped after, which a type of Open Badges says, too', async () => {
    const badge = 'id: badge\nformat: jwt_vc_json\n';
    const types = ['VerifiableCredential', 'AchievementCredential'];
    const said = (await read({ 'a.yaml': `${badge}dataModel: open-badges-3.0\n` })).get('badge');
    expect(said).toMatchObject({
      dataModel: 'open-badges-3.0',
      types: ['VerifiableCredential', 'OpenBadgeCredential'],
    });
    const file = `${badge}type: [${types.join(', ')}]\n`;
    expect((await read({ 'a.yaml': file })).get('badge')).toMatchObject({ dataModel: 'open-badges-3.0', types });
    await expect(read({ 'a.yaml': `${file}dataModel: w3c-vc-1.1\n` })).rejects.toThrow('/type: holds Achievement');
    await expect(read({ 'a.yaml': `${badge}dataModel: open-badges-2.0\n` })).rejects.toThrow('/dataModel: ');
    const sdJwt = 'id: card\nformat: dc+sd-jwt\ndataModel: open-badges-3.0\n';
    await expect(read({ 'a.yaml': sdJwt })).rejects.toThrow('/dataModel: must be sd-jwt-vc');
  });

  it('say where their data comes from, in production by no form that believes anything', async () => {
    const file = 'id: card\nformat: dc+sd-jwt\nclaims:\n  /given_name: login:/given_name\n';
    expect((await read({ 'a.yaml': file })).get('card')).toMatchObject({
      claimSources: { '/given_name': 'login:/given_name' },
    });
    await expect(read({ 'a.yaml': `${file}data: provided\n` })).rejects.toThrow('/claims: belongs to mapped data');
    const form = { 'a.yaml': `${file}identification: development\n` };
    expect((await read(form, 'did', 'development')).has('card')).toBe(true);
    await expect(read(form)).rejects.toThrow('/identification: must not be development');
  });

  it('ask no server for the data and no provider for the person where none is set', async () => {
    const asking = { dataUrl: 'https://portal.example/data', openid: { issuer: 'https://login.example' } };
    for (const [terms, fault] of [
      ['data: webhook', '/data: webhook needs a server'],
      ['identification: openid', '/identification: openid needs a login provider'],
    ] as const) {
      const files = { 'a.yaml': `id: card\nformat: dc+sd-jwt\n${terms}\n` };
      for (const profile of ['development', 'production'] as const) {
        await expect(read(files, 'did', profile)).rejects.toThrow(fault);
        expect((await read(files, 'did', profile, asking)).has('card')).toBe(true);
      }
    }
  });

  it('choose the kind of issuer identifier; the setting applies to SD-JWT VCs that do not', async () => {
    const files = {
      'a.yaml': 'id: silent\nformat: dc+sd-jwt\n',
      'b.yaml': 'id: chosen\nformat: dc+sd-jwt\nissuerIdentifier: did\n',
      'c.yaml': 'id: w3c\nformat: jwt_vc_json\n',
      'd.yaml': 'id: w3c-chosen\nformat: jwt_vc_json\nissuerIdentifier: https\nsubject: thing\n',
    };
    const chosen = async (setting: 'did' | 'https') =>
      [...(await read(files, setting)).values()].map(({ issuerIdentifier }) => issuerIdentifier);
    expect(await chosen('did')).toEqual(['did', 'did', 'did', 'https']);
    expect(await chosen('https')).toEqual(['https', 'did', 'did', 'https']);
  });

  it('issue credentials that can be revoked only where they say so', async () => {
    const found = await read({
      'a.yaml': 'id: plain\nformat: dc+sd-jwt\n',
      'b.yaml': 'id: diploma\nformat: jwt_vc_json\nrevocable: true\n',
    });
    expect([...found.values()].map(({ id, revocable }) => [id, revocable])).toEqual([
      ['plain', false],
      ['diploma', true],
    ]);
  });

  it('are asked for by their scope, which several may share; by their id where they name none', async () => {
    const found = await read({
      'a.yaml': 'id: plain\nformat: dc+sd-jwt\n',
      'b.yaml': 'id: card\nformat: dc+sd-jwt\nscope: student\n',
      'c.yaml': 'id: badge\nformat: jwt_vc_json\nscope: student\n',
    });
    expect([...found.values()].map(({ scope }) => scope)).toEqual(['plain', 'student', 'student']);
  });

  it.each([
    ['a scope of two words', 'id: a\nformat: dc+sd-jwt\nscope: student card\n', 'a.yaml: /scope: must be one word'],
    ['an empty scope', 'id: a\nformat: dc+sd-jwt\nscope: ""\n', 'a.yaml: /scope: must be one word'],
    [
      'a revocable that is no truth value',
      'id: a\nformat: dc+sd-jwt\nrevocable: often\n',
      'a.yaml: /revocable: must be',
    ],
    [
      'an unknown issuer identifier',
      'id: a\nformat: dc+sd-jwt\nissuerIdentifier: x509\n',
      'a.yaml: /issuerIdentifier:',
    ],
    ['an unknown subject', 'id: a\nformat: jwt_vc_json\nsubject: cat\n', 'a.yaml: /subject:'],
    [
      'an unsupported format',
      'id: a\nformat: ldp_vc\n',
      'a.yaml: /format: Unsupported Credential Format Identifier Error',
    ],
    ['an unknown member', 'id: a\nformat: jwt_vc_json\ncolour: red\n', 'a.yaml: /colour:'],
    ['a missing id', 'format: jwt_vc_json\n', 'a.yaml: /id:'],
    [
      'types without VerifiableCredential',
      'id: a\nformat: jwt_vc_json\ntype: [Badge]\n',
      'must contain VerifiableCredential',
    ],
    [
      'a keyword of its schema that is misspelt',
      'id: a\nformat: dc+sd-jwt\nschema: { properties: { b: { maxlength: 3 } } }\n',
      'a.yaml: The schema cannot be used: /schema/properties/b/maxlength is an unknown keyword. Did you mean maxLength? (Invalid Template Schema)',
    ],
    [
      'a pointer to a claim that is misspelt',
      'id: a\nformat: dc+sd-jwt\nschema: { properties: { iban: {} } }\nselectivelyDisclosable: [/ibam]\n',
      'a.yaml: /selectivelyDisclosable/0: leads to no claim of the schema. Did you mean /iban?',
    ],
    [
      'claims to be disclosed of a credential that is sent whole',
      'id: a\nformat: jwt_vc_json\nselectivelyDisclosable: [/iban]\n',
      'a.yaml: /selectivelyDisclosable: belongs to the format dc+sd-jwt',
    ],
    [
      'a misspelt member of a presentation',
      'id: a\nformat: dc+sd-jwt\npresentation: { credentials: [{ id: p, format: dc+sd-jwt, meta: { vct_values: [x] }, claims: [{ path: [a], value: [b] }] }] }\n',
      'a.yaml: /presentation/credentials/0/claims/0/value: Unknown member. Did you mean values?',
    ],
    ['an invalid expiration', 'id: a\nformat: jwt_vc_json\nexpiration: soon\n', 'a.yaml: /expiration:'],
    [
      'a schema with a remote reference',
      'id: a\nformat: dc+sd-jwt\nschema: { type: object, $ref: "https://x.example/s" }\n',
      '/schema/$ref',
    ],
    [
      'a schema that is text',
      'id: a\nformat: dc+sd-jwt\nschema: object\n',
      'a.yaml: The schema cannot be used: /schema ',
    ],
    ['an empty schema', 'id: a\nformat: dc+sd-jwt\nschema:\n', 'a.yaml: The schema cannot be used: /schema '],
    ['an empty expiration', 'id: a\nformat: dc+sd-jwt\nexpiration:\n', 'a.yaml: /expiration:'],
    [
      'a decimal that would change',
      'id: a\nformat: dc+sd-jwt\nschema:\n  properties:\n    a: { const: 0.12345678901234567890 }\n',
      'a.yaml: line 5: 0.12345678901234567890 is a number',
    ],
    [
      'a number beyond 2^53 - 1',
      '{"id":"a","format":"dc+sd-jwt","schema":{"const":9007199254740993}}',
      'a.yaml: line 1: ',
    ],
    ['a number that is NaN', 'id: a\nformat: dc+sd-jwt\nschema: { const: .nan }\n', 'a.yaml: line 3: .nan'],
    ['a name of a display that is a number', 'id: a\nformat: dc+sd-jwt\ndisplay: [{ name: 7 }]\n', '/display/0/name:'],
    ['a protected claim to be disclosed', 'id: a\nformat: dc+sd-jwt\nselectivelyDisclosable: [/exp]\n', 'a.yaml: '],
    ['no mapping', '- id: a\n', 'must hold one mapping'],
    ['broken YAML', 'id: [a\n', 'a.yaml: '],
  ])('stop the start over %s, naming the file', async (_name, text, message) => {
    await expect(read({ 'a.yaml': text })).rejects.toThrow(message);
  });

  it('keep every name and number of a schema', async () => {
    const schema = {
      properties: { constructor: { const: 0x1f }, toString: { const: 1.5e-3 } },
      required: ['toString'],
    };
    const found = await read({
      'a.json': JSON.stringify({ id: 'a', format: 'dc+sd-jwt', schema }),
      'b.yaml':
        'id: b\nformat: dc+sd-jwt\nschema:\n  properties: { constructor: { const: 0x1F }, toString: { const: +.150e-2 } }\n  required: [toString]\n',
    });
    for (const id of ['a', 'b']) expect(JSON.stringify(found.get(id)?.schema)).toBe(JSON.stringify(schema));
  });

  it('stop the start when two files use one id', async () => {
    const text = 'id: a\nformat: jwt_vc_json\n';
    await expect(read({ 'a.yaml': text, 'b.yaml': text })).rejects.toThrow(
      'b.yaml: /id: a is used by another file already',
    );
  });
});
