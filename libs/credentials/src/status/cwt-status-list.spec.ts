import {
  type CborKey,
  type CborMap,
  type CborValue,
  COSE_HEADER,
  COSE_SIGN1,
  encodeCbor,
  signCose,
  Tagged,
} from '@app/primitives/cbor';
import { sign } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { type Authority, certify, type CertificateOptions, signBy, x5c } from '../../fixtures/certificates';
import { type Answer, network, now, policy, seconds } from '../../fixtures/presentations';
import type { IssuerAnchor } from '../issuers/certified-keys';
import { DidResolver } from '../issuers/did';
import { IssuerKeys } from '../issuers/issuer-keys';
import { CWT_CLAIM, documentStatusList, statusListCwtType } from './cwt-status-list';
import type { ClaimedStatus } from './status-check';
import { encodeStatusList, statusAt } from './status-list';

const uri = 'https://lists.example/1';
const doctype = 'org.iso.18013.5.1.mDL';
const root = certify({ name: 'IACA', isAuthority: true, pathLength: 0 });
const foreign = certify({ name: 'IACA', isAuthority: true });
const statusRoot = certify({ name: 'Status', isAuthority: true });
const signer = certify({ name: 'Signer', issuer: root, keyUsage: 0x80 });

const anchorOf = ({ certificate, name }: Authority, changes: Partial<IssuerAnchor> = {}): IssuerAnchor => ({
  certificate,
  name,
  subject: `CN=${name}`,
  fingerprint: certificate.fingerprint256,
  types: [],
  ...changes,
});

interface Changes {
  readonly by?: Authority;
  readonly claims?: readonly (readonly [CborKey, CborValue])[];
  readonly headers?: readonly (readonly [CborKey, CborValue])[];
  readonly unprotected?: CborMap;
  readonly algorithm?: number;
  readonly wrap?: (parts: readonly CborValue[]) => CborValue;
}

const lst = (...bytes: number[]): Buffer => deflateSync(Buffer.from(bytes));
const listClaim = (members: Record<string, CborValue>): CborMap => new Map(Object.entries(members));

