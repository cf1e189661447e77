import { type CborMap, type CborValue, coseKeyOf, encodeCbor, Tagged } from '@app/primitives/cbor';
import { createHash, createHmac } from 'node:crypto';

import {
  anchorFor,
  device,
  deviceKeyOf,
  doctype,
  documentPolicy,
  elements,
  encoded,
  expectedMdoc,
  mapOf,
  type MdocChanges,
  mdocPresentation,
  mdocQuery,
  rawSignature,
  root,
  signer,
  space,
} from '../../../fixtures/mdoc';
import {
  jwtVcQuery,
  nonce,
  presentedTo,
  query as sdJwtQuery,
  sdJwtPresentation,
  jwtVp,
} from '../../../fixtures/presentations';
import { expectRefusal } from '../../../fixtures/refusal';
import type { ExpectedPresentation } from '../../presentation/expected-presentation';
import { verifyPresentation } from '../../presentation-verifier';

import { sessionTranscript } from './session-transcript';

import {
  type Row,
  type Changed,
  without,
  set,
  renamed,
  after,
  inSpace,
  inItem,
  itemsOf,
  der,
  flipped,
} from '../../../fixtures/mdoc-changes';

/** What of an honest presentation is forged, each refused by the check that is named. */

const otherDevice = deviceKeyOf();
const itemOf = (value: CborValue, id: number, name = 'family_name') =>
  encoded(
    encodeCbor(mapOf({ digestID: id, random: Buffer.alloc(24, id), elementIdentifier: name, elementValue: value })),
  );

const items: Row[] = [
  ['another value (44)', { shown: inSpace(([, ...rest]) => [itemOf('Mallory', 0), ...rest]) }, 'disclosures'],
  [
    'another identifier (44)',
    { shown: inSpace(([first, ...rest]) => [itemOf('Bergström', 0, 'family_namf'), first, ...rest]) },
    'disclosures',
  ],
  ['another digest id (44)', { shown: inSpace(([, ...rest]) => [itemOf('Bergström', 1), ...rest]) }, 'disclosures'],
  [
    'an age that is flipped (45)',
    { shown: inSpace((all) => [...all.slice(0, 3), itemOf(false, 3, 'age_over_18'), ...all.slice(4)]) },
    'disclosures',
  ],
  [
    'an element that was never signed (46)',
    { shown: inSpace((all) => [...all, itemOf(true, 99, 'admin')]) },
    'disclosures',
  ],
  [
    'an element of another name space (47)',
    { shown: (map) => map.set('org.iso.18013.5.1.UT', itemsOf(map).slice(0, 1)) },
    'disclosures',
  ],
  [
    'a name space that was not signed (48)',
    { shown: (map) => map.set('org.example', itemsOf(map).slice(0, 1)) },
    'disclosures',
  ],
  ['an element twice (49)', { shown: inSpace(([first, ...rest]) => [first, first, ...rest]) }, 'disclosures'],
  [
    'an identifier with two values (49)',
    {
      item: (item) =>
        item.get('elementIdentifier') === 'given_name' ? item.set('elementIdentifier', 'family_name') : item,
    },
    'disclosures',
  ],
  [
    'a name space twice (50)',
    { shown: (map) => map.set('org.iso.18013.5.X', []), bytes: renamed('org.iso.18013.5.X', 'org.iso.18013.5.1') },
    'structure',
  ],
  [
    'a key twice in an item (51)',
    { ...inItem(set('elementValuX', 'x')), itemBytes: renamed('elementValuX', 'elementValue') },
    'disclosures',
  ],
  ['no tag 24 (52)', { shown: inSpace(([first, ...rest]) => [(first as Tagged).content, ...rest]) }, 'disclosures'],
  [
    'an item that was encoded again (53)',
    { shown: inSpace(([first, ...rest]) => [encoded(longer((first as Tagged).content as Buffer)), ...rest]) },
    'disclosures',
  ],
  ['a byte after an item (54)', { itemBytes: after }, 'disclosures'],
  ['digests that are cut (55)', { digestOf: (bytes) => bytes.subarray(0, 31) }, 'structure'],
  ['digests that are empty (55)', { digestOf: () => Buffer.alloc(0) }, 'structure'],
  ['a digest id twice (56)', { digests: digestTwice, objectBytes: renamed('\x18\xfe', '\x18\xfd') }, 'structure'],
  ['no random (57)', inItem(without('random')), 'disclosures'],
  ['a short random (57)', inItem(set('random', Buffer.alloc(15))), 'disclosures'],
  ['no value (57)', inItem(without('elementValue')), 'disclosures'],
  ['no identifier (57)', inItem(without('elementIdentifier')), 'disclosures'],
  ['without what was asked for (58)', { shown: inSpace((all) => all.slice(1)) }, 'query'],
  [
    'what was asked for from the holder alone (59)',
    {
      ...mayState(space, 'family_name'),
      shown: inSpace((all) => all.slice(1)),
      deviceElements: mapOf({ [space]: mapOf({ family_name: 'Mallory' }) }),
    },
    'query',
  ],
  [
    'a statement of the holder beside that of the issuer (60)',
    { ...mayState(space, 'family_name'), deviceElements: mapOf({ [space]: mapOf({ family_name: 'Mallory' }) }) },
    'disclosures',
  ],
  [
    'a statement of the holder without authorization (61)',
    { deviceElements: mapOf({ 'org.example': mapOf({ a: 1 }) }) },
    'disclosures',
  ],
  [
    'a statement of the holder of another name (61)',
    { ...mayState('org.example', 'b'), deviceElements: mapOf({ 'org.example': mapOf({ a: 1 }) }) },
    'disclosures',
  ],
  ['a name that is not safe', { elements: { [space]: { ...elements[space], ['__proto__']: 1 } } }, 'disclosures'],
];

