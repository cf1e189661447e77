import { type Authority, certify, type CertificateOptions, signBy, x5c } from '../../fixtures/certificates';
import {
  type Answer,
  expected,
  issuerKey,
  network,
  policy,
  query,
  sdJwtPresentation,
  type SdJwtChanges,
  seconds,
  vct,
} from '../../fixtures/presentations';
import { expectRefusal } from '../../fixtures/refusal';
import type { IssuerAnchor } from './certified-keys';
import { DidResolver } from './did';
import { IssuerKeys } from './issuer-keys';
import { verifyPresentation } from '../presentation-verifier';
import { encodeStatusList } from '../status/status-list';
import type { PresentationResult } from '../presentation/verified-credential';

const iss = 'https://issuer.example/tenant/1';

function trusted({ certificate, name }: Authority, changes: Partial<IssuerAnchor> = {}): IssuerAnchor {
  const named = {
    name: name.charAt(0).toUpperCase() + name.slice(1),
    subject: `CN=${name}`,
    fingerprint: certificate.fingerprint256,
  };
  return { certificate, ...named, types: [], ...changes };
}

type Presented = SdJwtChanges & {
  readonly anchors?: readonly IssuerAnchor[];
  readonly forStatus?: readonly IssuerAnchor[];
  readonly pages?: Readonly<Record<string, Answer>>;
  /** Members of the query. */
  readonly rules?: Partial<typeof query>;
};

