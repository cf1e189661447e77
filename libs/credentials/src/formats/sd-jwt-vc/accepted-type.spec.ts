import type { JsonObject, JsonValue } from '@app/primitives/json';
import { createHash } from 'node:crypto';
import { certify, signBy, x5c } from '../../../fixtures/certificates';
import {
  type Answer,
  expected,
  issuer,
  issuerKey,
  network,
  now,
  policy,
  query,
  type SdJwtChanges,
  sdJwtPresentation,
} from '../../../fixtures/presentations';
import { expectRefusal } from '../../../fixtures/refusal';
import { DidResolver } from '../../issuers/did';
import { FetchPostponed } from '../../issuers/fetch-postponed';
import { IssuerKeys } from '../../issuers/issuer-keys';
import type { CheckName } from '../../presentation-check';
import { verifyPresentation } from '../../presentation-verifier';
import type { PresentationPolicy, PresentationResult } from '../../presentation/verified-credential';
import { TypeMetadata } from './type-metadata';

const base = 'urn:eudi:pid:1';
const german = 'urn:eudi:pid:de:1';
const address = 'https://types.example/pid/de';
const site = (name: number | string): string => `https://types.example/${name}`;

type Presented = SdJwtChanges & {
  /** Types that the query asks for. */
  readonly asked?: readonly string[];
  /** Types for which the issuer is trusted by its name; all when absent. */
  readonly trustedFor?: readonly string[];
  readonly rules?: Parameters<typeof policy>[0];
  readonly pages?: Readonly<Record<string, Answer>>;
};

async function present(
  claims: JsonObject,
  { asked = [base], trustedFor, rules, pages, ...changes }: Presented = {},
): Promise<{ readonly result: PresentationResult; readonly fetched: readonly string[] }> {
  const { fetch, asked: fetched } = network(pages);
  const isTrusted: PresentationPolicy['isTrusted'] = (_issuer, types) =>
    trustedFor === undefined || types.every((type) => trustedFor.includes(type)) ? 'trusted' : 'untrusted';
  const text = sdJwtPresentation({ ...changes, payload: { ...claims, ...changes.payload } });
  const asking = { ...expected, query: { ...query, meta: { vct_values: asked } } };
  return { result: await verifyPresentation(text, asking, policy({ fetch, isTrusted, ...rules })), fetched };
}

function expectReason({ result }: { readonly result: PresentationResult }, check: CheckName, reason: string): void {
  expectRefusal(result, check);
  expect(result).toMatchObject({ failure: { reason: expect.stringContaining(reason) as string } });
}

describe('a credential whose issuer says that it is of other types, too', () => {
  const claims = { vct: german, aka_vcts: ['urn:other', base] };

  it('answers a query for one of them, and the result says which and how', async () => {
    const { result, fetched } = await present(claims);
    expect(result).toMatchObject({
      verified: true,
      credential: { issuer, types: [german], acceptedAs: { type: base, by: 'aka_vcts' } },
    });
    expect(result.checks.find(({ name }) => name === 'query')).toEqual({
      name: 'query',
      outcome: 'passed',
      reason: 'the type of the credential inherits from one that is asked for (aka_vcts)',
    });
    expect(fetched).toEqual([]);
  });

  it('answers a query for its own type as itself', async () => {
    const { result } = await present(claims, { asked: [base, german] });
    expect(result).toMatchObject({ verified: true, credential: { types: [german] } });
    expect(result).not.toHaveProperty('credential.acceptedAs');
  });

  it('is refused when its issuer is trusted for its own type alone', async () => {
    expectReason(await present(claims, { trustedFor: [german] }), 'issuer-trusted', 'not trusted for this type');
    const both = await present(
      { ...claims, aka_vcts: [base, 'urn:x'] },
      { asked: [base, 'urn:x'], trustedFor: [german] },
    );
    expectReason(both, 'issuer-trusted', 'not trusted for this type');
  });

  it('is taken for the type for which its issuer is trusted', async () => {
    const { result } = await present(claims, { asked: [german, 'urn:other', base], trustedFor: [base] });
    expect(result).toMatchObject({ verified: true, credential: { acceptedAs: { type: base } } });
  });

  const root = certify({ name: 'root', isAuthority: true });
  const leaf = certify({ name: 'leaf', issuer: root, dnsNames: ['issuer.example'], keyUsage: 0x80 });
  const byAnchor = (types: readonly string[]): Presented => {
    const { fetch } = network();
    const anchor = { certificate: root.certificate, name: 'Root', subject: 'CN=root', fingerprint: 'f', types };
    const issuerKeys = new IssuerKeys({
      fetchDocument: fetch,
      dids: new DidResolver({ fetchDocument: (url) => fetch(url, []) }),
      anchors: { find: () => [anchor] },
    });
    return {
      header: { x5c: x5c(leaf) },
      payload: { iss: 'https://issuer.example' },
      signer: { ...issuerKey, sign: signBy(leaf) },
      rules: { issuerKeys, isTrusted: () => 'untrusted' },
    };
  };

  it.each<[string, readonly string[], readonly string[], CheckName | undefined]>([
    ['for the type that is asked for', [base], [base], undefined],
    ['for one of two that are asked for', [base], [german, base], undefined],
    ['for its own type alone', [german], [base], 'issuer-key'],
    ['for neither of two that are asked for', ['urn:x'], [german, base], 'issuer-key'],
  ])('is judged by the anchor %s', async (_, anchorTypes, asked, check) => {
    const { result } = await present(claims, { ...byAnchor(anchorTypes), asked });
    if (check) expectRefusal(result, check);
    else expect(result).toMatchObject({ verified: true, credential: { acceptedAs: { type: base, by: 'aka_vcts' } } });
  });

  it.each<[string, JsonValue, CheckName]>([
    ['a text', base, 'structure'],
    ['an object', { [base]: true }, 'structure'],
    ['numbers', [base, 1], 'structure'],
    ['an empty name', [base, ''], 'structure'],
    ['digests', [base, { '...': 'x' }], 'structure'],
    ['10,000 types', [base, ...Array.from({ length: 9_999 }, (_, index) => `urn:${index}`)], 'structure'],
    ['none', [], 'query'],
    ['types that nobody asks for', ['urn:other'], 'query'],
  ])('is refused with aka_vcts that are %s', async (_, others, check) => {
    const { result, fetched } = await present({ vct: german, aka_vcts: others });
    expectRefusal(result, check);
    expect(fetched).toEqual([]);
  });
});