function longer(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0xb8, bytes.readUInt8(0) & 31), bytes.subarray(1)]);
}

function digestTwice(digests: Changed): Changed {
  const digest = Buffer.alloc(32);
  return digests.set(space, new Map([...(digests.get(space) as CborMap), [0xfd, digest], [0xfe, digest]]));
}

function mayState(name: string, element: string): MdocChanges {
  return { deviceKeyInfo: { keyAuthorizations: mapOf({ dataElements: mapOf({ [name]: [element] }) }) } };
}

const to = (changes: Partial<typeof presentedTo>) => ({
  transcript: sessionTranscript({ ...presentedTo, ...changes }, nonce),
});
const handover = (name: string, info: CborValue): MdocChanges => ({
  transcript: encodeCbor([null, null, [name, info]]),
});
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const { clientId, responseUri = '' } = presentedTo;
const origin = 'https://verifier.example';
const info = [clientId, nonce, null, responseUri];
const byMac = (key: Buffer): MdocChanges => ({
  deviceAuth: () =>
    mapOf({ deviceMac: [encodeCbor(new Map([[1, 5]])), new Map(), null, createHmac('sha256', key).digest()] }),
});

const deviceSigned: Row[] = [
  ['a signature that is altered (62)', { deviceSignature: flipped }, 'key-binding'],
  ['a signature in DER (62)', { deviceSignature: der }, 'key-binding'],
  ['another key (62)', { deviceSigner: otherDevice }, 'key-binding'],
  ['the key of the issuer (62)', { deviceSigner: { ...device, privateKey: signer.key.privateKey } }, 'key-binding'],
  [
    'a key of its header (62)',
    { deviceSigner: otherDevice, deviceUnprotected: new Map([[-1, coseKeyOf(otherDevice.jwk)]]) },
    'key-binding',
  ],
  ['another nonce (63)', { transcript: sessionTranscript(presentedTo, 'other') }, 'key-binding'],
  ['another client id (63)', to({ clientId: 'x509_san_dns:evil.example' }), 'key-binding'],
  ['a client id without its prefix (63)', to({ clientId: 'verifier.example' }), 'key-binding'],
  ['another response_uri (63)', to({ responseUri: 'https://evil.example/response' }), 'key-binding'],
  ['a slash more (63)', to({ responseUri: `${responseUri}/` }), 'key-binding'],
  ['the handover of the Digital Credentials API (65)', to({ origin }), 'key-binding'],
  ['a thumbprint without encryption (66)', to({ encryptionKey: device.jwk }), 'key-binding'],
  ['info that is not hashed (67)', handover('OpenID4VPHandover', info), 'key-binding'],
  ['info that is wrapped (67)', handover('OpenID4VPHandover', sha256(encodeCbor(encodeCbor(info)))), 'key-binding'],
  ['info in a tag (67)', handover('OpenID4VPHandover', sha256(encodeCbor(encoded(encodeCbor(info))))), 'key-binding'],
  [
    'a handover without its name (67)',
    { transcript: encodeCbor([null, null, [sha256(encodeCbor(info))]]) },
    'key-binding',
  ],
  [
    'the handover of ISO/IEC TS 18013-7 annex B (68)',
    {
      transcript: encodeCbor([
        null,
        null,
        [sha256(encodeCbor([clientId, 'g'])), sha256(encodeCbor([responseUri, 'g'])), nonce],
      ]),
    },
    'key-binding',
  ],
  [
    'the handover of a QR code (69)',
    { transcript: encodeCbor([encoded(Buffer.from('a0', 'hex')), encoded(Buffer.from('a0', 'hex')), null]) },
    'key-binding',
  ],
  ['a payload of another session (70)', attached(), 'structure'],
  ['another docType (71)', { deviceDoctype: 'org.example.diploma' }, 'key-binding'],
  ['no tag 24 around it (72)', { authentication: (bytes) => bytes.subarray(bytes[2] === 0x58 ? 4 : 5) }, 'key-binding'],
  ['another context (73)', { deviceContext: 'ReaderAuthentication' }, 'key-binding'],
  [
    'statements of the holder that are exchanged (74)',
    { deviceSigned: set('nameSpaces', encoded(encodeCbor(mapOf({ [space]: mapOf({ a: 1 }) })))) },
    'key-binding',
  ],
  ['no deviceSigned (75)', { document: without('deviceSigned') }, 'structure'],
  ['no deviceAuth (75)', { deviceSigned: without('deviceAuth') }, 'structure'],
  ['no nameSpaces in it (75)', { deviceSigned: without('nameSpaces') }, 'structure'],
  ['no signature in it (75)', { deviceAuth: without('deviceSignature') }, 'structure'],
  ['a MAC beside the signature (76)', { deviceAuth: set('deviceMac', []) }, 'structure'],
  ['a MAC with a key of zeros (77)', byMac(Buffer.alloc(32)), 'structure'],
  ['a MAC with a key of its own (77)', byMac(Buffer.alloc(32, 7)), 'structure'],
  [
    'alg in the unprotected header (78)',
    { deviceHeader: without(1), deviceUnprotected: new Map([[1, -7]]) },
    'key-binding',
  ],
  ['the alg -8 (78)', { deviceHeader: set(1, -8) }, 'key-binding'],
  ['the alg 5 (78)', { deviceHeader: set(1, 5) }, 'key-binding'],
];

