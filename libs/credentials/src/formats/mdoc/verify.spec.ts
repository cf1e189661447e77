import { type CborKey, type CborValue, Tagged } from '@app/primitives/cbor';
import { parsePublicJwk, thumbprint } from '@app/primitives/jose';
import {
  anchorFor,
  type DeviceKey,
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
  root,
  signer,
  signerOf,
  space,
  tdate,
} from '../../../fixtures/mdoc';
import { certify } from '../../../fixtures/certificates';
import { nonce, presentedTo } from '../../../fixtures/presentations';
import { expectRefusal } from '../../../fixtures/refusal';
import type { IssuerAnchor } from '../../issuers/certified-keys';
import type { ExpectedPresentation } from '../../presentation/expected-presentation';
import { verifyPresentation } from '../../presentation-verifier';
import type { PresentationResult } from '../../presentation/verified-credential';
import { sessionTranscript } from './session-transcript';

const encryptionKey = parsePublicJwk({
  kty: 'EC',
  crv: 'P-256',
  x: 'DxiH5Q4Yx3UrukE2lWCErq8N8bqC9CHLLrAwLz5BmE0',
  y: 'XtLM4-3h5o3HUH0MHVJV0kyq0iBlrBwlh8qEDMZ4-Pc',
});

function verify(text: string, changes: Partial<ExpectedPresentation> = {}): Promise<PresentationResult> {
  return verifyPresentation(text, { ...expectedMdoc, ...changes }, documentPolicy());
}

describe('the session transcript', () => {
  // OpenID4VP 1.0 appendix B.2.6
  const asked = 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA';

  it('is that of OpenID4VP 1.0 for answers that are posted', () => {
    const to = {
      clientId: 'x509_san_dns:example.com',
      responseUri: 'https://example.com/response',
      encryptionKey,
    };
    expect(sessionTranscript(to, asked).toString('hex')).toBe(
      '83f6f682714f70656e494434565048616e646f7665725820048bc053c00442af9b8eed494cefdd9d95240d254b046b11b68013722aad38ac',
    );
    expect(sessionTranscript({ ...to, encryptionKey: null }, asked)).not.toEqual(sessionTranscript(to, asked));
  });

  it('is that of OpenID4VP 1.0 for the Digital Credentials API', () => {
    const to = { clientId: 'origin:https://example.com', origin: 'https://example.com', encryptionKey };
    expect(sessionTranscript(to, asked).toString('hex')).toBe(
      '83f6f682764f70656e4944345650444341504948616e646f7665725820fbece366f4212f9762c74cfdbf83b8c69e371d5d68cea09cb4c48ca6daab761a',
    );
  });
});

