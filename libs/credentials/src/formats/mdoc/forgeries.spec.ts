import { type CborMap, type CborValue, coseKeyOf, Tagged } from '@app/primitives/cbor';
import { createHmac } from 'node:crypto';
import { certify } from '../../../fixtures/certificates';
import {
  anchorFor,
  device,
  deviceKeyOf,
  documentPolicy,
  expectedMdoc,
  mdocPresentation,
  presentationBytes,
  root,
  signer,
  signerOf,
  tdate,
} from '../../../fixtures/mdoc';

import { expectRefusal } from '../../../fixtures/refusal';
import type { ExpectedPresentation } from '../../presentation/expected-presentation';
import { verifyPresentation } from '../../presentation-verifier';

import {
  type Row,
  type Changed,
  without,
  set,
  renamed,
  after,
  validity,
  der,
  flipped,
} from '../../../fixtures/mdoc-changes';

/** What of an honest presentation is forged, each refused by the check that is named. */

const stranger = certify({ name: 'IACA of Utopia', isAuthority: true, pathLength: 0 });
const otherDevice = deviceKeyOf();
const ofStranger = signerOf({ issuer: stranger });
const middle = signerOf({ name: 'Middle', isAuthority: true, keyUsage: 0x86 });
const raw = (...chain: readonly { readonly certificate: { readonly raw: Buffer } }[]) =>
  chain.map(({ certificate }) => certificate.raw);
const document = () => {
  const parts: Changed[] = [];
  presentationBytes({ document: (map) => (parts.push(map), map) });
  return parts[0] ?? new Map();
};
const twoDocuments = (first: boolean) => (map: Changed) => {
  const [honest] = map.get('documents') as CborValue[];
  return map.set('documents', first ? [document(), honest] : [honest, document()]);
};
const secret = signer.certificate.publicKey.export({ type: 'spki', format: 'der' });

const container: Row[] = [
  ['bytes after it (3)', { bytes: after }, 'structure'],
  ['bytes missing (4)', { bytes: (bytes) => bytes.subarray(0, -1) }, 'structure'],
  ['a document alone (5)', { response: (map) => (map.get('documents') as CborValue[])[0] }, 'structure'],
  ['what the issuer signed alone (5)', { response: () => document().get('issuerSigned') as CborMap }, 'structure'],
  ['no version (6)', { response: without('version') }, 'structure'],
  ['another version (6)', { response: set('version', '2.0') }, 'structure'],
  ['another status (7)', { response: set('status', 10) }, 'structure'],
  ['no status (7)', { response: without('status') }, 'structure'],
  ['no documents (8)', { response: without('documents') }, 'structure'],
  ['an empty list of documents (8)', { response: set('documents', []) }, 'structure'],
  ['errors only (8)', { response: (map) => without('documents')(map.set('documentErrors', [])) }, 'structure'],
  ['two documents (9)', { response: twoDocuments(true) }, 'structure'],
  ['two documents in the other order (9)', { response: twoDocuments(false) }, 'structure'],
  ['documents twice (10)', { response: set('documentX', []), bytes: renamed('documentX', 'documents') }, 'structure'],
  [
    'documents twice with heads of different length (10)',
    { response: set('documentX', []), bytes: renamed('\x69documentX', '\x78\x09documents') },
    'structure',
  ],
  ['docType twice (11)', { document: set('docTypX', 'x'), bytes: renamed('docTypX', 'docType') }, 'structure'],
  [
    '100,000 levels (12)',
    { bytes: () => Buffer.concat([Buffer.of(0xa1, 0), Buffer.alloc(100_000, 0x81)]) },
    'structure',
  ],
  ['a length of 2^40 (13)', { bytes: () => Buffer.from('a15b0000010000000000', 'hex') }, 'structure'],
];

