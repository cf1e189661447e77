import type { Settings } from '@app/config';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestDefaults } from '@app/verification/src/question/request-defaults';

const folder = mkdtempSync(join(tmpdir(), 'request-defaults-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function defaults(content: string): RequestDefaults {
  const verifierInfoFile = join(folder, 'info.json');
  writeFileSync(verifierInfoFile, content);
  return of(verifierInfoFile);
}

function of(verifierInfoFile: string): RequestDefaults {
  const verification = { clientIdPrefix: 'x509_hash', verifierInfoFile };
  const settings = { profile: 'production', applicationUrl: 'https://verifier.example/path', verification };
  return new RequestDefaults(settings as unknown as Settings);
}

describe('what others attest about the service', () => {
  it('is read from the file at the start, or is nothing without one', async () => {
    const entries = [{ format: 'registration_cert', data: 'eyJ.e30.c2ln' }];
    const read = defaults(JSON.stringify(entries));
    await read.onModuleInit();
    expect(read.verifierInfo).toEqual(entries);
    const none = of('');
    await none.onModuleInit();
    expect([none.verifierInfo, none.ownOrigin]).toEqual([[], 'https://verifier.example']);
  });

  it.each([
    ['no JSON', 'secret', 'found a file that is not JSON; write an array'],
    ['no list', '{}', 'must be an array'],
    ['an entry without data', '[{"format":"jwt"}]', 'found a fault at "/0/data" of the file; it must be'],
    [
      'two registration certificates',
      '[{"format":"registration_cert","data":"a"},{"format":"registration_cert","data":"secret"}]',
      'found several registration certificates; leave one',
    ],
    ['credential_ids', '[{"format":"jwt","data":"x","credential_ids":["a"]}]', 'found credential_ids in the file'],
  ])('stops the start when the file holds %s', async (_, content, words) => {
    const start = defaults(content).onModuleInit();
    await expect(start).rejects.toThrow(words);
    await expect(start).rejects.toThrow('SERVICE__VERIFICATION__VERIFIER_INFO_FILE');
    await expect(start).rejects.not.toThrow('secret');
  });

  it('stops the start when there is no such file', async () => {
    await expect(of(join(folder, 'none.json')).onModuleInit()).rejects.toThrow('found a path that cannot be read');
  });
});
