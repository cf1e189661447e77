import { type CborKey, type CborValue, encodeCbor, Tagged } from '@app/primitives/cbor';
import type { JsonObject } from '@app/primitives/json';
import { deflateSync } from 'node:zlib';
import { type Authority, certify, signBy, x5c } from '../../../fixtures/certificates';
import {
  anchorFor,
  documentPolicy,
  expectedMdoc,
  mapOf,
  mdocPresentation,
  rawSignature,
  root,
  signer,
  signerOf,
} from '../../../fixtures/mdoc';
import { type Answer, network, seconds } from '../../../fixtures/presentations';
import type { PresentationPolicy, PresentationResult } from '../../presentation/verified-credential';
import { verifyPresentation } from '../../presentation-verifier';
import { readStatusToken } from '../../status/status-token';
import { encodeStatusList } from '../../status/status-list';

const uri = 'https://issuer.example/status/1';
const JWT = 'application/statuslist+jwt';
const CWT = 'application/statuslist+cwt';
const statuses: readonly [number, number][] = [
  [1, 1],
  [2, 2],
  [3, 3],
];
const foreign = certify({ name: 'Foreign', isAuthority: true });

const jwt = (by: Authority = signer, payload: JsonObject = {}): Buffer =>
  Buffer.from(
    signBy(by)(
      { typ: 'statuslist+jwt', x5c: x5c(by) },
      { sub: uri, iat: seconds - 10, status_list: encodeStatusList(2, 12, statuses), ...payload },
    ),
  );

interface CwtChanges {
  readonly by?: Authority;
  readonly tag?: number;
  readonly typ?: string;
  readonly claims?: readonly (readonly [number, CborValue])[];
  readonly isProtected?: boolean;
}

function cwt({ by = signer, tag = 18, typ = CWT, claims = [], isProtected = false }: CwtChanges = {}): Buffer {
  const { bits, lst } = encodeStatusList(2, 12, statuses);
  const payload = encodeCbor(
    new Map<CborKey, CborValue>([
      [2, uri],
      [6, seconds - 10],
      [4, seconds + 600],
      [65534, 120],
      [65533, mapOf({ bits, lst: Buffer.from(lst, 'base64url') })],
      ...claims,
    ]),
  );
  const chain = [33, by.certificate.raw] as const;
  const header = encodeCbor(new Map<CborKey, CborValue>([[1, -7], [16, typ], ...(isProtected ? [chain] : [])]));
  const signed = rawSignature(encodeCbor(['Signature1', header, Buffer.alloc(0), payload]), by.key.privateKey);
  return encodeCbor(new Tagged(tag, [header, new Map(isProtected ? [] : [chain]), payload, signed]));
}

const rules = (answer: Answer, changes: Parameters<typeof documentPolicy>[1] = {}): PresentationPolicy =>
  documentPolicy(
    { document: [anchorFor(root), anchorFor(foreign)], issuer: [anchorFor(foreign)], status: [anchorFor(foreign)] },
    { fetch: network({ [uri]: answer }).fetch, ...changes },
  );

function check(idx: CborValue, policy: PresentationPolicy, status?: CborValue): Promise<PresentationResult> {
  const stated = status ?? mapOf({ status_list: mapOf({ idx, uri }) });
  const text = mdocPresentation({ object: (map) => map.set('status', stated) });
  return verifyPresentation(text, expectedMdoc, policy);
}

const refused = (status: string) => ({ verified: false, failure: { check: 'status', status } });

describe.each<[string, Answer]>([
  ['a JWT', { body: jwt(), contentType: JWT }],
  ['a JWT with another iss', { body: jwt(signer, { iss: 'https://issuer.example' }), contentType: JWT }],
  ['a CWT', { body: cwt(), contentType: CWT }],
  ['a CWT with its certificates in the protected header', { body: cwt({ isProtected: true }), contentType: CWT }],
  ['a CWT of another signer under the same root', { body: cwt({ by: signerOf({ name: 'Lists' }) }), contentType: CWT }],
])('the status of an mdoc in %s', (_, answer) => {
  it.each<[number, object]>([
    [0, { verified: true, credential: { status: 'valid' } }],
    [1, refused('revoked')],
    [2, refused('suspended')],
    [3, refused('undetermined')],
    [12, refused('undetermined')],
  ])('at %d is what its issuer says', async (idx, expected) => {
    expect(await check(idx, rules(answer))).toMatchObject(expected);
  });
});

