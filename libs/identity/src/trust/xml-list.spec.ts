import { type Authority, certify } from '@app/credentials/fixtures/certificates';
import { xmlList, type XmlService } from '../../fixtures/xml-lists';
import { readXmlList } from './xml-list';

const now = new Date('2026-11-22T12:00:00Z');
const authority = certify({ name: 'QEAA authority', isAuthority: true });
const another = certify({ name: 'another authority', isAuthority: true });
const leaf = certify({ name: 'leaf', issuer: authority });
const qualified = 'http://uri.etsi.org/TrstSvc/Svctype/EAA/Q';
const read = (text: string) => readXmlList(text, new Set([qualified]), now);
const service = (changes: Partial<XmlService> = {}, ...of: readonly Authority[]): XmlService => ({
  type: qualified,
  certificates: of.length > 0 ? of : [authority],
  ...changes,
});

describe('a trusted list in XML', () => {
  it('gives the authorities of the services that are meant and in force', () => {
    const text = xmlList([
      service({}, authority, another),
      service({ type: 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC' }),
      service({ status: 'withdrawn' }),
      service({ extension: '<Extension Critical="false"/>' }, another),
    ]);
    const list = read(text);
    expect(list).toMatchObject({ sequence: 12, territory: 'AT', leftOut: 0 });
    expect(list.nextUpdate).toEqual(new Date('2027-03-01T00:00:00Z'));
    expect(list.authorities.map(({ name, certificate }) => `${name} ${certificate.subject}`)).toEqual([
      'Example & Co CN=QEAA authority',
      'Example & Co CN=another authority',
      'Example & Co CN=another authority',
    ]);
    expect(read(`\uFEFF${text}`).authorities).toHaveLength(3);
  });

  it('leaves out leaves, what is no certificate, and services whose extensions it has to understand', () => {
    const text = xmlList([
      service({}, leaf),
      service({ extension: '<Extension Critical="true"/>' }),
      service({ extension: '<Extension/>' }),
    ]);
    expect(read(text)).toMatchObject({ authorities: [], leftOut: 3 });
    expect(read(xmlList([service()]).replace(/<X509Certificate>[^<]+/, '<X509Certificate>AAAA'))).toMatchObject({
      leftOut: 1,
    });
  });

  it.each<[string, (text: string) => string, string]>([
    ['with a document type', (text) => `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${text}`, 'DOCTYPE'],
    ['with an entity that nobody declares', (text) => text.replace('&amp;', '&x;'), 'no well-formed XML'],
    ['that is torn', (text) => text.slice(0, -20), 'no well-formed XML'],
    ['with something behind it', (text) => `${text}<a/>`, 'no well-formed XML'],
    ['with a comment in a value', (text) => text.replace('EAA/Q', 'EAA/Q<!-- -->'), 'a comment or an instruction'],
    [
      'with an instruction in a value',
      (text) => text.replace('granted', 'gran<?a?>ted'),
      'a comment or an instruction',
    ],
    ['in another namespace', (text) => text.replace('02231/v2#', '02231/v1#'), 'another root element'],
    ['of another kind', () => '<a/>', 'another root element'],
    ['that is empty', () => '', 'no well-formed XML'],
    ['of JSON', () => '{}', 'no well-formed XML'],
    ['without a number', (text) => text.replace('>12<', '><'), 'no TSLSequenceNumber'],
    ['with two numbers', (text) => text.replace(/<TSLS.*?<\/TSLSequenceNumber>/, '$&$&'), 'no TSLSequenceNumber'],
    ['without a territory', (text) => text.replace('>AT<', '>Austria<'), 'no SchemeTerritory'],
    ['that was closed', (text) => text.replace(/<dateTime>.*?<\/dateTime>/, ''), 'no NextUpdate'],
    ['that has expired', (text) => text.replace('2027-03-01', '2026-11-01'), 'an expired list'],
    ['deeper than any', (text) => text.replace('</Sch', `${'<a>'.repeat(70)}${'</a>'.repeat(70)}$&`), '64 deep'],
  ])('is refused %s', (_, change, words) => {
    expect(() => read(change(xmlList([service()])))).toThrow(words);
  });
});