const issuer: Row[] = [
  ['a signature that is altered (14)', { issuerSignature: flipped }, 'issuer-signature'],
  ['a signature of zeros (14)', { issuerSignature: () => Buffer.alloc(64) }, 'issuer-signature'],
  ['an empty signature (14)', { issuerSignature: () => Buffer.alloc(0) }, 'issuer-signature'],
  ['a signature in DER (14)', { issuerSignature: der }, 'issuer-signature'],
  [
    'another key under the certificate (15)',
    { signer: ofStranger, x5chain: signer.certificate.raw },
    'issuer-signature',
  ],
  ['a self-signed certificate (16)', { signer: certify({ name: 'Signer of Utopia' }) }, 'issuer-key'],
  ['a root of the same name (17)', { signer: ofStranger }, 'issuer-key'],
  ['a foreign root in the chain (18)', { signer: ofStranger, x5chain: raw(ofStranger, stranger) }, 'issuer-key'],
  ['a stranger before the signer (19)', { signer: stranger, x5chain: raw(stranger, signer) }, 'issuer-key'],
  ['a stranger behind the signer (20)', { x5chain: raw(signer, stranger) }, 'issuer-key'],
  ['no chain (21)', { unprotectedHeader: without(33) }, 'structure'],
  ['an empty chain (21)', { x5chain: [] }, 'structure'],
  ['no certificates in it (21)', { x5chain: Buffer.from('garbage') }, 'issuer-key'],
  ['texts in it (21)', { x5chain: [signer.certificate.raw.toString('base64')] }, 'structure'],
  [
    'a chain of its own in the protected header (21)',
    { protectedHeader: set(33, ofStranger.certificate.raw) },
    'structure',
  ],
  ['a certificate with bytes after it (21)', { x5chain: after(signer.certificate.raw) }, 'issuer-key'],
  [
    'a key in another header (22)',
    { unprotectedHeader: (map) => without(33)(map.set(-1, coseKeyOf(device.jwk))) },
    'structure',
  ],
  [
    'alg in the unprotected header (23)',
    { protectedHeader: without(1), unprotectedHeader: set(1, -7) },
    'issuer-signature',
  ],
  ['no alg (23)', { protectedHeader: without(1) }, 'issuer-signature'],
  ...[0, 'ES256', -8, -35, -257].map((alg): Row => [`the alg ${alg} (23)`, { alg }, 'issuer-signature']),
  [
    'a MAC with the public key (24)',
    { alg: 5, signIssuer: (data) => createHmac('sha256', secret).update(data).digest() },
    'issuer-signature',
  ],
  ['crit (25)', { protectedHeader: set(2, [4]) }, 'structure'],
  ['external data (26)', { aad: Buffer.from('x') }, 'issuer-signature'],
  ['another context (26)', { context: 'Signature' }, 'issuer-signature'],
  ['three parts (27)', { issuerAuth: (parts) => parts.slice(1) }, 'structure'],
  ['five parts (27)', { issuerAuth: (parts) => [...parts, null] }, 'structure'],
  ['a tag (27)', { issuerAuth: (parts) => new Tagged(18, parts) }, 'structure'],
  ['no payload (28)', { payload: () => null }, 'structure'],
];

const certificates: Row[] = [
  ['expired (29)', { signer: signerOf({ notAfter: new Date('2026-11-19T00:00:00Z') }) }, 'issuer-key'],
  ['not valid yet (29)', { signer: signerOf({ notBefore: new Date('2026-11-21T00:00:00Z') }) }, 'issuer-key'],
  ['for no use (30)', { signer: certify({ name: 'x', issuer: root, keyUsage: 0x80 }) }, 'issuer-key'],
  ['for readers (30)', { signer: signerOf({ extendedUses: ['28818c5d050106'] }) }, 'issuer-key'],
  ['for TLS (30)', { signer: signerOf({ extendedUses: ['2b06010505070301'] }) }, 'issuer-key'],
  ['for any use (30)', { signer: signerOf({ extendedUses: ['551d2500'] }) }, 'issuer-key'],
  ['not for signatures (31)', { signer: signerOf({ keyUsage: 0x20 }) }, 'issuer-key'],
  [
    'without a key usage (31)',
    { signer: certify({ name: 'x', issuer: root, extendedUses: ['28818c5d050102'] }) },
    'issuer-key',
  ],
  ['with a critical extension (32)', { signer: signerOf({ unknownCritical: true }) }, 'issuer-key'],
  ['the root (33)', { signer: root }, 'issuer-key'],
  [
    'below another authority (34)',
    { signer: signerOf({ issuer: middle }), x5chain: raw(signerOf({ issuer: middle }), middle) },
    'issuer-key',
  ],
  [
    'of a signer (35)',
    { signer: signerOf({ issuer: signer }), x5chain: raw(signerOf({ issuer: signer }), signer) },
    'issuer-key',
  ],
  ['altered (36)', { x5chain: flippedEnd(signer.certificate.raw) }, 'issuer-key'],
  ['an authority', { signer: signerOf({ isAuthority: true }) }, 'issuer-key'],
];