describe('an issuer named by certificate', () => {
  const root = certify({ name: 'root', isAuthority: true });
  const middle = certify({ name: 'middle', issuer: root, isAuthority: true });
  const short = certify({ name: 'short', issuer: root, isAuthority: true, pathLength: 0 });
  const upper = certify({ name: 'upper', issuer: root, isAuthority: true, pathLength: 1 });
  const lower = certify({ name: 'lower', issuer: upper, isAuthority: true, pathLength: 0 });
  const leaf = (changes: Partial<CertificateOptions> = {}): Authority =>
    certify({ name: 'leaf', issuer: root, dnsNames: ['issuer.example'], keyUsage: 0x80, ...changes });

  async function present(
    chain: readonly Authority[],
    { anchors = [trusted(root)], forStatus = [], pages = {}, rules, ...changes }: Presented = {},
  ): Promise<PresentationResult> {
    const { fetch } = network(pages);
    const dids = new DidResolver({ fetchDocument: (url) => fetch(url, []) });
    const issuerKeys = new IssuerKeys({
      fetchDocument: fetch,
      dids,
      anchors: { find: (purpose) => (purpose === 'issuer' ? anchors : forStatus) },
    });
    const signer = { ...issuerKey, sign: signBy(chain[0] ?? root) };
    const text = sdJwtPresentation({
      signer,
      ...changes,
      header: { x5c: x5c(...chain), ...changes.header },
      payload: { iss, ...changes.payload },
    });
    return verifyPresentation(
      text,
      { ...expected, query: { ...query, ...rules } },
      policy({ fetch, issuerKeys, isTrusted: () => 'untrusted' }),
    );
  }

  const partner = certify({ name: 'partner', isAuthority: true });
  const crossSigned = certify({ name: 'root', issuer: partner, isAuthority: true, key: root.key });
  const formerRoot = certify({
    name: 'root',
    isAuthority: true,
    key: root.key,
    notAfter: new Date('2026-06-01T00:00:00Z'),
  });

  it.each<[string, readonly Authority[]]>([
    ['an anchor that another authority has certified, too', [leaf({ issuer: middle }), middle, crossSigned]],
    ['an anchor whose former certificate is sent along', [leaf({ issuer: middle }), middle, formerRoot]],
    ['an anchor', [leaf()]],
    ['an anchor that is sent along', [leaf(), root]],
    ['an authority between', [leaf({ issuer: middle }), middle]],
    ['an authority that may have leaves only', [leaf({ issuer: short }), short]],
    ['authorities within the length of the path', [leaf({ issuer: lower }), lower, upper]],
    ['an anchor, by the URL of the issuer', [leaf({ dnsNames: [], uris: [iss] })]],
    ['an anchor, with no key usage', [certify({ name: 'leaf', issuer: root, dnsNames: ['ISSUER.example'] })]],
  ])('is known by %s', async (_, chain) => {
    expect(await present(chain)).toMatchObject({
      verified: true,
      credential: { issuer: iss, trust: 'trusted', trustAnchor: { name: 'Root', subject: 'CN=root' } },
    });
  });

  const below = certify({ name: 'below', issuer: short, isAuthority: true });
  const expired = certify({
    name: 'expired',
    issuer: root,
    isAuthority: true,
    notAfter: new Date('2026-06-01T00:00:00Z'),
  });
  const tooLate = { notBefore: new Date('2026-12-01T00:00:00Z') };
  const foreign = certify({ name: 'root', isAuthority: true });
  const noAuthority = certify({ name: 'none', issuer: root });
  const noCertSign = certify({ name: 'nosign', issuer: root, isAuthority: true, keyUsage: 0x80 });

  const elsewhere = certify({ name: 'elsewhere', issuer: root, isAuthority: true, onlyBelow: 'elsewhere.example' });

  it.each<[string, readonly Authority[]]>([
    ['another name', [leaf({ dnsNames: ['evil.example'] })]],
    ['a name that only ends alike', [leaf({ dnsNames: ['example', 'xissuer.example'] })]],
    ['another URL', [leaf({ dnsNames: [], uris: [`${iss}/2`] })]],
    ['no name', [leaf({ dnsNames: [] })]],
    ['an expired leaf', [leaf({ notAfter: new Date('2026-11-20T11:59:59Z') })]],
    ['a leaf of the future', [leaf(tooLate)]],
    ['an expired authority', [leaf({ issuer: expired }), expired]],
    ['a self-signed leaf', [certify({ name: 'self', dnsNames: ['issuer.example'] })]],
    ['the anchor itself', [root]],
    ['an anchor of the same name and another key', [leaf({ issuer: foreign })]],
    ['a signature of another key', [leaf({ signer: foreign.key.privateKey })]],
    ['an authority missing', [leaf({ issuer: middle })]],
    ['certificates in the wrong order', [middle, leaf({ issuer: middle })]],
    ['one below that is no authority', [leaf({ issuer: noAuthority }), noAuthority]],
    ['one below that may not sign certificates', [leaf({ issuer: noCertSign }), noCertSign]],
    ['a path that is too long', [leaf({ issuer: below }), below, short]],
    ['an unknown critical extension', [leaf({ unknownCritical: true })]],
    ['an authority for other names', [leaf({ issuer: elsewhere }), elsewhere]],
    ['a leaf that is not for signatures', [leaf({ keyUsage: 0x08 })]],
    ['too many certificates', [leaf(), ...Array<Authority>(5).fill(root)]],
  ])('is not known with %s', async (_, chain) => {
    expectRefusal(await present(chain), 'issuer-key');
  });

  it('says so when a certificate is self-signed', async () => {
    const chain = [certify({ name: 'self', dnsNames: ['issuer.example'] })];
    expect(await present(chain)).toMatchObject({ failure: { reason: 'the certificate of the issuer is self-signed' } });
  });

  it.each<[string, unknown]>([
    ['no list', 'AAAA'],
    ['an empty list', []],
    ['a number', [1]],
    ['base64url', [x5c(root)[0]?.replaceAll('+', '-').replaceAll('/', '_').concat('-_')]],
    ['garbage', ['AAAA']],
    ['PEM', [Buffer.from(root.certificate.toString()).toString('base64')]],
    ['bytes after the certificate', [Buffer.concat([leaf().certificate.raw, Buffer.from([0])]).toString('base64')]],
  ])('is not known with %s as x5c', async (_, value) => {
    expectRefusal(await present([leaf()], { header: { x5c: value as string[] } }), 'issuer-key');
  });

  it('is refused when the credential is signed by another key', async () => {
    expectRefusal(await present([leaf()], { signer: issuerKey, header: { x5c: x5c(leaf()) } }), 'issuer-signature');
  });

  it('is named by its certificate when the credential does not name it', async () => {
    const payload = { vct: 'https://issuer.example/vct/diploma/1' };
    const changes = { payload, without: ['iss'] };
    expect(await present([leaf()], changes)).toMatchObject({ credential: { issuer: 'https://issuer.example' } });
    expect(await present([leaf({ uris: [iss] })], changes)).toMatchObject({ credential: { issuer: iss } });
    expectRefusal(await present([leaf({ dnsNames: [] })], changes), 'structure');
    for (const none of [null, [], 'AAAA']) {
      expectRefusal(await present([leaf()], { ...changes, header: { x5c: none } }), 'structure');
    }
  });

  const renewed = certify({
    name: 'root',
    isAuthority: true,
    key: root.key,
    notAfter: new Date('2026-06-01T00:00:00Z'),
  });

  it.each<[string, readonly IssuerAnchor[]]>([
    ['an anchor for its type', [trusted(root, { types: [vct] })]],
    [
      'one of two entries for the certificate',
      [trusted(root, { types: ['urn:other'] }), trusted(root, { types: [vct] })],
    ],
    ['the valid one of two certificates of the authority', [trusted(renewed), trusted(root)]],
  ])('is trusted by %s', async (_, anchors) => {
    expect(await present([leaf()], { anchors })).toMatchObject({ verified: true });
  });

  it.each<[string, readonly IssuerAnchor[], string]>([
    ['for another type', [trusted(root, { types: ['urn:other'] })], 'not trusted for this type of credential'],
    ['that has expired', [trusted(renewed)], 'expired'],
    ['of another authority', [trusted(foreign)], 'leads to no trust anchor'],
  ])('is not trusted by an anchor %s', async (_, anchors, reason) => {
    const result = await present([leaf()], { anchors });
    expectRefusal(result, 'issuer-key');
    expect(result).toMatchObject({ failure: { reason: expect.stringContaining(reason) as string } });
  });

  it('is not trusted by an anchor for status lists', async () => {
    expectRefusal(await present([leaf()], { anchors: [], forStatus: [trusted(root)] }), 'issuer-trusted');
  });

  it('is not trusted at all without a certificate', async () => {
    expectRefusal(await present([leaf()], { without: ['x5c'] }), 'issuer-trusted');
  });

  it('is judged by its published keys when it is trusted by its name and its certificates lead nowhere', async () => {
    const { fetch } = network();
    const dids = new DidResolver({ fetchDocument: (url) => fetch(url, []) });
    const issuerKeys = new IssuerKeys({ fetchDocument: fetch, dids, anchors: { find: () => [trusted(foreign)] } });
    const text = sdJwtPresentation({ header: { x5c: x5c(leaf()) } });
    const result = await verifyPresentation(text, expected, policy({ issuerKeys }));
    expect(result).toMatchObject({ verified: true, credential: { trust: 'trusted' } });
    expect(result).not.toHaveProperty('credential.trustAnchor');
    const inDevelopment = policy({ issuerKeys, isTrusted: () => 'accepted-in-development' });
    expectRefusal(await verifyPresentation(text, expected, inDevelopment), 'issuer-key');
  });

  it('belongs to the trusted authorities that its certificates name', async () => {
    const authorityKeyId = Buffer.from([0, 1, 2, 3]);
    const named = certify({
      name: 'named',
      isAuthority: true,
      subjectKeyId: authorityKeyId,
      authorityKeyId: Buffer.from([9, 8, 7]),
    });
    const chain = [leaf({ issuer: named })];
    const anchors = [trusted(named, { list: 'https://lists.example/pid' })];
    const asking = (type: 'aki' | 'etsi_tl', value: string): Promise<PresentationResult> =>
      present(chain, { anchors, rules: { trusted_authorities: [{ type, values: ['AAAA', value] }] } });
    for (const [type, value] of [
      ['aki', 'AAECAw'],
      ['aki', 'CQgH'],
      ['etsi_tl', 'https://lists.example/pid'],
    ] as const) {
      const result = await asking(type, value);
      expect(result).toMatchObject({ verified: true });
      expect(result.checks.at(-1)).toEqual({ name: 'trusted-authorities', outcome: 'passed' });
    }
    expectRefusal(await asking('aki', 'AAEC'), 'trusted-authorities');
    expectRefusal(await asking('etsi_tl', 'https://lists.example/eaa'), 'trusted-authorities');
    expectRefusal(await asking('etsi_tl', 'AAECAw'), 'trusted-authorities');
  });

  describe('with a status list', () => {
    const uri = 'https://status.example/lists/1';
    const provider = (changes: Partial<CertificateOptions> = {}): Authority =>
      certify({ name: 'provider', issuer: root, keyUsage: 0x80, ...changes });
    const listBy = (...chain: readonly [Authority, ...Authority[]]): Record<string, Answer> => {
      const payload = { sub: uri, iat: seconds - 10, exp: seconds + 600, status_list: encodeStatusList(1, 8, []) };
      const token = signBy(chain[0])({ typ: 'statuslist+jwt', x5c: x5c(...chain) }, payload);
      return { [uri]: { body: Buffer.from(token), contentType: 'application/statuslist+jwt' } };
    };
    const payload = { status: { status_list: { uri, idx: 3 } } };
    const providers = certify({ name: 'providers', isAuthority: true });

    it.each<[string, Authority, readonly IssuerAnchor[]]>([
      ['its issuer', provider({ dnsNames: ['issuer.example'] }), []],
      ['the host of the list', provider({ dnsNames: ['status.example'] }), []],
      ['the list by its URL', provider({ uris: [uri] }), []],
      ['anyone whom an anchor for status lists certifies', provider({ issuer: providers }), [trusted(providers)]],
    ])('is checked by the certificate of %s', async (_, signer, forStatus) => {
      const result = await present([leaf()], { payload, pages: listBy(signer), forStatus });
      expect(result).toMatchObject({ verified: true, credential: { status: 'valid' } });
    });

    describe('of a list of trusted entities', () => {
      const otherRoot = certify({ name: 'other root', isAuthority: true });
      const other = { entity: 'B' };
      const anchors = [trusted(root, { entity: 'A' }), trusted(otherRoot, other)];
      const listed = (entity: string): readonly IssuerAnchor[] => [trusted(providers, { entity })];
      const pages = listBy(provider({ issuer: providers }));
      const reason = 'belongs to another entity than the issuer';

      it('is checked by the certificate that its entity has for revocation', async () => {
        const result = await present([leaf()], { payload, pages, anchors, forStatus: listed('A') });
        expect(result).toMatchObject({ verified: true, credential: { status: 'valid' } });
      });

      it('is checked by it where entities share an authority', async () => {
        const shared = [trusted(root, other), trusted(root, { entity: 'A' })];
        const result = await present([leaf()], { payload, pages, anchors: shared, forStatus: listed('A') });
        expect(result).toMatchObject({ verified: true });
      });

      it.each<[string, Authority, Partial<Presented>]>([
        ['the certificate for revocation', provider({ issuer: providers }), { anchors, forStatus: listed('B') }],
        [
          'a certificate in the name of the issuer',
          provider({ issuer: otherRoot, dnsNames: ['issuer.example', 'status.example'] }),
          { anchors },
        ],
        [
          'the certificate for revocation, where a file vouches for the issuer',
          provider({ issuer: providers }),
          { anchors: [trusted(root), trusted(otherRoot, other)], forStatus: listed('B') },
        ],
      ])('is rejected when it is signed by %s of another entity', async (_, signer, changes) => {
        const result = await present([leaf()], { payload, pages: listBy(signer), ...changes });
        expectRefusal(result, 'status');
        expect(JSON.stringify(result)).toContain(reason);
      });

      it('does not vouch by its certificate for revocation for an issuer that publishes its keys', async () => {
        const { fetch } = network(pages);
        const dids = new DidResolver({ fetchDocument: (url) => fetch(url, []) });
        const find = (purpose: string): readonly IssuerAnchor[] => (purpose === 'status' ? listed('B') : anchors);
        const issuerKeys = new IssuerKeys({ fetchDocument: fetch, dids, anchors: { find } });
        const { statuses } = policy({ fetch, issuerKeys });
        await expect(statuses.check({ types: [vct], ...payload }, iss, expected.now)).rejects.toThrow(reason);
      });

      it('that is remembered for one entity is not read for another', async () => {
        const { fetch } = network(pages);
        const dids = new DidResolver({ fetchDocument: (url) => fetch(url, []) });
        const find = (purpose: string): readonly IssuerAnchor[] => (purpose === 'status' ? listed('A') : anchors);
        const { statuses } = policy({
          fetch,
          issuerKeys: new IssuerKeys({ fetchDocument: fetch, dids, anchors: { find } }),
        });
        const check = (anchor?: IssuerAnchor) =>
          statuses.check({ types: [vct], ...payload, anchor }, iss, expected.now);
        await expect(check(anchors[0])).resolves.toEqual({ status: 'valid' });
        await expect(check(anchors[1])).rejects.toThrow(reason);
      });
    });

    it('that is remembered is not read for a type that its authority does not vouch for', async () => {
      const { fetch } = network(listBy(provider({ issuer: providers })));
      const dids = new DidResolver({ fetchDocument: (url) => fetch(url, []) });
      const limited = [trusted(providers, { types: ['urn:listed'] })];
      const anchors = { find: (purpose: string) => (purpose === 'status' ? limited : []) };
      const issuerKeys = new IssuerKeys({ fetchDocument: fetch, dids, anchors });
      const { statuses } = policy({ fetch, issuerKeys });
      const check = (type: string) => statuses.check({ types: [type], ...payload }, iss, expected.now);
      await expect(check('urn:listed')).resolves.toEqual({ status: 'valid' });
      await expect(check('urn:other')).rejects.toThrow('not trusted for this type of credential');
      await expect(check('urn:listed')).resolves.toEqual({ status: 'valid' });
    });

    it.each<[string, Authority, readonly IssuerAnchor[]]>([
      ['another issuer of the same authority', provider({ dnsNames: ['evil.example'] }), []],
      ['another authority', provider({ issuer: providers, dnsNames: ['issuer.example'] }), []],
      [
        'an expired certificate',
        provider({ dnsNames: ['issuer.example'], notAfter: new Date('2026-11-20T11:00:00Z') }),
        [],
      ],
      [
        'an authority for the lists of other types',
        provider({ issuer: providers }),
        [trusted(providers, { types: ['urn:other'] })],
      ],
      ['an authority for both that certifies others', provider({ dnsNames: ['evil.example'] }), [trusted(root)]],
    ])('is rejected when it is signed by %s', async (_, signer, forStatus) => {
      expectRefusal(await present([leaf()], { payload, pages: listBy(signer), forStatus }), 'status');
    });
  });
});
