import { OwnCertificates } from '@app/identity';
import { type CborMap, decodeCbor, encodeCbor, readCoseSign1, type Tagged } from '@app/primitives/cbor';
import { type JsonWebKey, verify, X509Certificate } from 'node:crypto';
import { answered, get, type Json } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import {
  credentialsOf,
  nonceFrom,
  offerUri,
  readMetadata,
  readOffer,
  receive,
  redeem,
  requestCredential,
} from '../support/wallets/wallet';
import { readJwt, readSdJwt, verifies } from '../support/wallets/credentials';

type Jwk = JsonWebKey & { readonly kid: string };

let local: RunningService;
let published: RunningService;
beforeAll(async () => {
  local = await startService();
  // The same loopback listener, but with an https public URL with a path, as behind a proxy.
  published = await startService({ SERVICE__APPLICATION_URL: 'https://issuer.example/tenant' });
});
afterAll(() => Promise.all([local.stop(), published.stop()]));

/** A credential of a template, received over the loopback address whatever public address the service has. */
async function credentialOf(service: RunningService, template: Json | undefined): Promise<string> {
  const id = template === undefined ? quickStart : await publishedTemplate(service.url, template);
  const { link } = await prepareOffer(service.url, [id]);
  const [credential = ''] = await receive(link);
  return credential;
}

async function keysAt(address: string): Promise<Jwk[]> {
  const document = answered(200, await get(address));
  return ((document['jwks'] as Json | undefined) ?? document)['keys'] as Jwk[];
}

describe.each(['ES256', 'EdDSA'])('a credential signed with %s', (signingAlgorithm) => {
  it('as SD-JWT VC of the https issuer verifies with the issuer metadata and with jwks.json', async () => {
    const template = { signingAlgorithm, issuerIdentifier: 'https' };
    const { jwt, header, payload } = readSdJwt(await credentialOf(local, template));
    expect(header['alg']).toBe(signingAlgorithm);
    // SD-JWT VC §3.5: the well-known name stands between host and path of iss.
    const issuer = new URL(String(payload['iss']));
    const address = `${issuer.origin}/.well-known/jwt-vc-issuer${issuer.pathname}`;
    expect(answered(200, await get(address))['issuer']).toBe(payload['iss']);
    for (const place of [address, `${local.url}/jwks.json`]) {
      const key = (await keysAt(place)).find(({ kid }) => kid === header['kid']);
      expect(key && verifies(jwt, key)).toBe(true);
      expect(key && verifies(`${jwt.slice(0, -8)}AAAAAAAA`, key)).toBe(false);
    }
  });

  it.each([
    ['W3C credential', { format: 'jwt_vc_json', vct: undefined }],
    ['SD-JWT VC', {}],
  ])('as %s verifies with the key in its did:jwk, without an https address', async (_, format) => {
    const [jwt = ''] = (await credentialOf(local, { ...format, signingAlgorithm })).split('~');
    const { header, payload } = readJwt(jwt);
    expect(header['kid']).toBe(`${String(payload['iss'])}#0`);
    const [, , encoded = ''] = String(payload['iss']).split(':');
    const key = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as Jwk;
    expect(verifies(jwt, key)).toBe(true);
    const own = (await keysAt(`${local.url}/jwks.json`)).map(({ x }) => x);
    expect(own).toContain(key.x);
  });
});