describe('a credential whose type extends others', () => {
  const document = (vct: string, parent?: string, more: JsonObject = {}): { readonly body: JsonObject } => ({
    body: { vct, name: 'PID', ...(parent !== undefined && { extends: parent }), ...more },
  });
  const pages = { [address]: document(address, base) };
  const claims = { vct: address };
  const bytesOf = ({ body }: Answer): string => JSON.stringify(body);
  const integrityOf = (answer: Answer, algorithm = 'sha256'): string =>
    `${algorithm}-${createHash(algorithm).update(bytesOf(answer)).digest('base64')}`;
  /** Types of which each extends the next, and the last one the base. */
  const tower = (length: number): Record<string, Answer> =>
    Object.fromEntries(
      Array.from({ length }, (_, at) => [site(at), document(site(at), at + 1 < length ? site(at + 1) : base)]),
    );

  it('answers a query for one of them, by the metadata at its address', async () => {
    const { result, fetched } = await present(claims, { pages });
    expect(result).toMatchObject({
      verified: true,
      credential: { types: [address], acceptedAs: { type: base, by: 'extends' } },
    });
    expect(fetched).toEqual([address]);
  });

  it('answers it over types between, as far as the nearest that is asked for', async () => {
    const { result, fetched } = await present({ vct: site(0) }, { pages: tower(4) });
    expect(result).toMatchObject({ verified: true, credential: { acceptedAs: { type: base } } });
    expect(fetched).toHaveLength(4);
    const nearer = await present({ vct: site(0) }, { pages: tower(4), asked: [base, site(2)] });
    expect(nearer.result).toMatchObject({ verified: true, credential: { acceptedAs: { type: site(2) } } });
    expect(nearer.fetched).toHaveLength(2);
  });

  it('is taken for the type for which its issuer is trusted, and for no other', async () => {
    const several = { pages: tower(2), asked: [site(1), base, 'urn:x'] };
    const { result } = await present({ vct: site(0) }, { ...several, trustedFor: [base] });
    expect(result).toMatchObject({ verified: true, credential: { acceptedAs: { type: base } } });
    expectReason(await present({ vct: site(0) }, { ...several, trustedFor: ['urn:x'] }), 'query', 'not trusted');
  });

  it('causes no request of an issuer that is not trusted for what is asked for', async () => {
    const { result, fetched } = await present(claims, { pages, trustedFor: [address] });
    expectRefusal(result, 'issuer-trusted');
    expect(fetched).toEqual([]);
  });

  it('causes none with a wrong signature, or without the key of the holder', async () => {
    for (const changes of [
      { signer: { ...issuerKey, sign: signBy(certify({ name: 'x' })) } },
      { keyBinding: { sd_hash: 'x' } },
    ]) {
      const { result, fetched } = await present(claims, { pages, ...changes });
      expect([result.verified, fetched]).toEqual([false, []]);
    }
  });

  it.each([german, 'types.example/pid', 'file:///etc/passwd', 'ftp://types.example/pid', 'https://', 'did:web:x'])(
    'causes none with the type %s, which is no address',
    async (vct) => {
      const { result, fetched } = await present({ vct }, { pages });
      expectReason({ result }, 'query', 'of another type than the query asks for');
      expect(fetched).toEqual([]);
    },
  );

  const own = document(address, base);
  it.each<[string, JsonValue]>([
    ['sha256', integrityOf(own)],
    ['sha384', integrityOf(own, 'sha384')],
    ['sha512', integrityOf(own, 'sha512')],
    ['several hashes, of which the strongest count', `sha256-AAAA  ${integrityOf(own, 'sha512')} sha512-AAAA`],
    ['options, which say nothing', `${integrityOf(own)}?ct=application/json`],
  ])('is bound to its metadata by %s', async (_, integrity) => {
    const { result } = await present({ ...claims, 'vct#integrity': integrity }, { pages });
    expect(result).toMatchObject({ verified: true });
  });

  const above = { [address]: document(address, site('eu'), { 'extends#integrity': 'sha256-AAAA' }) };
  it.each<[string, Readonly<Record<string, Answer>>, JsonObject, string]>([
    ['no metadata at its address', {}, {}, 'its type metadata could not be fetched'],
    ['metadata of another type', { [address]: document(base, base) }, {}, 'describes another type'],
    ['metadata that is not JSON', { [address]: { body: Buffer.from('<html>') } }, {}, 'is not a JSON object'],
    ['metadata that is a list', { [address]: { body: [own.body] } }, {}, 'is not a JSON object'],
    ['a member twice', { [address]: { body: Buffer.from(bytesOf(own).replace('{', '{"vct":1,')) } }, {}, 'not a JSON'],
    ['a type that extends a number', { [address]: document(address, undefined, { extends: 1 }) }, {}, 'does not name'],
    ['another hash', pages, { 'vct#integrity': integrityOf(document(address)) }, 'is not the one whose hash is stated'],
    ['a hash in hexadecimal', pages, { 'vct#integrity': `sha256-${'ab'.repeat(32)}` }, 'is not the one whose hash'],
    ['a weaker hash that is right', pages, { 'vct#integrity': `${integrityOf(own)} sha512-AAAA` }, 'is not the one'],
    ['a hash by another algorithm', pages, { 'vct#integrity': 'md5-AAAA' }, 'is not a hash by sha256'],
    ['a hash that is a number', pages, { 'vct#integrity': 1 }, 'is not a text'],
    ['another hash further up', { ...above, [site('eu')]: document(site('eu'), base) }, {}, 'hash is stated'],
    [
      'types that extend each other',
      { [address]: document(address, site(1)), [site(1)]: document(site(1), address) },
      {},
      'in a circle',
    ],
    ['a type that extends itself', { [address]: document(address, address) }, {}, 'in a circle'],
    ['20 types above it', { ...tower(20), [address]: document(address, site(0)) }, {}, 'more than 4 types above'],
  ])('does not answer it with %s', async (_, found, more, reason) => {
    const answer = await present({ ...claims, ...more }, { pages: found });
    expectReason(answer, 'query', reason);
    expectReason(answer, 'query', 'of another type than the query asks for, and ');
    expect(answer.fetched.length).toBeLessThanOrEqual(5);
  });

  it('does not answer it with metadata that lead elsewhere', async () => {
    expectReason(await present(claims, { pages: { [address]: document(address) } }), 'query', 'of another type');
    expectReason(
      await present(claims, { pages: { [address]: document(address, 'urn:x') } }),
      'query',
      'of another type',
    );
  });

  it('keeps what it has read for five minutes, by address and hash', async () => {
    const { fetch, asked: fetched } = network(pages);
    const metadata = new TypeMetadata(fetch);
    const parents = async (later: number, integrity?: string): Promise<string[]> => {
      const found: string[] = [];
      const at = new Date(now.getTime() + later);
      for await (const type of metadata.extendedBy({ type: address, integrity }, at)) found.push(type);
      return found;
    };
    expect([await parents(0), await parents(299_999)]).toEqual([[base], [base]]);
    expect(fetched).toHaveLength(1);
    await expect(parents(1, 'sha256-AAAA')).rejects.toThrow('hash is stated');
    await parents(300_000);
    expect(fetched).toHaveLength(3);
  });

  it('is not fetched from ourselves: our own types extend none', async () => {
    const { fetch, asked: fetched } = network(pages);
    const inheritance = new TypeMetadata(fetch, (type) => type === address);
    expectReason(await present(claims, { rules: { inheritance } }), 'query', 'of another type');
    expect(fetched).toEqual([]);
  });

  it('is asked for again when there was no slot for a request', async () => {
    const postponed = new TypeMetadata(() => Promise.reject(new FetchPostponed('busy')));
    await expect(present(claims, { rules: { inheritance: postponed } })).rejects.toThrow(FetchPostponed);
  });
});