function flippedEnd(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, -1), Buffer.of(bytes.readUInt8(bytes.length - 1) ^ 1)]);
}

const day = tdate('2026-11-01T00:00:00Z');
const object: Row[] = [
  ['no tag 24 (37)', { payload: (bytes) => bytes.subarray(5) }, 'structure'],
  ['another label (38)', { document: set('docType', 'org.example.diploma') }, 'structure'],
  ['another version (40)', { object: set('version', '1.1') }, 'structure'],
  ...['SHA-1', 'MD5', 'sha-256', undefined].map((name): Row => [
    `digests by ${name} (41)`,
    { object: set('digestAlgorithm', name) },
    'structure',
  ]),
  ['digests by another algorithm than named (41)', { object: set('digestAlgorithm', 'SHA-512') }, 'structure'],
  ['an end that is over (42)', validity({ validUntil: tdate('2026-11-20T11:58:00Z') }), 'times'],
  ['a beginning to come (42)', validity({ validFrom: tdate('2026-11-20T12:02:00Z') }), 'times'],
  ['a signature of the future (42)', validity({ signed: tdate('2026-11-20T12:02:00Z') }), 'times'],
  ['a signature before the certificate (42)', validity({ signed: tdate('2025-12-31T23:58:00Z') }), 'times'],
  [
    'an end before the beginning (42)',
    validity({ validFrom: tdate('2026-11-20T12:00:30Z'), validUntil: tdate('2026-11-20T12:00:00Z') }),
    'times',
  ],
  ...['signed', 'validFrom', 'validUntil'].flatMap((name): Row[] => [
    [
      `no ${name} (42)`,
      { object: (map) => map.set('validityInfo', without(name)(new Map(map.get('validityInfo') as CborMap))) },
      'structure',
    ],
    [`a ${name} that is a text (42)`, validity({ [name]: '2026-11-01T00:00:00Z' }), 'structure'],
    [`a ${name} that is a day (42)`, validity({ [name]: new Tagged(1004, '2026-11-01') }), 'structure'],
    [`a ${name} that is no date (42)`, validity({ [name]: tdate('soon') }), 'structure'],
  ]),
  ['signed twice (42)', { validity: { signeX: day }, objectBytes: renamed('signeX', 'signed') }, 'structure'],
  ['no device key (43)', { deviceKey: undefined }, 'structure'],
  [
    'a private device key (43)',
    { deviceKey: new Map([...coseKeyOf(device.jwk), [-4, Buffer.alloc(32, 1)]]) },
    'structure',
  ],
  [
    'a device key off the curve (43)',
    { deviceKey: new Map([...coseKeyOf(device.jwk), [-2, Buffer.alloc(32, 1)]]) },
    'key-binding',
  ],
  ['the device key of another holder (43)', { deviceKey: coseKeyOf(otherDevice.jwk) }, 'key-binding'],
];

const verify = (text: string, changes: Partial<ExpectedPresentation> = {}) =>
  verifyPresentation(text, { ...expectedMdoc, ...changes }, documentPolicy({ document: [anchorFor(root)] }));

describe.each<[string, Row[]]>([
  ['a response', container],
  ['issuerAuth', issuer],
  ['a signer whose certificate is', certificates],
  ['a mobile security object', object],
])('%s', (_, rows) => {
  it.each(rows)('is refused: %s', async (_what, changes, check) => {
    expectRefusal(await verify(mdocPresentation(changes)), check);
  });
});