/** Entries 0 to 3: valid, revoked, suspended, valid. */
async function cwt({ by = signer, claims = [], headers, unprotected = new Map(), ...more }: Changes = {}) {
  const chain = headers ?? [[COSE_HEADER.x5chain, by.certificate.raw] as const];
  const protectedHeader = new Map<CborKey, CborValue>([
    [COSE_HEADER.alg, more.algorithm ?? -7],
    [COSE_HEADER.typ, statusListCwtType],
    ...chain,
  ]);
  const all = new Map<CborKey, CborValue>([
    [CWT_CLAIM.sub, uri],
    [CWT_CLAIM.iat, seconds - 10],
    [CWT_CLAIM.exp, seconds + 600],
    [CWT_CLAIM.ttl, 120],
    [CWT_CLAIM.statusList, listClaim({ bits: 2, lst: lst(0b00100100) })],
    ...claims,
  ]);
  const { wrap = (parts) => new Tagged(COSE_SIGN1, parts) } = more;
  const key = { key: by.key.privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const parts = await signCose({ protectedHeader, unprotectedHeader: unprotected }, encodeCbor(all), (data) =>
    Promise.resolve(sign('sha256', data, key)),
  );
  return encodeCbor(wrap(parts));
}

interface Asked {
  readonly idx?: number;
  readonly contentType?: string;
  readonly claimed?: Partial<ClaimedStatus>;
  readonly forStatus?: readonly IssuerAnchor[];
}

function check(
  body: Buffer,
  { idx = 0, contentType = statusListCwtType, claimed, forStatus = [] }: Asked = {},
): Promise<unknown> {
  const pages: Record<string, Answer> = { [uri]: { body, contentType } };
  const { fetch } = network(pages);
  const dids = new DidResolver({ fetchDocument: (url) => fetch(url, []) });
  const anchors = { find: (purpose: string) => (purpose === 'status' ? forStatus : []) };
  const { statuses } = policy({ fetch, issuerKeys: new IssuerKeys({ fetchDocument: fetch, dids, anchors }) });
  const status = { status_list: { uri, idx } };
  const anchor = anchorOf(root);
  return statuses.check({ types: [doctype], status, anchor, roots: [anchor], ...claimed }, 'CN=IACA', now);
}

describe('a status list as a CWT', () => {
  it('is read from the example of the specification', () => {
    const example = Buffer.from(
      'd2845820a2012610781a6170706c69636174696f6e2f7374617475736c6973742b637774a1044231325850a50278216874' +
        '7470733a2f2f6578616d706c652e636f6d2f7374617475736c697374732f31061a648c5bea041a8898dfea19fffe19a8c0' +
        '19fffda2646269747301636c73744a78dadbb918000217015d584093fa4d01032b18c35e2fe1101b77fd6cc9440022caa4' +
        '694450c4e4e9feab4e99d1fa6d9772ce2bf3a12e0323ded7c982c5e101a5e67f0cbc1e2b6f57ce99c279',
      'hex',
    );
    const named = { uri: 'https://example.com/statuslists/1', issuer: '', types: [] };
    const opened = documentStatusList.open(example, statusListCwtType, named);
    expect(opened.readTimes()).toEqual({ iat: 1686920170, exp: 2291720170 });
    const { list, ttl } = opened.read();
    expect([ttl, list.bits, Buffer.from(list.bytes).toString('hex')]).toEqual([43200, 1, 'b9a3']);
    expect([0, 1, 2, 3].map((entry) => statusAt(list, entry))).toEqual([1, 0, 0, 1]);
  });

  it('says of each entry what it is, signed under the root of the document signer', async () => {
    await expect(check(await cwt())).resolves.toEqual({ status: 'valid' });
    await expect(check(await cwt(), { idx: 1 })).rejects.toMatchObject({ status: 'revoked' });
    await expect(check(await cwt(), { idx: 2 })).rejects.toMatchObject({ status: 'suspended' });
    await expect(check(await cwt(), { idx: 3 })).resolves.toEqual({ status: 'valid' });
    await expect(check(await cwt(), { idx: 4 })).rejects.toThrow('no entry for the credential');
  });

  const provider = certify({ name: 'Provider', issuer: statusRoot, keyUsage: 0x80 });
  const unprotected: CborMap = new Map<CborKey, CborValue>([[COSE_HEADER.x5chain, signer.certificate.raw]]);

  it.each<[string, Changes, Asked]>([
    ['its chain beside what is signed', { headers: [], unprotected }, {}],
    ['its chain as a list of one', { headers: [[COSE_HEADER.x5chain, [signer.certificate.raw]]] }, {}],
    ['the tag of a CWT around it', { wrap: (parts) => new Tagged(61, new Tagged(COSE_SIGN1, parts)) }, {}],
    ['no tag', { wrap: (parts) => parts }, {}],
    ['the other number of ES256', { algorithm: -9 }, {}],
    ['an anchor for status lists above it', { by: provider }, { forStatus: [anchorOf(statusRoot)] }],
    ['the certificate of the credential above it', { by: provider }, { claimed: { roots: [anchorOf(statusRoot)] } }],
  ])('is read with %s', async (_, changes, asked) => {
    await expect(check(await cwt(changes), asked)).resolves.toEqual({ status: 'valid' });
  });

  const by = (changes: Partial<CertificateOptions>): Authority =>
    certify({ name: 'Signer', issuer: root, keyUsage: 0x80, ...changes });
  const bomb = deflateSync(Buffer.alloc(16 * 1024 * 1024 + 1));

  it.each<[string, Changes, Asked, string]>([
    ['a foreign root of the same name', { by: by({ issuer: foreign }) }, {}, 'leads to no trust anchor'],
    [
      'a foreign root within its chain',
      {
        by: by({ issuer: foreign }),
        headers: [[COSE_HEADER.x5chain, [by({ issuer: foreign }).certificate.raw, foreign.certificate.raw]]],
      },
      {},
      'leads to no trust anchor',
    ],
    ['an anchor for issuers alone', { by: provider }, {}, 'leads to no trust anchor'],
    [
      'an anchor for lists of other types',
      { by: provider },
      { forStatus: [anchorOf(statusRoot, { types: ['org.other'] })] },
      'not trusted for this type',
    ],
    ['no chain', { headers: [] }, {}, 'signed under no certificate'],
    ['two chains', { unprotected }, {}, 'two certificate chains'],
    ['text for a chain', { headers: [[COSE_HEADER.x5chain, 'MII']] }, {}, 'no byte string'],
    ['an ended certificate', { by: by({ notAfter: new Date('2026-11-01T00:00:00Z') }) }, {}, 'expired'],
    ['another key', { by: { ...signer, key: foreign.key } }, {}, 'the signature of the status list token is wrong'],
    ['the algorithm of another key', { algorithm: -35 }, {}, 'algorithm'],
    ['an algorithm that is none', { algorithm: 5 }, {}, 'algorithm'],
    ['another type', { headers: [[COSE_HEADER.typ, 'application/cwt']] }, {}, 'the typ is not'],
    ['another address', { claims: [[CWT_CLAIM.sub, `${uri}0`]] }, {}, 'about another list'],
    ['an end that is over', { claims: [[CWT_CLAIM.exp, seconds - 120]] }, {}, 'has expired'],
    ['a beginning to come', { claims: [[CWT_CLAIM.iat, seconds + 120]] }, {}, 'in the future'],
    ['no beginning', { claims: [[CWT_CLAIM.iat, undefined]] }, {}, 'no iat'],
    ['a ttl of zero', { claims: [[CWT_CLAIM.ttl, 0]] }, {}, 'not a positive number'],
    ['three bits', { claims: [[CWT_CLAIM.statusList, listClaim({ bits: 3, lst: lst(0) })]] }, {}, 'malformed'],
    ['base64url', { claims: [[CWT_CLAIM.statusList, listClaim({ bits: 2, lst: 'eNo' })]] }, {}, 'malformed'],
    ['a bomb', { claims: [[CWT_CLAIM.statusList, listClaim({ bits: 8, lst: bomb })]] }, {}, 'too large'],
    ['no list', { claims: [[CWT_CLAIM.statusList, null]] }, {}, 'malformed'],
    ['no payload', { wrap: ([one, two, , four]) => new Tagged(18, [one, two, null, four]) }, {}, 'no payload'],
    ['a part less', { wrap: (parts) => new Tagged(18, parts.slice(1)) }, {}, 'not a COSE_Sign1'],
  ])('is refused with %s', async (_, changes, asked, words) => {
    await expect(check(await cwt(changes), asked)).rejects.toMatchObject({
      status: 'undetermined',
      message: expect.stringContaining(words) as string,
    });
  });

  it('is refused when it is no CBOR, or something follows', async () => {
    for (const body of [Buffer.from('eyJ'), Buffer.concat([await cwt(), Buffer.of(0)])]) {
      await expect(check(body)).rejects.toMatchObject({ status: 'undetermined' });
    }
  });

  it('is not asked for, nor read, for a credential of another format', async () => {
    const claimed = { roots: undefined };
    await expect(check(await cwt(), { claimed })).rejects.toThrow('another content type');
  });
});

describe('a status list of an mdoc as a JWT', () => {
  const payload = { iss: 'https://somebody.example', sub: uri, iat: seconds - 10, exp: seconds + 600 };
  const contentType = 'application/statuslist+jwt';
  const token = (header: object, by = signer): Buffer =>
    Buffer.from(
      signBy(by)({ typ: 'statuslist+jwt', ...header }, { ...payload, status_list: encodeStatusList(2, 8, [[1, 1]]) }),
    );

  it('is read under the same root, whatever it says of its issuer', async () => {
    const body = token({ x5c: x5c(signer) });
    await expect(check(body, { contentType })).resolves.toEqual({ status: 'valid' });
    await expect(check(body, { contentType, idx: 1 })).rejects.toMatchObject({ status: 'revoked' });
  });

  it('is refused without a chain, and under another root', async () => {
    const stranger = certify({ name: 'Signer', issuer: foreign, keyUsage: 0x80 });
    await expect(check(token({}), { contentType })).rejects.toThrow('signed under no certificate');
    await expect(check(token({ x5c: x5c(stranger) }, stranger), { contentType })).rejects.toThrow('no trust anchor');
  });
});
