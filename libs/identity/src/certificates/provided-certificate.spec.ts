import { SettingsError } from '@app/config';
import { Logger } from '@nestjs/common';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateFault } from '../certificate-fault';
import { installProvided } from './provided-certificate';

const now = new Date('2026-11-22T12:00:00Z');
let directory: string;
const path = (name: string): string => join(directory, name);
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sealwright-certificate-'));
  await writeFile(path('chain.pem'), 'the chain');
  await writeFile(path('key.pem'), 'the key');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const none = { chainFile: '', keyFile: '' };
const nothing = { profile: '', requests: none, documents: none, metadata: none } as const;
const files = (chainFile: string, keyFile: string) => ({ ...nothing, requests: { chainFile, keyFile } });

describe('the certificate that the settings name', () => {
  it('is installed with its key, and logged the first time', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    const isNew = [true, false];
    const installed: unknown[][] = [];
    const installWithKey = (...given: unknown[]) => {
      installed.push(given);
      return Promise.resolve({ kid: 'k', isNew: isNew.shift() === true, warnings: [] });
    };
    for (let start = 0; start < 2; start++) {
      await installProvided({ installWithKey }, files(path('chain.pem'), path('key.pem')), now);
    }
    await installProvided({ installWithKey }, files('', ''), now);
    expect(installed).toEqual(Array(2).fill(['requests', 'the key', 'the chain', now]));
    expect(log.mock.calls).toEqual([[{ event: 'certificates.installed', keyId: 'k' }]]);
    log.mockRestore();
  });

  it('is that of a document signer as well, with a warning for each flaw', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const installWithKey = (use: string) =>
      Promise.resolve({ kid: use, isNew: true, warnings: ['its key usage is not critical'] });
    const documents = { chainFile: path('chain.pem'), keyFile: path('key.pem') };
    await installProvided({ installWithKey }, { ...nothing, documents }, now);
    expect(log.mock.calls).toEqual([[{ event: 'certificates.installed', keyId: 'documents' }]]);
    const reason = 'its key usage is not critical';
    expect(warn.mock.calls).toEqual([[{ event: 'certificates.imperfect', keyId: 'documents', reason }]]);
    log.mockRestore();
    warn.mockRestore();
  });

  it.each<[string, () => [string, string], string]>([
    [
      'a chain that is not there',
      () => [path('none'), path('key.pem')],
      'CHAIN_FILE: found a file that cannot be read',
    ],
    ['a key that is not there', () => [path('chain.pem'), path('none')], 'KEY_FILE: found a file that cannot be read'],
    ['a fault in the chain', () => [path('chain.pem'), path('key.pem')], 'CHAIN_FILE: found an expired certificate'],
  ])('stops the start with %s', async (_, given, words) => {
    const installWithKey = () =>
      Promise.reject(new CertificateFault('an expired certificate', 'have a new one issued'));
    const started = installProvided({ installWithKey }, files(...given()), now);
    await expect(started).rejects.toThrow(SettingsError);
    await expect(started).rejects.toThrow(`SERVICE__CERTIFICATES__REQUESTS__${words}`);
  });
});
