import { attributeOf, type DerElement, extensionsIn, inside, partyIdentifier, readDer } from '@app/credentials';
import type { X509Certificate } from 'node:crypto';

/** What a certificate lacks of an access certificate, in words; without faults it is one. */
export interface AccessProfile {
  readonly faults: readonly string[];
  /** What some wallets may object to, though others do not. */
  readonly flaws: readonly string[];
}

type Extensions = NonNullable<ReturnType<typeof extensionsIn>>;

// OIDs as DER content in hex.
const CERTIFICATE_POLICIES = '551d20';
const CPS_URI = '2b06010505070201';
const QC_STATEMENTS = '2b06010505070103';
const QC_COMPLIANCE = '04008e460101';
const QC_TYPE = '04008e460106';
const SUBJECT_ALT_NAME = '551d11';
const TELEPHONE_NUMBER = '550414';
const KEY_USAGE = '551d0f';
const CRL_DISTRIBUTION_POINTS = '551d1f';
const AUTHORITY_INFORMATION = '2b06010505070101';
const OCSP = '2b06010505073001';

const [OTHER_NAME, EMAIL, URI] = [0xa0, 0x81, 0x86];
const NON_REPUDIATION = 0x40;
const shortLifeMs = 24 * 60 * 60 * 1000;

/** ETSI TS 119 411-8: 0.4.0.194118.1.1 to .4, each for natural or legal persons; of a qualified one with the type of its key. */
const policies = new Map([
  ['04008bec460101', { isLegal: false }],
  ['04008bec460102', { isLegal: true }],
  ['04008bec460103', { isLegal: false, type: '04008e46010601', name: 'esign' }],
  ['04008bec460104', { isLegal: true, type: '04008e46010602', name: 'eseal' }],
]);

/** ETSI EN 319 412-1 clauses 5.1.3 and 5.1.4; two letters and a colon are a scheme of the country. */
const identifierOf = {
  legal: /^(?:VAT|NTR|PSD|LEI|EOR|EXC|[A-Z]{2}:)[A-Z]{2}-\S+$/,
  natural: /^(?:TIN|PAS|IDC|PNO|TAX|[A-Z]{2}:)[A-Z]{2}-\S+$/,
};

/** Compares a certificate with the profile of access certificates for wallet-relying parties (ETSI TS 119 411-8 clause 6.6.1). */
export function readAccessProfile(certificate: X509Certificate): AccessProfile {
  const extensions = extensionsIn(certificate.raw);
  if (!extensions) return { faults: ['its extensions are malformed'], flaws: [] };
  const held = policiesIn(extensions);
  const isLegal = held.every((policy) => policy.isLegal);
  const usage = readDer(valueOf(extensions, KEY_USAGE))?.[0]?.content[1] ?? 0;
  const identifier = partyIdentifier(certificate) ?? '';
  return {
    faults: [
      ...faultsOfPolicies(held),
      ...faultsOfSubject(certificate.subject, isLegal),
      ...(hasContact(extensions)
        ? []
        : ['its subject alternative names have no contact: a URI, an e-mail address or a telephone number']),
      ...faultsOfQualified(held, extensions),
      ...(isRevocable(extensions) || lifeOf(certificate) <= shortLifeMs
        ? []
        : ['it lasts more than a day and names no revocation list (CRL) and no OCSP responder']),
    ],
    flaws: [
      ...((usage & NON_REPUDIATION) === 0 ? ['its key usage has no nonRepudiation'] : []),
      ...(/^(?:[A-Z]{3}|[A-Z]{2}:)GR-/.test(identifier) ? ['its identifier says GR, where Greece is EL'] : []),
    ],
  };
}

/** Every fault in one sentence; undefined without any. */
export function accessFaultOf({ faults }: AccessProfile): string | undefined {
  if (faults.length === 0) return undefined;
  return `no access certificate of the EU (ETSI TS 119 411-8): ${faults.join('; ')}`;
}

interface HeldPolicy {
  readonly isLegal: boolean;
  /** OID of the type of key that a qualified certificate of this policy has. */
  readonly type?: string;
  readonly name?: string;
  /** Whether it says where its statement (CPS) is. */
  readonly hasStatement: boolean;
}

