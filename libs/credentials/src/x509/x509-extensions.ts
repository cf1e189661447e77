import { type DerElement, inside, readDer } from './der';

/** The extensions of a certificate (RFC 5280 §4.2) that decide whether it may vouch for an issuer. */
export type X509Extensions = {
  readonly isAuthority: boolean;
  /** How many further authorities may stand below this one; absent means any number. */
  readonly pathLength?: number;
  /** Absent when the certificate does not restrict its key. */
  readonly digitalSignature?: boolean;
  readonly dnsNames: readonly string[];
  readonly uris: readonly string[];
  /** OIDs of extended key usage (RFC 5280 §4.2.1.12) as DER content in hex; absent when the certificate has no such extension. */
  readonly extendedUses?: readonly string[];
  /** RFC 5280 §4.2.1.1, base64url. */
  readonly authorityKeyId?: string;
  /** RFC 5280 §4.2.1.2, base64url. */
  readonly subjectKeyId?: string;
  /** A critical extension that is not understood here: the certificate must be refused. */
  readonly unknownCritical: boolean;
  /** Name constraints (RFC 5280 §4.2.1.10), which nothing here compares, critical or not. */
  readonly constrainsNames: boolean;
};

const EXTENSIONS_TAG = 0xa3;
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const DNS_NAME = 0x82;
const URI = 0x86;
const KEY_IDENTIFIER = 0x80;
const OCTET_STRING = 0x04;

// OIDs 2.5.29.x as DER content. Policies are known and do not change the decision.
const BASIC_CONSTRAINTS = '551d13';
const KEY_USAGE = '551d0f';
const SUBJECT_ALT_NAME = '551d11';
const AUTHORITY_KEY_ID = '551d23';
const SUBJECT_KEY_ID = '551d0e';
const NAME_CONSTRAINTS = '551d1e';
const EXTENDED_KEY_USAGE = '551d25';
const KNOWN = new Set([BASIC_CONSTRAINTS, KEY_USAGE, SUBJECT_ALT_NAME, EXTENDED_KEY_USAGE, '551d20']);

/** What a DER certificate that OpenSSL has parsed has of extensions: each by its OID as DER content in hex; `undefined` when malformed. */
export function extensionsIn(
  certificate: Buffer,
): ReadonlyMap<string, { readonly value: Buffer; readonly isCritical: boolean }> | undefined {
  const found = new Map<string, { readonly value: Buffer; readonly isCritical: boolean }>();
  for (const extension of listExtensions(certificate)) {
    const parts = readDer(extension.content);
    const [oid, value] = [parts?.[0], parts?.at(-1)];
    if (parts === undefined || oid === undefined || value === undefined || parts.length < 2) return undefined;
    const name = oid.content.toString('hex');
    if (found.has(name)) return undefined; // RFC 5280 §4.2: one instance of each
    const isCritical = parts.length === 3 && parts[1]?.tag === BOOLEAN && parts[1].content[0] !== 0;
    found.set(name, { value: value.content, isCritical });
  }
  return found;
}

/** Reads them from a DER certificate that OpenSSL has parsed; `undefined` when they are malformed. */
export function readX509Extensions(certificate: Buffer): X509Extensions | undefined {
  const all = extensionsIn(certificate);
  if (all === undefined) return undefined;
  const unknownCritical = [...all].some(([name, { isCritical }]) => isCritical && !KNOWN.has(name));
  const found = new Map([...all].map(([name, { value }]) => [name, value]));
  const constraints = inside(found.get(BASIC_CONSTRAINTS));
  const names = inside(found.get(SUBJECT_ALT_NAME));
  const authorityKeyId = inside(found.get(AUTHORITY_KEY_ID)).find(({ tag }) => tag === KEY_IDENTIFIER)?.content;
  const subjectKeyId = readDer(found.get(SUBJECT_KEY_ID) ?? Buffer.alloc(0))?.[0];
  const usage = readDer(found.get(KEY_USAGE) ?? Buffer.alloc(0))?.[0];
  const pathLength = constraints.find(({ tag }) => tag === INTEGER)?.content;
  return {
    isAuthority: constraints.some(({ tag, content }) => tag === BOOLEAN && content[0] !== 0),
    ...(pathLength !== undefined && { pathLength: smallNumber(pathLength) }),
    // X.690 §8.6: the first byte counts unused bits; digitalSignature is the first bit after it.
    ...(usage?.tag === BIT_STRING && { digitalSignature: ((usage.content[1] ?? 0) & 0x80) !== 0 }),
    ...(found.has(EXTENDED_KEY_USAGE) && {
      extendedUses: inside(found.get(EXTENDED_KEY_USAGE)).map(({ content }) => content.toString('hex')),
    }),
    dnsNames: texts(names, DNS_NAME).map((name) => name.toLowerCase()),
    uris: texts(names, URI),
    ...(authorityKeyId !== undefined && { authorityKeyId: authorityKeyId.toString('base64url') }),
    ...(subjectKeyId?.tag === OCTET_STRING && { subjectKeyId: subjectKeyId.content.toString('base64url') }),
    unknownCritical,
    constrainsNames: found.has(NAME_CONSTRAINTS),
  };
}

/** Certificate → TBSCertificate → [3] → SEQUENCE OF Extension. */
function listExtensions(certificate: Buffer): readonly DerElement[] {
  const toBeSigned = inside(certificate)[0];
  const wrapper = toBeSigned && readDer(toBeSigned.content)?.find(({ tag }) => tag === EXTENSIONS_TAG);
  return inside(wrapper?.content);
}

function texts(names: readonly DerElement[], wanted: number): string[] {
  return names.filter(({ tag }) => tag === wanted).map(({ content }) => content.toString('latin1'));
}

function smallNumber(bytes: Buffer): number {
  return bytes.length === 1 ? bytes.readUInt8(0) : 0;
}
