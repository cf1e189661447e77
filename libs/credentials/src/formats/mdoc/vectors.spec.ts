import { decodeCbor, encodeCbor, isCoseSignedBy } from '@app/primitives/cbor';
import { createHash, X509Certificate } from 'node:crypto';
import { anchorFor, documentPolicy, expectedMdoc, mapOf } from '../../../fixtures/mdoc';
import vectors from '../../../fixtures/mdoc-vectors.json';
import { expectRefusal } from '../../../fixtures/refusal';
import { verifyPresentation } from '../../presentation-verifier';
import { disclosedElements } from './data-elements';
import { deviceAuthentication, readDeviceResponse } from './device-response';

const policyOf = (root: string) => {
  const certificate = new X509Certificate(Buffer.from(root, 'base64'));
  return documentPolicy({ document: [anchorFor({ certificate, name: 'root' } as Parameters<typeof anchorFor>[0])] });
};
const outcomes = (checks: readonly { readonly outcome: string }[]) => checks.map(({ outcome }) => outcome);

describe('the response of a wallet in use', () => {
  const { response, root, clientId, responseUri, nonce, thumbprint } = vectors.ofWallet;
  const document = readDeviceResponse(response);
  // Of the key to which it was encrypted only the hash is known.
  const info = encodeCbor([clientId, nonce, Buffer.from(thumbprint, 'hex'), responseUri]);
  const hash = createHash('sha256').update(info).digest();
  const transcript = encodeCbor([null, null, ['OpenID4VPHandover', hash]]);

  it('passes the checks of its issuer, with heads that are longer than needed', async () => {
    const query = { ...expectedMdoc.query, meta: { doctype_value: document.doctype } } as typeof expectedMdoc.query;
    const presentedTo = { clientId, responseUri, encryptionKey: null };
    const expected = { ...expectedMdoc, query, presentedTo, nonce, now: new Date('2026-01-12T00:00:00Z') };
    const result = await verifyPresentation(response, expected, policyOf(root));
    expectRefusal(result, 'key-binding');
    expect(outcomes(result.checks.slice(0, 5))).toEqual(Array.from({ length: 5 }, () => 'passed'));
  });

  it('is signed by its holder for the session', () => {
    const { device, issuerAuth } = document;
    const isSigned = (over: Buffer) =>
      isCoseSignedBy(device.signature, issuerAuth.object.deviceKey, deviceAuthentication(document, over), [-7]);
    expect(isSigned(transcript)).toBe(true);
    expect(isSigned(encodeCbor([null, null, ['OpenID4VPHandover', Buffer.alloc(32)]]))).toBe(false);
  });

  it('discloses what its issuer signed', () => {
    expect(disclosedElements(document)).toEqual({
      'eu.europa.ec.eudi.pid.1': { given_name: 'Erika', family_name: 'Mustermann' },
    });
  });
});

describe('the example of ISO/IEC 18013-5 annex D', () => {
  const { response, root } = vectors.annexD;
  const now = new Date('2021-06-01T00:00:00Z');

  it('is refused for its MAC, which has no place in OpenID4VP', async () => {
    expectRefusal(await verifyPresentation(response, { ...expectedMdoc, now }, policyOf(root)), 'structure');
  });

  it('passes the checks of its issuer, with a signature in place of the MAC', async () => {
    const read = decodeCbor(Buffer.from(response, 'base64url')) as Map<string, Map<string, Map<string, unknown>>[]>;
    const signed = read.get('documents')?.[0]?.get('deviceSigned') as unknown as Map<string, unknown>;
    const signature = [encodeCbor(new Map([[1, -7]])), new Map(), null, Buffer.alloc(64)];
    signed.set('deviceAuth', mapOf({ deviceSignature: signature }));
    // Tags are written as they were read; the items are those of the example, byte by byte.
    const text = encodeCbor(read as unknown as Parameters<typeof encodeCbor>[0]).toString('base64url');
    const result = await verifyPresentation(text, { ...expectedMdoc, now }, policyOf(root));
    expectRefusal(result, 'key-binding');
    expect(outcomes(result.checks.slice(0, 5))).toEqual(Array.from({ length: 5 }, () => 'passed'));
    expect(disclosedElements(readDeviceResponse(text))).toMatchObject({
      'org.iso.18013.5.1': {
        family_name: 'Doe',
        issue_date: '2019-10-20',
        expiry_date: '2024-10-20',
        document_number: '123456789',
        portrait: expect.stringMatching(/^_9j_/) as unknown,
        driving_privileges: [
          { vehicle_category_code: 'A', issue_date: '2018-08-09', expiry_date: '2024-10-20' },
          { vehicle_category_code: 'B', issue_date: '2017-02-23', expiry_date: '2024-10-20' },
        ],
      },
    });
  });
});
