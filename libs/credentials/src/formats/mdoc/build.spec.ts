/** @jest-environment node */
import {
  type CborMap,
  type CborValue,
  decodeCbor,
  encodeCbor,
  isCoseSignedBy,
  jwkOfCoseKey,
  readCoseSign1,
  Tagged,
} from '@app/primitives/cbor';
import { parsePublicJwk } from '@app/primitives/jose';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { buildMdoc, type MdocInput } from './build';

const nameSpace = 'org.iso.18013.5.1';
const issuer = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const issuerJwk = parsePublicJwk(issuer.publicKey.export({ format: 'jwk' }));
const deviceKey = parsePublicJwk(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
);
const leaf = Buffer.from('leaf');
const signer: MdocInput['signer'] = {
  sign: (data) => Promise.resolve(sign('sha256', data, { key: issuer.privateKey, dsaEncoding: 'ieee-p1363' })),
  algorithm: 'ES256',
  chain: [leaf],
  notBefore: new Date('2026-01-01T00:00:00Z'),
  notAfter: new Date('2027-03-01T00:00:00Z'),
};
const names = Array.from({ length: 30 }, (_, index) => `age_over_${index + 10}`);
const input: MdocInput = {
  docType: 'org.iso.18013.5.1.mDL',
  nameSpaces: new Map([[nameSpace, new Map<string, CborValue>(names.map((name) => [name, true]))]]),
  deviceKey,
  signed: new Date('2026-11-28T00:00:00Z'),
  validUntil: new Date('2027-02-28T00:00:00Z'),
  signer,
};

interface Item {
  readonly digestID: number;
  readonly random: Uint8Array;
  readonly elementIdentifier: string;
}

async function read(changes: Partial<MdocInput> = {}) {
  const bytes = Buffer.from(await buildMdoc({ ...input, ...changes }), 'base64url');
  const issuerSigned = decodeCbor(bytes) as CborMap;
  const issuerAuth = readCoseSign1(issuerSigned.get('issuerAuth'));
  const securityObject = objectOf(inside(decodeCbor(issuerAuth.payload ?? Buffer.of())));
  const encoded = (issuerSigned.get('nameSpaces') as ReadonlyMap<string, readonly Tagged[]>).get(nameSpace) ?? [];
  const items = encoded.map((item) => objectOf(inside(item)) as unknown as Item);
  const digests = (securityObject['valueDigests'] as ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>).get(
    nameSpace,
  );
  return {
    issuerSigned,
    issuerAuth,
    securityObject,
    encoded,
    items,
    digests: digests ?? new Map<number, Uint8Array>(),
  };
}

function inside(value: CborValue): CborValue {
  if (!(value instanceof Tagged) || value.tag !== 24) throw new Error('no tag 24');
  return decodeCbor(value.content as Uint8Array);
}

function objectOf(map: CborValue): Readonly<Record<string, CborValue>> {
  return Object.fromEntries(map as ReadonlyMap<string, CborValue>);
}

describe('an mdoc', () => {
  it('is signed by the first certificate of its chain', async () => {
    const { issuerSigned, issuerAuth } = await read();
    expect([...issuerSigned.keys()]).toEqual(['nameSpaces', 'issuerAuth']);
    expect(isCoseSignedBy(issuerAuth, issuerJwk, issuerAuth.payload ?? Buffer.of(), [-7])).toBe(true);
    expect(Buffer.from(issuerAuth.protectedBytes).toString('hex')).toBe('a10126');
    expect(issuerAuth.unprotectedHeader).toEqual(new Map([[33, leaf]]));
  });

  it('has a chain of several certificates as a list', async () => {
    const chain = [leaf, Buffer.from('between')];
    const { issuerAuth } = await read({ signer: { ...signer, chain } });
    expect(issuerAuth.unprotectedHeader).toEqual(new Map([[33, chain]]));
  });

  it('says of what type it is, and to which key it belongs', async () => {
    const { securityObject } = await read();
    expect(securityObject).toMatchObject({
      version: '1.0',
      digestAlgorithm: 'SHA-256',
      docType: 'org.iso.18013.5.1.mDL',
    });
    expect(jwkOfCoseKey((securityObject['deviceKeyInfo'] as CborMap).get('deviceKey'))).toEqual(deviceKey);
    expect(securityObject).not.toHaveProperty('status');
  });

  it('holds the digest of every element, in the order of their numbers', async () => {
    const { items, encoded, digests } = await read();
    expect(items.map(({ elementIdentifier }) => elementIdentifier)).toEqual(names);
    for (const [index, { digestID, random }] of items.entries()) {
      const bytes = encodeCbor(encoded[index]);
      expect(digests.get(digestID)).toEqual(createHash('sha256').update(bytes).digest());
      expect(random.length).toBe(32);
      expect(digestID).toBeLessThan(2 ** 31);
    }
    const ids = [...digests.keys()];
    expect(ids).toEqual([...ids].sort((one, other) => one - other));
    expect(new Set(ids).size).toBe(names.length);
    // The names say nothing of the numbers.
    expect(items.map(({ digestID }) => digestID)).not.toEqual(ids);
  });

  it('shares no number and no random with another copy', async () => {
    const [one, other] = [await read(), await read()];
    const randoms = [...one.items, ...other.items].map(({ random }) => Buffer.from(random).toString('hex'));
    expect(new Set(randoms).size).toBe(2 * names.length);
    expect([...one.digests.keys()]).not.toEqual([...other.digests.keys()]);
  });

  it.each<[string, Partial<MdocInput>, Record<string, string>]>([
    [
      'from its signature on until its end',
      { expectedUpdate: new Date('2026-12-28T00:00:00Z') },
      {
        signed: '2026-11-28T00:00:00Z',
        validFrom: '2026-11-28T00:00:00Z',
        validUntil: '2027-02-28T00:00:00Z',
        expectedUpdate: '2026-12-28T00:00:00Z',
      },
    ],
    [
      'never before the certificate of its signer, nor after it',
      {
        signed: new Date('2025-12-31T00:00:00Z'),
        validUntil: new Date('2030-01-01T00:00:00Z'),
        expectedUpdate: new Date('2029-01-01T00:00:00Z'),
      },
      { signed: '2026-01-01T00:00:00Z', validFrom: '2026-01-01T00:00:00Z', validUntil: '2027-03-01T00:00:00Z' },
    ],
  ])('is valid %s', async (_, changes, expected) => {
    const { securityObject } = await read(changes);
    const times = Object.entries(objectOf(securityObject['validityInfo']));
    expect(times.map(([name, time]) => [name, (time as Tagged).tag])).toEqual(times.map(([name]) => [name, 0]));
    expect(Object.fromEntries(times.map(([name, time]) => [name, (time as Tagged).content]))).toEqual(expected);
  });

  it('is refused when it would end before it is signed', async () => {
    const validUntil = new Date('2026-11-27T00:00:00Z');
    await expect(buildMdoc({ ...input, validUntil })).rejects.toMatchObject({ reason: 'invalid-expiry' });
  });

  it('says where its status is', async () => {
    const status = { idx: 7, uri: 'https://issuer.example/status/1', bitstrings: {} };
    const { securityObject } = await read({ status });
    const list = new Map<string, CborValue>([
      ['idx', 7],
      ['uri', status.uri],
    ]);
    expect(securityObject['status']).toEqual(new Map([['status_list', list]]));
  });
});