describe('the status of an mdoc', () => {
  it.each<[string, Answer]>([
    ['another sub', { body: cwt({ claims: [[2, `${uri}0`]] }), contentType: CWT }],
    ['the root of others', { body: cwt({ by: signerOf({ issuer: foreign }) }), contentType: CWT }],
    ['the root of others, as JWT', { body: jwt(signerOf({ issuer: foreign })), contentType: JWT }],
    ['an end that is over', { body: cwt({ claims: [[4, seconds - 61]] }), contentType: CWT }],
    ['the tag of a CWT', { body: cwt({ tag: 61 }), contentType: CWT }],
    ['another typ', { body: cwt({ typ: 'application/identifierlist+cwt' }), contentType: CWT }],
    ['another media type', { body: cwt(), contentType: 'application/cbor' }],
    ['a signature that is altered', { body: Buffer.concat([cwt().subarray(0, -1), Buffer.of(0)]), contentType: CWT }],
    [
      'a list that inflates without end',
      {
        body: cwt({ claims: [[65533, mapOf({ bits: 1, lst: deflateSync(Buffer.alloc(17 * 1024 * 1024)) })]] }),
        contentType: CWT,
      },
    ],
    ['no list', { body: cwt({ claims: [[65533, null]] }), contentType: CWT }],
    ['no CBOR', { body: Buffer.from('{}'), contentType: CWT }],
  ])('is not determined by a list with %s', async (_, answer) => {
    expect(await check(0, rules(answer))).toMatchObject(refused('undetermined'));
    expect(await check(0, rules(answer, { undetermined: 'accept' }))).toMatchObject({
      verified: true,
      credential: { status: 'undetermined' },
    });
  });

  it.each<[string, CborValue]>([
    ['a list of identifiers', mapOf({ identifier_list: mapOf({ id: Buffer.of(1), uri }) })],
    ['a text', 'valid'],
    ['an index below zero', mapOf({ status_list: mapOf({ idx: -1, uri }) })],
  ])('is not determined by %s', async (_, status) => {
    expect(await check(0, rules({ body: cwt(), contentType: CWT }), status)).toMatchObject(refused('undetermined'));
  });

  it('is that of this service without a request, when it signed the document', async () => {
    const asked: unknown[] = [];
    const own = {
      isOwn: (...about: unknown[]) => asked.push(about) > 0,
      statusAt: () => Promise.resolve('revoked' as const),
    };
    const nowhere = network();
    expect(await check(7, rules({ body: '' }, { fetch: nowhere.fetch, own }))).toMatchObject(refused('revoked'));
    expect(asked).toEqual([[uri, 'CN=IACA of Utopia', expect.objectContaining({ kty: 'EC' })]]);
    expect(nowhere.asked).toEqual([]);
  });

  it('is asked for as CWT or JWT', async () => {
    const accepted: unknown[] = [];
    await check(
      0,
      rules({ body: '' }, { fetch: (_, accept) => (accepted.push(accept), Promise.reject(new Error('no'))) }),
    );
    expect(accepted).toEqual([[CWT, JWT]]);
  });
});

describe('a status list token as CWT', () => {
  it('has the claims of the example in the specification', () => {
    // Token Status List §5.2, with a signature of zeros: what is signed is looked at elsewhere.
    const token = Buffer.from(
      'd2845820a2012610781a6170706c69636174696f6e2f7374617475736c6973742b637774a1044231325850a502782168747470733a2f2f65' +
        '78616d706c652e636f6d2f7374617475736c697374732f31061a648c5bea041a8898dfea19fffe19a8c019fffda2646269747301636c73' +
        `744a78dadbb918000217015d5840${'00'.repeat(64)}`,
      'hex',
    );
    expect(readStatusToken(token, CWT)).toMatchObject({
      header: { typ: 'statuslist+cwt' },
      payload: {
        sub: 'https://example.com/statuslists/1',
        iat: 1686920170,
        exp: 2291720170,
        ttl: 43200,
        status_list: { bits: 1, lst: Buffer.from('78dadbb918000217015d', 'hex').toString('base64url') },
      },
    });
  });
});