describe('the root of development certificates', () => {
  it.each([
    ['ES256', {}],
    ['EdDSA', {}],
    ['ES256', { format: 'jwt_vc_json', vct: undefined }],
  ])('vouches for what is signed in the https name with %s, credential and status list alike', async (...asked) => {
    const [signingAlgorithm, format] = asked;
    const template = { issuerIdentifier: 'https', revocable: true, signingAlgorithm, ...format };
    const [jwt = ''] = (await credentialOf(local, template)).split('~');
    const { header, payload } = readJwt(jwt);
    const root = new X509Certificate((await get(`${local.url}/certificates/development-root.pem`)).text);
    const [encoded = '', ...more] = header['x5c'] as string[];
    const leaf = new X509Certificate(Buffer.from(encoded, 'base64'));
    expect(more).toEqual([]);
    expect([leaf.checkIssued(root), leaf.verify(root.publicKey)]).toEqual([true, true]);
    expect(leaf.subjectAltName).toBe(`DNS:127.0.0.1, URI:${String(payload['iss'])}`);
    expect(verifies(jwt, leaf.publicKey.export({ format: 'jwk' }))).toBe(true);
    const { uri } = (payload['status'] as Json)['status_list'] as { uri: string };
    const list = readJwt((await get(uri, { accept: 'application/statuslist+jwt' })).text);
    expect(list.header['x5c']).toEqual([encoded]);
    // Whoever looks for the key by its name finds the same one.
    expect(list.header['kid']).toBe(header['kid']);
    expect((await keysAt(`${local.url}/jwks.json`)).map(({ kid }) => kid)).toContain(header['kid']);
  });

  it('of a document signer vouches for the same status list as a CWT, at the same address', async () => {
    const [jwt = ''] = (await credentialOf(local, { revocable: true })).split('~');
    const { uri } = (readJwt(jwt).payload['status'] as Json)['status_list'] as { uri: string };
    const media = 'application/statuslist+cwt';
    const reply = await fetch(uri, { headers: { accept: media, 'accept-encoding': 'identity' } });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, media]);
    expect(reply.headers.get('vary')).toBe('Accept, Accept-Encoding');
    const body = Buffer.from(await reply.arrayBuffer());
    const tagged = decodeCbor(body);
    expect(tagged).toMatchObject({ tag: 18 });
    const sign1 = readCoseSign1((tagged as Tagged).content);
    const der = sign1.protectedHeader.get(33) as Uint8Array;
    expect([...sign1.protectedHeader]).toEqual([
      [1, -7],
      [16, media],
      [33, der],
    ]);
    const root = new X509Certificate((await get(`${local.url}/certificates/development-iaca.pem`)).text);
    const leaf = new X509Certificate(der);
    expect([leaf.verify(root.publicKey), root.subject]).toEqual([true, 'CN=Sealwright development IACA\nC=UT']);
    const signed = encodeCbor(['Signature1', sign1.protectedBytes, new Uint8Array(), sign1.payload ?? null]);
    const key = { key: leaf.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', signed, key, sign1.signature)).toBe(true);
    const claims = decodeCbor(sign1.payload ?? Buffer.of()) as CborMap;
    const asJwt = await get(uri);
    const { payload } = readJwt(asJwt.text);
    expect([2, 6, 4, 65534].map((label) => claims.get(label))).toEqual(
      ['sub', 'iat', 'exp', 'ttl'].map((name) => (name === 'sub' ? uri : (expect.any(Number) as unknown))),
    );
    const { lst, ...list } = payload['status_list'] as Json;
    const { lst: bytes, ...rest } = Object.fromEntries(claims.get(65533) as CborMap);
    expect(rest).toEqual(list);
    expect(Buffer.from(bytes as Uint8Array).toString('base64url')).toBe(lst);
    // The usual form stays the usual one, and each has its own validator.
    expect(asJwt.headers.get('content-type')).toBe('application/statuslist+jwt');
    const tag = reply.headers.get('etag') ?? '';
    expect(tag).not.toBe(asJwt.headers.get('etag'));
    const again = (accept: string) => fetch(uri, { headers: { accept, 'if-none-match': tag } });
    expect((await again(media)).status).toBe(304);
    expect((await again('application/statuslist+jwt')).status).toBe(200);
    const zipped = await fetch(uri, { headers: { accept: media } });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(Buffer.from(await zipped.arrayBuffer()).equals(body)).toBe(true);
    const past = await fetch(`${uri}?time=${Math.floor(Date.now() / 1000)}`, { headers: { accept: media } });
    expect(readCoseSign1((decodeCbor(Buffer.from(await past.arrayBuffer())) as Tagged).content).payload).not.toBeNull();
  });

  it('vouches for the metadata of the issuer, for wallets that ask for it signed', async () => {
    const address = `${local.url}/.well-known/openid-credential-issuer/openid4vci`;
    const plain = await get(address, { accept: 'application/json, application/jwt;q=0.5' });
    const reply = await get(address, { accept: 'application/jwt' });
    expect([reply.headers.get('content-type'), reply.headers.get('vary')]).toEqual(['application/jwt', 'Accept']);
    const { header, payload } = readJwt(reply.text);
    expect(header).toEqual({ typ: 'openidvci-issuer-metadata+jwt', alg: 'ES256', x5c: [expect.any(String)] });
    const { iss, sub, iat, exp, ...metadata } = payload;
    expect([iss, sub, Number(exp) - Number(iat)]).toEqual([plain.json['credential_issuer'], iss, 24 * 60 * 60]);
    expect(metadata).toEqual(plain.json);
    const root = new X509Certificate((await get(`${local.url}/certificates/development-root.pem`)).text);
    const leaf = new X509Certificate(Buffer.from(String((header['x5c'] as string[])[0]), 'base64'));
    expect([leaf.verify(root.publicKey), verifies(reply.text, leaf.publicKey.export({ format: 'jwk' }))]).toEqual([
      true,
      true,
    ]);
  });

  it.each(['*/*', 'text/html', 'application/json'])('is not needed by who accepts %s', async (accept) => {
    const reply = await get(`${local.url}/.well-known/openid-credential-issuer/openid4vci`, { accept });
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('is not named by what is signed in the name of the DID', async () => {
    const template = { issuerIdentifier: 'did' };
    expect(readSdJwt(await credentialOf(local, template)).header).not.toHaveProperty('x5c');
  });

  it('is published for the wallets that try requests under certificates', async () => {
    const { status, text, headers } = await get(`${local.url}/certificates/development-root.pem`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-pem-file']);
    const root = new X509Certificate(text);
    expect([root.ca, root.verify(root.publicKey)]).toEqual([true, true]);
    const request = local.app.get(OwnCertificates).current('requests', new Date());
    const leaf = new X509Certificate(Buffer.from(request?.x5c[0] ?? '', 'base64'));
    expect([leaf.verify(root.publicKey), leaf.subjectAltName]).toEqual([true, 'DNS:127.0.0.1']);
  });
});

describe('behind an https address with a path', () => {
  const inside = (address: string): string => published.url + new URL(address).pathname;

  it('every document names the public address and none the listener', async () => {
    const paths = [
      '/.well-known/openid-credential-issuer/tenant/openid4vci',
      '/tenant/openid4vci/.well-known/openid-credential-issuer',
      '/.well-known/oauth-authorization-server/tenant/openid4vci',
      '/.well-known/jwt-vc-issuer/tenant/openid4vci',
      '/tenant/did.json',
    ];
    for (const path of paths) {
      // RFC 9110: neither header may change what is published.
      const spoofed = await get(published.url + path, { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil' });
      expect(spoofed.status).toBe(200);
      expect(spoofed.text).toContain('issuer.example');
      expect(spoofed.text).not.toMatch(/evil|127\.0\.0\.1/);
    }
  });

  it('a W3C credential is signed in the name of the did:web, with a key its document lists', async () => {
    const { link } = await prepareOffer(published.url, [quickStart]);
    const uri = inside(offerUri(link));
    const read = await readOffer(`x://?credential_offer_uri=${encodeURIComponent(uri)}`);
    expect(read.issuer).toBe('https://issuer.example/tenant/openid4vci');
    const issuer = inside(read.issuer);
    const token = answered(200, await redeem({ ...read, issuer }));
    const accessToken = String(token['access_token']);
    const session = { requestClass: 'F', offer: read, metadata: {}, token, accessToken } as const;
    const nonce = await nonceFrom(issuer);
    const reply = await requestCredential(session, { nonce, endpoint: `${issuer}/credential` });
    const [jwt = ''] = credentialsOf(answered(200, reply));
    const { header, payload } = readJwt(jwt);
    expect(payload['iss']).toBe('did:web:issuer.example:tenant');
    const document = answered(200, await get(`${published.url}/tenant/did.json`));
    expect(document['id']).toBe('did:web:issuer.example:tenant');
    const methods = document['verificationMethod'] as { id: string; publicKeyJwk: Jwk }[];
    expect(document['assertionMethod']).toEqual(methods.map(({ id }) => id));
    const jwks = await keysAt(`${published.url}/tenant/jwks.json`);
    expect(methods.map(({ publicKeyJwk }) => publicKeyJwk)).toEqual(jwks);
    const named = methods.find(({ id }) => id === header['kid']);
    expect(named && verifies(jwt, named.publicKeyJwk)).toBe(true);
    for (const key of jwks) expect(key).not.toHaveProperty('d');
  });
});

describe('the type metadata of a hosted credential type', () => {
  it('is at the address the credential names as its vct', async () => {
    const schema = {
      type: 'object',
      properties: { given_name: { type: 'string', title: 'Given name' }, level: { type: 'integer' } },
      required: ['given_name'],
    };
    const display = [{ name: 'Membership', locale: 'en', background_color: '#12107c' }];
    const template = { vct: undefined, schema, display, selectivelyDisclosable: ['/given_name'] };
    const { payload, disclosures } = readSdJwt(await credentialOf(local, template));
    expect(payload).toMatchObject({ family_name: 'Mustermann', level: 3 });
    expect(disclosures).toHaveLength(1);

    const vct = String(payload['vct']);
    const metadata = answered(200, await get(vct));
    expect(metadata).toMatchObject({ vct, name: 'Membership' });
    // Also what the service adds, as `iat`.
    const names = Object.keys(payload).filter((name) => !['_sd', '_sd_alg', 'family_name'].includes(name));
    const claims = metadata['claims'] as { readonly path: readonly string[] }[];
    expect(claims.flatMap(({ path }) => path)).toEqual(expect.arrayContaining([...names, 'given_name']));
    expect(claims).toEqual(
      expect.arrayContaining([
        { path: ['given_name'], mandatory: true, sd: 'always' },
        { path: ['level'], sd: 'never' },
        { path: ['iat'], mandatory: true, sd: 'never' },
      ]),
    );
    expect((await get(vct)).headers.get('access-control-allow-origin')).toBe('*');
    expect((await get(vct.replace(/\d+$/, '99'))).status).toBe(404);
    expect((await get(`${vct}%00`)).status).toBe(404);
  });

  it('shows the same claims in the metadata of the issuer, in the format of either generation', async () => {
    const schema = { type: 'object', properties: { given_name: { type: 'string' } }, required: ['given_name'] };
    const id = await publishedTemplate(local.url, { schema });
    const of = async (generation: 'final' | 'draft-13') =>
      ((await readMetadata(`${local.url}/openid4vci`, generation))['credential_configurations_supported'] as Json)[id];
    expect(await of('final')).toMatchObject({
      format: 'dc+sd-jwt',
      credential_metadata: { claims: [{ path: ['given_name'], mandatory: true }] },
    });
    expect(await of('draft-13')).toMatchObject({ format: 'vc+sd-jwt', claims: { given_name: { mandatory: true } } });
    expect(await of('draft-13')).not.toHaveProperty('credential_metadata');
  });
});
