import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProvisionedConfigurations } from '@app/templates/src/provisioned-configurations';

const hostedVct = (id: string): string => `https://issuer.example/vct/${id}/1`;

/** Reads a directory that holds exactly these files. */
async function read(files: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(tmpdir(), 'provisioned-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    return await readProvisionedConfigurations(directory, hostedVct);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('provisioned configurations', () => {
  it('are read from YAML and JSON, without a limit to the life of credentials unless told', async () => {
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

  it.each([
    [
      'a format nobody issues',
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
    ['an expiration that is none', 'id: a\nformat: jwt_vc_json\nexpiration: soon\n', 'a.yaml: /expiration:'],
    [
      'a schema with a remote reference',
      'id: a\nformat: dc+sd-jwt\nschema: { type: object, $ref: "https://x.example/s" }\n',
      '/schema/$ref',
    ],
    ['a protected claim to be disclosed', 'id: a\nformat: dc+sd-jwt\nselectivelyDisclosable: [/exp]\n', 'a.yaml: '],
    ['no mapping', '- id: a\n', 'must hold one mapping'],
    ['broken YAML', 'id: [a\n', 'a.yaml: '],
  ])('stop the start over %s, naming the file', async (_name, text, message) => {
    await expect(read({ 'a.yaml': text })).rejects.toThrow(message);
  });

  it('stop the start when two files use one id', async () => {
    const text = 'id: a\nformat: jwt_vc_json\n';
    await expect(read({ 'a.yaml': text, 'b.yaml': text })).rejects.toThrow(
      'b.yaml: /id: a is used by another file already',
    );
  });
});
