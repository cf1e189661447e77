import { type Authority, certify } from '@app/credentials/fixtures/certificates';
import type { Settings } from '@app/config';
import { Metrics } from '@app/observability';
import { OutboundClient } from '@app/outbound';
import { endOf, TrustAnchors, TrustLists } from '@app/identity';
import { Logger } from '@nestjs/common';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const ever = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-01-01T00:00:00Z') };
const root = certify({ name: 'root', isAuthority: true, ...ever });
const second = certify({ name: 'second', isAuthority: true, ...ever });
const leaf = certify({ name: 'leaf', issuer: root, ...ever });
const pem = (...authorities: readonly Authority[]): string =>
  authorities.map(({ certificate }) => certificate.toString()).join('\n');

const privateKey = '-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n';

describe('trust anchors', () => {
  let directory: string;
  const opened: TrustAnchors[] = [];

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'anchors-'));
  });

  afterEach(() => {
    for (const anchors of opened.splice(0)) anchors.onApplicationShutdown();
    rmSync(directory, { recursive: true });
  });

  const write = (file: string, text: string): void => {
    writeFileSync(join(directory, file), text);
  };
  async function open(path = directory): Promise<TrustAnchors> {
    const settings = { trust: { anchors: path, lists: [] as string[] } } as unknown as Settings;
    const anchors = new TrustAnchors(settings, new TrustLists(settings, new OutboundClient()), new Metrics());
    opened.push(anchors);
    await anchors.onModuleInit();
    return anchors;
  }

  it('are none without the setting', async () => {
    expect((await open('')).find('issuer')).toEqual([]);
  });

  it('vouch for issuers of every type and their status lists unless a file beside them says otherwise', async () => {
    write('root.pem', pem(root));
    write('README.md', 'Who asked for which.');
    write('wallets.pem', pem(second));
    write('wallets.yaml', 'name: Wallets\npurposes: [wallet-provider]\n');
    const anchors = await open();
    expect(anchors.find('issuer')).toEqual(anchors.find('status'));
    expect(anchors.find('issuer')).toMatchObject([{ name: 'root', subject: 'CN=root', types: [] }]);
    expect(anchors.find('issuer')[0]?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(anchors.find('wallet-provider')).toMatchObject([{ name: 'Wallets', subject: 'CN=second' }]);
    expect(anchors.find('document')).toEqual([]);
    write('iaca.pem', pem(root));
    write('iaca.yaml', 'purposes: [document]\nsignsDocuments: true\n');
    await anchors.reload();
    expect(anchors.find('document')).toMatchObject([{ name: 'iaca', signsDocuments: true }]);
  });

  it('are read again when files are added, changed and removed', async () => {
    write('root.pem', pem(root));
    const anchors = await open();
    let changes = 0;
    anchors.onChange(() => changes++);
    await anchors.reload();
    expect(changes).toBe(0);
    write('second.pem', pem(second));
    write('root.yaml', 'purposes: [issuer]\ntypes: [urn:eudi:pid:1]\nlist: https://lists.example/pid\n');
    await anchors.reload();
    expect(anchors.find('issuer')).toMatchObject([
      { name: 'root', types: ['urn:eudi:pid:1'], list: 'https://lists.example/pid' },
      { name: 'second', types: [] },
    ]);
    rmSync(join(directory, 'root.pem'));
    rmSync(join(directory, 'root.yaml'));
    await anchors.reload();
    expect(anchors.find('issuer')).toMatchObject([{ name: 'second' }]);
    expect(changes).toBe(2);
  });

  it('are read again by themselves', async () => {
    const anchors = await open();
    write('root.pem', pem(root));
    while (anchors.find('issuer').length === 0) await delay(100);
    expect(anchors.find('issuer')).toMatchObject([{ name: 'root' }]);
  });

  it('keep the last good state of a file with a fault, and let others be withdrawn', async () => {
    write('root.pem', pem(root));
    write('second.pem', pem(second));
    const anchors = await open();
    write('root.pem', 'half of a fi');
    rmSync(join(directory, 'second.pem'));
    await anchors.reload();
    expect(anchors.find('issuer')).toMatchObject([{ name: 'root' }]);
    expect(anchors.state().faults).toEqual([
      expect.objectContaining({ source: join(directory, 'root.pem'), found: 'no certificate' }),
    ]);
    write('root.pem', pem(root));
    await anchors.reload();
    expect(anchors.state().faults).toEqual([]);
  });

  it('are kept when the directory disappears', async () => {
    write('root.pem', pem(root));
    const anchors = await open();
    rmSync(directory, { recursive: true });
    await anchors.reload();
    expect(anchors.find('issuer')).toHaveLength(1);
    expect(anchors.state().faults).toMatchObject([{ source: directory, found: 'no readable directory' }]);
    directory = mkdtempSync(join(tmpdir(), 'anchors-'));
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['no certificate', { 'a.pem': 'nothing' }, 'BEGIN CERTIFICATE'],
    ['a private key', { 'a.pem': pem(root) + privateKey }, 'remove it'],
    ['a broken certificate', { 'a.pem': pem(root).replace(/\n[^\n]+\n/, '\nAAAA\n') }, 'export it again as PEM'],
    ['a leaf', { 'a.pem': pem(leaf) }, 'give the root'],
    ['certificates under another ending', { 'a.crt': pem(root) }, 'NAME.pem'],
    ['a certificate under an ending in capitals', { 'a.PEM': pem(root) }, 'NAME.pem'],
    ['a limit under an ending in capitals', { 'a.pem': pem(root), 'a.YAML': 'types: [urn:a]' }, 'NAME.yaml'],
    ['a YAML file without certificate', { 'a.yaml': 'purposes: [issuer]' }, 'add a.pem'],
    ['no YAML', { 'a.pem': pem(root), 'a.yaml': '{' }, 'correct its YAML'],
    ['another purpose', { 'a.pem': pem(root), 'a.yaml': 'purposes: [issuers]' }, 'wallet-provider'],
    ['no purpose', { 'a.pem': pem(root), 'a.yaml': 'purposes: []' }, 'wallet-provider'],
    ['types that are no list', { 'a.pem': pem(root), 'a.yaml': 'types: pid' }, 'list of types'],
    ['another member', { 'a.pem': pem(root), 'a.yaml': 'purpose: [issuer]' }, 'name, purposes, types, list'],
    ['an issuer that signs documents', { 'a.pem': pem(root), 'a.yaml': 'signsDocuments: true' }, 'document among the'],
    ['an end that is no time', { 'a.pem': pem(root), 'a.yaml': 'until: 2027-06-30' }, '2027-06-30T12:00:00Z'],
    ['a list that is no URI', { 'a.pem': pem(root), 'a.yaml': 'list: pid' }, 'URI'],
  ])('stop the start with %s', async (_, files, remedy) => {
    for (const [file, text] of Object.entries(files)) write(file, text);
    await expect(open()).rejects.toThrow(remedy);
    await expect(open()).rejects.toThrow(`SERVICE__TRUST__ANCHORS (${directory}`);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['a member', { 'a.yaml': 'name: A\n\npurpose: [issuer]\n' }, 'a.yaml): found the member "purpose" (line 3)'],
    [
      'a purpose in a list',
      { 'a.yaml': 'purposes:\n  - status\n  - issuers\n' },
      'a.yaml): found the purpose "issuers" (line 3)',
    ],
    ['a purpose without list', { 'a.yaml': 'purposes: issuer' }, 'a.yaml): found no list of purposes (line 1)'],
    [
      'a type that is a number',
      { 'a.yaml': 'types: [urn:a, 7]' },
      'a.yaml): found the type 7, which is no text (line 1)',
    ],
    [
      'a list of trusted entities',
      { 'a.yaml': 'name: A\nlist: pid' },
      'a.yaml): found the list "pid", which is no URI (line 2)',
    ],
    ['a name', { 'a.yaml': 'purposes: [issuer]\nname: 7' }, 'a.yaml): found the name 7 (line 2)'],
    ['YAML', { 'a.yaml': 'name: A\ntypes: [urn:a' }, 'a.yaml): found a text that is not YAML (line 2)'],
    ['a member given twice', { 'a.yaml': 'name: A\nname: B' }, 'a.yaml): found a text that is not YAML (line 2)'],
    [
      'a certificate that is no authority',
      { 'a.pem': `${pem(root)}${pem(leaf)}` },
      `a.pem): found a certificate that is not an authority (basicConstraints CA): CN=leaf (line ${pem(root).split('\n').length})`,
    ],
    ['a private key', { 'a.pem': `\n${privateKey}` }, 'a.pem): found a private key (line 2)'],
  ])('say in which file and line %s is wrong', async (_, files, words) => {
    write('a.pem', pem(root));
    for (const [file, text] of Object.entries(files)) write(file, text);
    await expect(open()).rejects.toThrow(words);
  });

  // Docker makes a directory in place of a file to be mounted that does not exist.
  it.each<[string, (limit: string) => void]>([
    [
      'a directory',
      (limit) => {
        mkdirSync(limit);
      },
    ],
    [
      'a link that leads nowhere',
      (limit) => {
        symlinkSync(join(directory, 'none'), limit);
      },
    ],
  ])('stop the start when %s is in place of their limit', async (_, make) => {
    write('a.pem', pem(root));
    make(join(directory, 'a.yaml'));
    await expect(open()).rejects.toThrow('a.yaml): found no readable file');
  });

  it('vouch for nothing after their end, and are still shown', async () => {
    write('a.pem', pem(root));
    write('a.yaml', 'until: 2026-01-01T00:00:00Z\npurposes: [access, registrar]\n');
    write('b.pem', pem(second));
    write('b.yaml', 'until: 2048-01-01T00:00:00+01:00\npurposes: [access]\n');
    const anchors = await open();
    expect(anchors.find('access')).toMatchObject([{ name: 'b' }]);
    expect(anchors.find('registrar')).toEqual([]);
    expect(anchors.state().anchors.map((anchor) => endOf(anchor))).toEqual([
      new Date('2026-01-01T00:00:00Z'),
      new Date('2047-12-31T23:00:00Z'),
    ]);
  });

  it('keep the limit they had while its file is no file', async () => {
    write('a.pem', pem(root));
    write('a.yaml', 'types: [urn:a]');
    const anchors = await open();
    rmSync(join(directory, 'a.yaml'));
    symlinkSync(join(directory, 'none'), join(directory, 'a.yaml'));
    await anchors.reload();
    expect(anchors.find('issuer')).toMatchObject([{ types: ['urn:a'] }]);
    expect(anchors.state().faults).toMatchObject([{ source: join(directory, 'a.yaml'), found: 'no readable file' }]);
  });

  it('stop the start without their directory', async () => {
    await expect(open(join(directory, 'none'))).rejects.toThrow('give the path of a directory of PEM files');
  });
});