describe('an honest mdoc', () => {
  it('passes every check and releases its elements by name space, as JSON', async () => {
    const result = await verify(mdocPresentation());
    const names = ['structure', 'issuer-trusted', 'issuer-key', 'issuer-signature', 'times', 'key-binding'];
    expect(result.checks).toEqual([
      ...[...names, 'disclosures', 'query'].map((name) => ({ name, outcome: 'passed' })),
      { name: 'trusted-authorities', outcome: 'skipped', reason: 'the request does not ask for it' },
      { name: 'status', outcome: 'passed', reason: 'the issuer gave the credential no status' },
    ]);
    expect(result).toMatchObject({
      verified: true,
      credential: {
        format: 'mso_mdoc',
        issuer: 'CN=IACA of Utopia',
        types: [doctype],
        claims: {
          [space]: { ...elements[space], birth_date: '1990-02-03', portrait: 'YSBwaWN0dXJl' },
          'org.iso.18013.5.1.UT': { organ_donor: false },
        },
        holder: { thumbprint: thumbprint(device.jwk) },
        issuedAt: new Date('2026-11-01T00:00:00Z'),
        expiresAt: new Date('2026-12-01T00:00:00Z'),
        status: 'none',
        trust: 'trusted',
        trustAnchor: { name: 'Utopia', subject: 'CN=IACA of Utopia' },
      },
    });
  });

  const longHead = (bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.of(0xb9, 0, bytes.readUInt8(0) & 31), bytes.subarray(1)]);
  const [p384, ed25519] = [deviceKeyOf('P-384'), deviceKeyOf('ed25519')];
  const by = (key: DeviceKey, alg: number): MdocChanges => ({ device: key, deviceHeader: () => new Map([[1, alg]]) });
  const authorized = { deviceKeyInfo: { keyAuthorizations: mapOf({ nameSpaces: ['org.example'] }) } };

  it.each<[string, MdocChanges]>([
    ['heads that are longer than needed', { bytes: longHead, objectBytes: longHead, itemBytes: longHead }],
    ['times with fractions', { validity: { signed: tdate('2026-11-01T00:00:58.210391Z') } }],
    ['times with an offset', { validity: { signed: tdate('2026-11-01T02:00:00+02:00') } }],
    ['digest ids beyond 2^31', { firstId: 4245825587 }],
    ['a list of one certificate', { x5chain: [signer.certificate.raw] }],
    ['its root behind the signer', { x5chain: [signer.certificate.raw, root.certificate.raw] }],
    ['the fully specified ES256', { alg: -9, deviceHeader: () => new Map([[1, -9]]) }],
    ['a kid beside its certificate', { unprotectedHeader: (map) => map.set(4, Buffer.from('kid')) }],
    ['SHA-384', { hash: 'sha384' }],
    ['SHA-512', { hash: 'sha512' }],
    ['a device key on P-384', by(p384, -35)],
    ['a device key on P-384, fully specified', by(p384, -51)],
    ['a device key on Ed25519', by(ed25519, -8)],
    ['members that nobody knows', { object: (map) => map.set('x', 1), response: (map) => map.set('y', 2) }],
    ['errors of other elements', { document: (map) => map.set('errors', mapOf({ [space]: mapOf({ sex: 0 }) })) }],
    ['only some elements', { shown: (map) => new Map([[space, (map.get(space) as CborValue[]).slice(0, 4)]]) }],
    [
      'an authorized statement of the holder, which is left out',
      { ...authorized, deviceElements: mapOf({ 'org.example': mapOf({ agreed: true }) }) },
    ],
    [
      'a certificate whose EKU has another use besides',
      { signer: signerOf({ extendedUses: ['28818c5d050102', '2a0304'] }) },
    ],
  ])('passes with %s', async (_, changes) => {
    const result = await verify(mdocPresentation(changes));
    expect(result).toMatchObject({ verified: true, credential: { claims: { [space]: { family_name: 'Bergström' } } } });
    expect(JSON.stringify(result)).not.toContain('agreed');
  });

  it.each([
    ['posted encrypted', { ...presentedTo, encryptionKey }],
    [
      'over the Digital Credentials API',
      { clientId: 'origin:https://a.example', origin: 'https://a.example', encryptionKey: null },
    ],
    [
      'over the Digital Credentials API, encrypted',
      { clientId: 'origin:https://a.example', origin: 'https://a.example', encryptionKey },
    ],
  ])('passes when it is %s', async (_, to) => {
    const text = mdocPresentation({ transcript: sessionTranscript(to, nonce) });
    expect(await verify(text, { presentedTo: to })).toMatchObject({ verified: true });
    expectRefusal(await verify(text), 'key-binding');
  });

  it('has one stated form as JSON for everything that CBOR can hold', async () => {
    const value = new Map<CborKey, CborValue>([
      [1, 18446744073709551615n],
      [-2, NaN],
      ['list', [undefined, 1.5, new Tagged(0, '2026-01-01T00:00:00Z'), new Tagged(1, 7), encoded(Buffer.from([1]))]],
      ['__proto_', null],
    ]);
    const text = mdocPresentation({ elements: { [space]: { family_name: value, age_over_18: true } } });
    expect(await verify(text)).toMatchObject({
      credential: {
        claims: {
          [space]: {
            family_name: {
              '1': '18446744073709551615',
              '-2': null,
              list: [null, 1.5, '2026-01-01T00:00:00Z', 7, 'AQ'],
              __proto_: null,
            },
          },
        },
      },
    });
  });

  it.each<[string, string, readonly (string | boolean)[], boolean]>([
    ['a date by its text', 'birth_date', ['1990-02-03'], true],
    ['bytes by base64url', 'portrait', ['YSBwaWN0dXJl'], true],
    ['another date', 'birth_date', ['1990-02-04'], false],
    ['a truth by its text', 'age_over_18', ['true'], false],
  ])('is compared with %s', async (_, name, values, verified) => {
    const query = { ...mdocQuery, claims: [{ path: [space, name], values }] };
    expect(await verify(mdocPresentation(), { query })).toMatchObject({ verified });
  });

  it('meets an authority by the key id of its root', async () => {
    const query = (id: string) => ({
      ...mdocQuery,
      trusted_authorities: [{ type: 'aki' as const, values: [Buffer.from(id).toString('base64url')] }],
    });
    expect(await verify(mdocPresentation(), { query: query('root') })).toMatchObject({ verified: true });
    expectRefusal(await verify(mdocPresentation(), { query: query('other') }), 'trusted-authorities');
  });

  it('is trusted by anchors for documents of its type alone', async () => {
    const check = (anchors: Parameters<typeof documentPolicy>[0]) =>
      verifyPresentation(mdocPresentation(), expectedMdoc, documentPolicy(anchors));
    expect(await check({ document: [anchorFor(root, { types: [doctype] })] })).toMatchObject({ verified: true });
    expectRefusal(await check({ issuer: [anchorFor(root)], status: [anchorFor(root)] }), 'issuer-trusted');
    expectRefusal(
      await check({ document: [anchorFor(root, { types: ['eu.europa.ec.eudi.pid.1'] })] }),
      'issuer-trusted',
    );
    const other = anchorFor(signerOf({ isAuthority: true }));
    expectRefusal(
      await check({ document: [other, anchorFor(root, { types: ['eu.europa.ec.eudi.pid.1'] })] }),
      'issuer-key',
    );
  });

  it('may be signed by an authority itself only where the operator says so', async () => {
    const check = (anchors: readonly IssuerAnchor[], changes: MdocChanges = { signer: root }) =>
      verifyPresentation(mdocPresentation(changes), expectedMdoc, documentPolicy({ document: anchors }));
    const signing = anchorFor(root, { signsDocuments: true });
    expect(await check([anchorFor(root, { types: ['org.example'] }), signing])).toMatchObject({ verified: true });
    expect(await check([signing], {})).toMatchObject({ verified: true });
    expectRefusal(await check([anchorFor(root)]), 'issuer-key');
    expectRefusal(await check([{ ...signing, types: ['org.example'] }, anchorFor(signer)]), 'issuer-key');
    const ended = certify({ name: 'IACA of Utopia', isAuthority: true, notAfter: new Date('2026-01-01T00:00:00Z') });
    expectRefusal(await check([anchorFor(ended, { signsDocuments: true })], { signer: ended }), 'issuer-key');
    const twin = certify({ name: 'IACA of Utopia', isAuthority: true, pathLength: 0 });
    expectRefusal(await check([signing], { signer: twin }), 'issuer-key');
  });

  it('ends with its validity, give or take a minute', async () => {
    const at = (time: string) => verify(mdocPresentation(), { now: new Date(time) });
    expect(await at('2026-12-01T00:00:59Z')).toMatchObject({ verified: true });
    expectRefusal(await at('2026-12-01T00:01:01Z'), 'times');
    expect(await at('2026-10-31T23:59:30Z')).toMatchObject({ verified: true });
    expectRefusal(await at('2026-10-31T23:58:30Z'), 'times');
  });

  it('is not read when it is larger than 1 MiB', async () => {
    expectRefusal(await verify(`o${'A'.repeat(1024 * 1024)}`), 'structure');
  });
});