function policiesIn(extensions: Extensions): readonly HeldPolicy[] {
  return inside(valueOf(extensions, CERTIFICATE_POLICIES)).flatMap(({ content }) => {
    const [oid, qualifiers] = readDer(content) ?? [];
    const policy = policies.get(hex(oid));
    const listed = qualifiers ? (readDer(qualifiers.content) ?? []) : [];
    const hasStatement = listed.some((qualifier) => hex(readDer(qualifier.content)?.[0]) === CPS_URI);
    return policy ? [{ ...policy, hasStatement }] : [];
  });
}

function faultsOfPolicies(held: readonly HeldPolicy[]): string[] {
  if (held.length === 0) return ['it has none of the certificate policies 0.4.0.194118.1.1 to 0.4.0.194118.1.4'];
  const kinds = new Set(held.map(({ isLegal }) => isLegal));
  return [
    ...(kinds.size > 1 ? ['it has certificate policies for a natural and for a legal person'] : []),
    ...(held.some(({ hasStatement }) => hasStatement)
      ? []
      : ['its certificate policy does not say where its practice statement is (cPSuri)']),
  ];
}

function faultsOfSubject(subject: string, isLegal: boolean): string[] {
  const has = (...types: readonly string[]): boolean => types.every((type) => attributeOf(subject, type) !== undefined);
  const [person, type] = isLegal
    ? (['legal', 'organizationIdentifier'] as const)
    : (['natural', 'serialNumber'] as const);
  const identifier = attributeOf(subject, type);
  const wanted = isLegal ? ['O', 'C', 'CN'] : ['C'];
  const missing = [...(identifier === undefined ? [type] : []), ...wanted.filter((each) => !has(each))];
  const isNamed = isLegal || has('GN', 'SN') || has('pseudonym');
  return [
    ...(missing.length > 0
      ? [`its subject has no ${missing.join(', no ')}, or several, as that of a ${person} person`]
      : []),
    ...(isNamed ? [] : ['its subject has neither a given name and a surname nor a pseudonym']),
    ...(identifier === undefined || identifierOf[person].test(identifier)
      ? []
      : [
          `its ${type} has another form than ETSI EN 319 412-1: ${isLegal ? 'VATDE-123456789' : 'TINDE-123456789'} for one`,
        ]),
  ];
}

function hasContact(extensions: Extensions): boolean {
  return inside(valueOf(extensions, SUBJECT_ALT_NAME)).some(
    ({ tag, content }) =>
      tag === EMAIL || tag === URI || (tag === OTHER_NAME && hex(readDer(content)?.[0]) === TELEPHONE_NUMBER),
  );
}

function faultsOfQualified(held: readonly HeldPolicy[], extensions: Extensions): string[] {
  const qualified = held.find(({ type }) => type !== undefined);
  if (!qualified) return [];
  const statements = inside(valueOf(extensions, QC_STATEMENTS)).map(({ content }) => readDer(content) ?? []);
  const types = statements.find(([oid]) => hex(oid) === QC_TYPE)?.[1];
  const isOfType = (types && readDer(types.content))?.some((type) => hex(type) === qualified.type) === true;
  return [
    ...(statements.some(([oid]) => hex(oid) === QC_COMPLIANCE)
      ? []
      : ['its policy is that of a qualified certificate, and it does not say QcCompliance']),
    ...(isOfType
      ? []
      : [`its policy is that of a qualified certificate, and its QcType is not ${qualified.name ?? ''}`]),
  ];
}

function isRevocable(extensions: Extensions): boolean {
  const methods = inside(valueOf(extensions, AUTHORITY_INFORMATION)).map(({ content }) => hex(readDer(content)?.[0]));
  return extensions.has(CRL_DISTRIBUTION_POINTS) || methods.includes(OCSP);
}

function lifeOf({ validFrom, validTo }: X509Certificate): number {
  return Date.parse(validTo) - Date.parse(validFrom);
}

function valueOf(extensions: Extensions, oid: string): Buffer {
  return extensions.get(oid)?.value ?? Buffer.alloc(0);
}

function hex(element: DerElement | undefined): string {
  return element?.content.toString('hex') ?? '';
}