/** A signature over an earlier session, with what it is over. */
function attached(): MdocChanges {
  const payload = encodeCbor('an earlier session');
  const data = encodeCbor(['Signature1', encodeCbor(new Map([[1, -7]])), Buffer.alloc(0), payload]);
  return { devicePayload: payload, deviceSignature: () => rawSignature(data, device.privateKey) };
}

const verify = (text: string, changes: Partial<ExpectedPresentation> = {}) =>
  verifyPresentation(text, { ...expectedMdoc, ...changes }, documentPolicy({ document: [anchorFor(root)] }));

describe.each<[string, Row[]]>([
  ['elements', items],
  ['deviceSigned', deviceSigned],
])('%s', (_, rows) => {
  it.each(rows)('is refused: %s', async (_what, changes, check) => {
    expectRefusal(await verify(mdocPresentation(changes)), check);
  });
});

describe('a presentation', () => {
  it.each([
    ['not base64url (1)', `${mdocPresentation()}=`],
    ['no text in base64url at all (1)', 'o\u00e4'],
    ['not CBOR (2)', Buffer.from('{"documents":[]}').toString('base64url')],
    ['nothing', 'o'],
  ])('is refused when it is %s', async (_, text) => {
    expectRefusal(await verify(text), 'structure');
  });

  it('is refused when another type of document was asked for (39)', async () => {
    const query = { ...mdocQuery, meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' } };
    expectRefusal(await verify(mdocPresentation(), { query }), 'query');
    expectRefusal(
      await verify(mdocPresentation(), { query: { ...query, meta: { doctype_value: doctype.toLowerCase() } } }),
      'query',
    );
  });

  const page = { clientId: `origin:${origin}`, origin, encryptionKey: null };
  it.each([
    ['another origin (64)', { ...page, origin: 'https://evil.example' }],
    ['a slash behind it (64)', { ...page, origin: `${origin}/` }],
    ['origin: before it (64)', { ...page, origin: `origin:${origin}` }],
    ['the handover of posted answers (65)', presentedTo],
    ['the key of another request (66)', { ...page, encryptionKey: otherDevice.jwk }],
    ['no key, though it was encrypted (66)', page],
  ])('is refused over the Digital Credentials API when its holder signed %s', async (_, signed) => {
    const text = mdocPresentation({ transcript: sessionTranscript(signed, nonce) });
    expectRefusal(await verify(text, { presentedTo: { ...page, encryptionKey: device.jwk } }), 'key-binding');
  });

  it('is refused when it was made for another verifier, or another request (79)', async () => {
    const text = mdocPresentation();
    expectRefusal(await verify(text, { nonce: 'another' }), 'key-binding');
    expectRefusal(await verify(text, { presentedTo: { ...presentedTo, clientId: 'x509_hash:abc' } }), 'key-binding');
  });

  it('is refused in an answer that has no session transcript', async () => {
    expectRefusal(await verify(mdocPresentation(), { presentedTo: { clientId, encryptionKey: null } }), 'key-binding');
  });

  it('is refused under a query for another format, and the others under one for it (88)', async () => {
    expectRefusal(await verify(mdocPresentation(), { query: sdJwtQuery }), 'query');
    expectRefusal(await verify(mdocPresentation(), { query: jwtVcQuery }), 'query');
    expect(await verify(sdJwtPresentation())).toMatchObject({ verified: false });
    expectRefusal(await verify(jwtVp()), 'structure');
  });
});
