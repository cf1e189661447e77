import { certify } from '@app/credentials/fixtures/certificates';
import type { Settings } from '@app/config';
import { TrustAnchors, TrustLists } from '@app/identity';
import { xmlList, type XmlService } from '@app/identity/fixtures/xml-lists';
import { Metrics } from '@app/observability';
import { OutboundClient } from '@app/outbound';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, sealwrightHere } from '../support/service/command-line';

const end = new Date(Date.now() + 30 * 86_400_000).toISOString().replace(/\.\d+Z/, 'Z');
const ever = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-01-01T00:00:00Z') };
const authority = certify({ name: 'QEAA authority', isAuthority: true, ...ever });
const another = certify({ name: 'another authority', isAuthority: true, ...ever });
const leaf = certify({ name: 'leaf', issuer: authority, ...ever });
const service = (...certificates: XmlService['certificates']): XmlService => ({
  type: 'http://uri.etsi.org/TrstSvc/Svctype/EAA/Q',
  certificates,
});

describe('sealwright trust import', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'imported-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });
  const importing = (text: string, ...more: string[]): Promise<Ran> => {
    writeFileSync(join(directory, '.list.xml'), text);
    return sealwrightHere(['trust', 'import', join(directory, '.list.xml'), '--into', directory, ...more]);
  };
  const verified = (text: string, ...more: string[]): Promise<Ran> => importing(text, '--signature-verified', ...more);
  async function anchors(): Promise<TrustAnchors> {
    const settings = { trust: { anchors: directory, lists: [] as string[] } } as unknown as Settings;
    const opened = new TrustAnchors(settings, new TrustLists(settings, new OutboundClient()), new Metrics());
    await opened.onModuleInit();
    opened.onApplicationShutdown();
    return opened;
  }

  it('writes anchors that vouch for what is said, until the list ends', async () => {
    const more = ['--types', 'urn:a', 'urn:b', '--list', 'https://lists.example/at'];
    const ran = await verified(xmlList([service(authority, leaf)], 12, end), ...more);
    expect(ran).toEqual({
      code: 0,
      stdout: `1 authorities of the list AT 12 are in ${directory}, until ${end}.\n`,
      stderr: expect.stringMatching(/^1 were left out/) as string,
    });
    const trusted = await anchors();
    expect(trusted.find('issuer')).toMatchObject([
      {
        name: 'Example & Co',
        subject: 'CN=QEAA authority',
        purposes: ['issuer', 'document'],
        types: ['urn:a', 'urn:b'],
        list: 'https://lists.example/at',
        until: new Date(end),
      },
    ]);
    expect(trusted.find('status')).toEqual([]);
  });

  it('takes away those that the next list does not have, and nothing of others', async () => {
    writeFileSync(join(directory, 'own.pem'), another.certificate.toString());
    await verified(xmlList([service(authority)], 12, end));
    await verified(xmlList([service(another)], 13, end));
    const trusted = await anchors();
    expect(trusted.find('issuer').map(({ name, subject }) => `${name}: ${subject}`)).toEqual([
      'Example & Co: CN=another authority',
      'own: CN=another authority',
    ]);
  });

  it('refuses an older list than before, and one whose signature nobody has verified', async () => {
    await verified(xmlList([service(authority)], 12, end));
    const before = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    expect(await verified(xmlList([service(another)], 11, end))).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The list has the number 11, and that before had 12: get the newest one.\n',
    });
    writeFileSync(join(directory, '.list.xml'), before[0] ?? '');
    expect(await importing(xmlList([service(another)], 13, end))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--signature-verified') as string,
    });
    expect((await anchors()).find('issuer')).toMatchObject([{ subject: 'CN=QEAA authority' }]);
  });

  it.each<[string, string, string]>([
    ['no XML', 'x', 'found no well-formed XML'],
    ['a document type', `<!DOCTYPE a>${xmlList([])}`, 'found a document type'],
    ['a list that has expired', xmlList([], 12, '2026-01-01T00:00:00Z'), 'found an expired list'],
  ])('refuses %s', async (_, text, words) => {
    expect(await verified(text)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) as string });
    expect(readdirSync(directory)).toEqual(['.list.xml']);
  });
});
