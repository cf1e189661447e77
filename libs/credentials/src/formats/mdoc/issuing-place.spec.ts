/** @jest-environment node */
import type { CborValue } from '@app/primitives/cbor';
import {
  deviceKeyOf,
  doctype,
  documentPolicy,
  expectedMdoc,
  elements,
  mdocPresentation,
  signerOf,
  space,
} from '../../../fixtures/mdoc';
import { verifyPresentation } from '../../presentation-verifier';
import { mdoc } from './mdoc';

const signer = signerOf({ place: { country: 'UT', state: 'UT-X' } });

function shown(more: Readonly<Record<string, CborValue>>, by = signer) {
  const changes = { elements: { [space]: { ...elements[space], ...more } }, signer: by };
  return verifyPresentation(mdocPresentation(changes), expectedMdoc, documentPolicy());
}

describe('a presented driving licence', () => {
  it.each<[string, Readonly<Record<string, CborValue>>, typeof signer]>([
    ['the country of its signer', { issuing_country: 'UT' }, signer],
    ['the jurisdiction of its signer', { issuing_country: 'UT', issuing_jurisdiction: 'UT-X' }, signer],
    [
      'a jurisdiction under a signer without one',
      { issuing_country: 'UT', issuing_jurisdiction: 'UT-Y' },
      signerOf({ place: { country: 'UT' } }),
    ],
    ['no country', {}, signerOf()],
  ])('may name %s', async (_, more, by) => {
    expect(await shown(more, by)).toMatchObject({ verified: true });
  });

  it.each<[string, Readonly<Record<string, CborValue>>, typeof signer, string]>([
    ['another country', { issuing_country: 'DE' }, signer, "issuing_country must be the country (C) of the signer's"],
    ['a country that its signer does not have', { issuing_country: 'UT' }, signerOf(), 'certificate: none'],
    ['another jurisdiction', { issuing_jurisdiction: 'UT-Y' }, signer, 'issuing_jurisdiction must be the state'],
  ])('is refused with %s', async (_, more, by, words) => {
    const result = await shown(more, by);
    expect(result).toMatchObject({ verified: false, failure: { check: 'disclosures' } });
    expect(result).toMatchObject({ failure: { reason: expect.stringContaining(words) as string } });
  });
});

describe('a driving licence that is issued', () => {
  const text = { type: 'string' };
  const schema = { properties: { [space]: { type: 'object', properties: { issuing_country: text } } } };
  const built = (country: string, type = doctype) =>
    mdoc.build(
      { claims: { [space]: { issuing_country: country } } },
      { doctype: type, schema } as unknown as Parameters<typeof mdoc.build>[1],
      {
        issuedAt: new Date('2026-11-28T00:00:00Z'),
        expiresAt: new Date('2026-12-28T00:00:00Z'),
        holder: { jwk: deviceKeyOf().jwk },
        documentSigner: {
          sign: () => Promise.resolve(Buffer.alloc(64)),
          algorithm: 'ES256',
          chain: [Buffer.of()],
          notBefore: new Date('2026-01-01T00:00:00Z'),
          notAfter: new Date('2027-03-01T00:00:00Z'),
          country: 'UT',
        },
      } as unknown as Parameters<typeof mdoc.build>[2],
    );

  it('has the country of who signs it now, which documents of other types need not', async () => {
    await expect(built('DE')).rejects.toMatchObject({ pointer: `/${space}/issuing_country` });
    await expect(built('UT')).resolves.toEqual(expect.any(String));
    await expect(built('DE', 'eu.europa.ec.eudi.pid.1')).resolves.toEqual(expect.any(String));
  });
});
