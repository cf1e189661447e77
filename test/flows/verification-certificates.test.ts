import { OwnCertificates } from '@app/identity';
import { readX509Extensions } from '@app/credentials';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answered, get, type Json, postForm, postJson } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { foreignSdJwt, inSeconds, presentSdJwt } from '../support/presenters/credentials';
import {
  ask,
  encryptedAnswer,
  type EncryptionChanges,
  linkOf,
  post,
  receiveRequest,
  type Received,
  respond,
  resultOf,
} from '../support/presenters/presenter';
import { expectCheckFailed, expectStillOpen } from '../support/presenters/refusals';
import { type RunningService, startService } from '../support/service/service';
import { readJwt } from '../support/wallets/credentials';
import { newHolder } from '../support/wallets/key-proofs';

const ownInfo = { format: 'registration_cert', data: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln' };
/** A word that occurs in presented claims only. */
const canary = 'Zwergspitzmaus';
const dcql_query = { credentials: [idCard] };

let folder: string;
let service: RunningService;
let holdings: Holdings;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verifier-info-'));
  const file = join(folder, 'verifier-info.json');
  await writeFile(file, JSON.stringify([ownInfo]));
  service = await startService({
    SERVICE__VERIFICATION__CLIENT_ID_PREFIX: 'x509_hash',
    SERVICE__VERIFICATION__VERIFIER_INFO_FILE: file,
  });
  holdings = await receiveHoldings(service.url, { given_name: canary, level: 3 });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const requestUriOf = (link: string): string => new URL(link).searchParams.get('request_uri') ?? '';

describe('a request in the name of a certificate', () => {
  it('is what the setting says, and its chain leads to the development root without naming it', async () => {
    const asked = await ask(service.url, { dcql_query });
    const { header, payload } = readJwt((await get(requestUriOf(linkOf(asked)))).text);
    const root = new X509Certificate((await get(`${service.url}/certificates/development-root.pem`)).text);
    const chain = (header['x5c'] as string[]).map((der) => new X509Certificate(Buffer.from(der, 'base64')));
    const [leaf] = chain;
    expect(chain.at(-1)?.verify(root.publicKey)).toBe(true);
    expect(chain.map(({ fingerprint256 }) => fingerprint256)).not.toContain(root.fingerprint256);
    expect(header).toEqual({ typ: 'oauth-authz-req+jwt', alg: 'ES256', x5c: header['x5c'] });
    const hash = createHash('sha256')
      .update(leaf?.raw ?? '')
      .digest('base64url');
    expect(payload['client_id']).toBe(`x509_hash:${hash}`);
  });

  it('is not the DID of drafts and of SIOPv2', async () => {
    const asked = await ask(service.url, { dcql_query });
    expect((await receiveRequest(asked, 'draft-20')).clientId).toMatch(/^did:/);
    const signIn = await ask(service.url, {});
    expect((await receiveRequest(signIn, 'siopv2')).clientId).toMatch(/^did:/);
  });

  it('may be another one that the request chooses', async () => {
    const { hostname } = new URL(service.url);
    for (const [clientIdPrefix, clientId] of [
      ['x509_san_dns', `x509_san_dns:${hostname}`],
      ['decentralized_identifier', expect.stringMatching(/^decentralized_identifier:did:/)],
    ]) {
      expect((await receiveRequest(await ask(service.url, { dcql_query, clientIdPrefix }))).clientId).toEqual(clientId);
    }
  });

  it('is the same by GET, by POST with a nonce and a second time', async () => {
    const asked = await ask(service.url, { dcql_query, responseMode: 'direct_post.jwt' });
    const all = [
      await receiveRequest(asked),
      await receiveRequest(asked),
      await receiveRequest(asked, '1.0', 'wallet-nonce'),
    ];
    expect(new Set(all.map(({ nonce, clientId }) => `${nonce} ${clientId}`)).size).toBe(1);
    expect(all[2]?.parameters['wallet_nonce']).toBe('wallet-nonce');
  });

  it('has a nonce, a state, addresses and a response code of 32 bytes', async () => {
    const asked = await ask(service.url, { dcql_query, redirectUri: 'https://shop.example/back' });
    const received = await receiveRequest(asked);
    const answer = answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
    const [code] = /[^=]+$/.exec(String(answer['redirect_uri'])) ?? [];
    const [, handle] = /([^/]+)\/request$/.exec(requestUriOf(linkOf(asked))) ?? [];
    for (const value of [received.nonce, received.state, handle, code]) expect(value).toMatch(/^[\w-]{43}$/);
  });
});

describe('a request of HAIP', () => {
  it('is the one of 1.0 under haip-vp://, encrypted to a key of its own', async () => {
    const body = { dcql_query, responseMode: 'direct_post.jwt', clientIdPrefix: 'decentralized_identifier' };
    const [one, other] = [await ask(service.url, body), await ask(service.url, body)];
    const [haip, final] = [await receiveRequest(one, 'haip'), await receiveRequest(one)];
    expect(haip.link.protocol).toBe('haip-vp:');
    expect(haip.clientId).toMatch(/^x509_hash:[\w-]{43}$/);
    expect(Object.keys(haip.parameters)).toEqual(Object.keys(final.parameters));
    expect(haip.nonce).not.toBe(final.nonce);
    const metadata = haip.parameters['client_metadata'] as Json;
    const [jwk] = (metadata['jwks'] as { keys: [Json] }).keys;
    const algorithms = ['ES256', 'ES384', 'Ed25519'];
    expect(metadata).toEqual({
      jwks: { keys: [expect.objectContaining({ kty: 'EC', crv: 'P-256', use: 'enc', alg: 'ECDH-ES' })] },
      encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
      vp_formats_supported: {
        'dc+sd-jwt': { 'sd-jwt_alg_values': algorithms, 'kb-jwt_alg_values': algorithms },
      },
    });
    const ofOther = (await receiveRequest(other, 'haip')).parameters['client_metadata'] as Json;
    expect((ofOther['jwks'] as { keys: [Json] }).keys[0]['x']).not.toBe(jwk['x']);
  });

  it.each([
    ['its answer is not encrypted', {}, 'direct_post.jwt'],
    ['it asks for an ID Token too', { responseMode: 'direct_post.jwt', responseType: 'vp_token id_token' }, 'ID Token'],
    [
      'it asks for a format that HAIP does not know',
      {
        responseMode: 'direct_post.jwt',
        dcql_query: { credentials: [{ id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['Degree']] } }] },
      },
      'jwt_vc_json',
    ],
  ])('is not there when %s', async (_, body, reason) => {
    const { answer } = await ask(service.url, { dcql_query, ...body });
    expect(answer['variants']).toMatchObject({
      haip: null,
      unavailable: { haip: expect.stringContaining(reason) as unknown },
    });
  });

  it('does not accept a presentation that was made for the nonce or the name of another variant', async () => {
    const asked = await ask(service.url, {
      dcql_query,
      responseMode: 'direct_post.jwt',
      clientIdPrefix: 'decentralized_identifier',
    });
    const [haip, final] = [await receiveRequest(asked, 'haip'), await receiveRequest(asked)];
    for (const [foreign, check] of [
      [{ ...haip, nonce: final.nonce }, 'nonce'],
      [{ ...haip, clientId: final.clientId }, 'audience'],
    ] as const) {
      const tokens = tokensFor(holdings, foreign, ['id_card']);
      expect((await respond(haip, { tokens })).status).toBe(400);
      expect(await resultOf(asked)).toMatchObject({ status: 'rejected', failure: { check } });
    }
    answered(200, await respond(haip, { tokens: tokensFor(holdings, haip, ['id_card']) }));
    expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
  });
});

describe('an answer to a request of HAIP', () => {
  const year = 365 * 24 * 3600;
  const issuer = newHolder('ES256', 'did:jwk');
  const [holder, other] = [newHolder('ES256', 'jwk'), newHolder('ES256', 'jwk')];
  const { kty, crv, x, y } = holder.jwk;
  const boundTo = (jwk: Json) =>
    foreignSdJwt(issuer, holder, { claims: { given_name: canary }, payload: { cnf: { jwk } } });
  const credential = boundTo({ kty, crv, x, y });
  const bound = (payload: (received: Received) => Json) => (received: Received) =>
    presentSdJwt(credential, holder, received, { keyBinding: { payload: payload(received) } });
  const asking = () => ask(service.url, { dcql_query, responseMode: 'direct_post.jwt' });

  it.each<[string, string, (received: Received) => string]>([
    ['bound a year ago', 'key-binding', bound(() => ({ iat: inSeconds(-year) }))],
    ['bound in a year', 'key-binding', bound(() => ({ iat: inSeconds(year) }))],
    ['bound to other disclosures', 'key-binding', bound(() => ({ sd_hash: 'x'.repeat(43) }))],
    ['bound for another nonce', 'nonce', bound(({ nonce }) => ({ nonce: `${nonce}x` }))],
    [
      'bound for the client without its prefix',
      'audience',
      bound(({ clientId }) => ({ aud: clientId.replace('x509_hash:', '') })),
    ],
    [
      'bound for the client under another prefix',
      'audience',
      bound(({ clientId }) => ({ aud: clientId.replace('x509_hash', 'x509_san_dns') })),
    ],
    [
      'bound by another key',
      'key-binding',
      (received) => presentSdJwt(credential, holder, received, { keyBinding: { signer: other } }),
    ],
    [
      'whose credential names a private key',
      'key-binding',
      (received) => presentSdJwt(boundTo({ kty, crv, x, y, d: 'x'.repeat(43) }), holder, received),
    ],
  ])('%s fails the check %s, and one with a minimal cnf is accepted', async (_, check, token) => {
    const asked = await asking();
    const received = await receiveRequest(asked, 'haip');
    const reply = await respond(received, { tokens: { id_card: token(received) } });
    const valid = () => ({ tokens: { id_card: presentSdJwt(credential, holder, received) } });
    await expectCheckFailed(asked, received, reply, { check, credentialId: 'id_card' }, valid, canary);
  });

  it.each<[string, EncryptionChanges]>([
    ['with a content encryption that is not offered', { header: { enc: 'A256CBC-HS512' } }],
    ['under the kid of another request', { header: { kid: 'other' } }],
  ])('%s is refused before it is read', async (_, changes) => {
    const asked = await asking();
    const received = await receiveRequest(asked, 'haip');
    const answer = { tokens: tokensFor(holdings, received, ['id_card']) };
    const reply = await post(received, [['response', await encryptedAnswer(received, answer, changes)]]);
    expectRefusal(reply, 400, 'invalid_request');
    await expectStillOpen(asked, received, holdings, ['id_card'], canary, reply);
  });
});

describe('the certificate of a request', () => {
  it('stays when another one is installed, and the request ends when its key is revoked', async () => {
    const certificates = service.app.get(OwnCertificates);
    const asked = await ask(service.url, { dcql_query });
    const present = certificates.current('requests', new Date());
    const current = jest.spyOn(certificates, 'current');
    if (present) current.mockReturnValue({ ...present, fingerprint: 'x'.repeat(43) });
    try {
      const received = await receiveRequest(asked);
      expect(received.clientId).toBe(`x509_hash:${present?.fingerprint}`);
      answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
      const open = await ask(service.url, { dcql_query });
      expect(linkOf(open)).toContain('x'.repeat(43));
      // No key is known for this fingerprint, as after a revocation.
      expectRefusal(await get(requestUriOf(linkOf(open))), 404, 'invalid_request');
    } finally {
      current.mockRestore();
    }
  });

  it('is missed when the request is made, and the DID still works', async () => {
    const certificates = service.app.get(OwnCertificates);
    const present = certificates.current('requests', new Date());
    const create = (body: Json) => postJson(`${service.url}/v0/authorization_requests`, { dcql_query, ...body });
    const current = jest.spyOn(certificates, 'current');
    try {
      if (present) current.mockReturnValue({ ...present, dnsNames: ['other.example'] });
      const ofOther = await create({ clientIdPrefix: 'x509_san_dns' });
      expectProblem(ofOther, 409, 'request-certificate-missing');
      expect(ofOther.json['detail']).toContain('127.0.0.1; the present one has other.example');
      current.mockReturnValue(undefined);
      for (const body of [{}, { clientIdPrefix: 'x509_san_dns' }]) {
        expectProblem(await create(body), 409, 'request-certificate-missing');
      }
      const body = { clientIdPrefix: 'decentralized_identifier', responseMode: 'direct_post.jwt' };
      expect(answered(201, await create(body))['variants']).toMatchObject({
        '1.0': expect.any(String) as unknown,
        haip: null,
        unavailable: { haip: expect.stringContaining('certificate') as unknown },
      });
    } finally {
      current.mockRestore();
    }
  });
});

describe('a credential of our own that has certificates', () => {
  const asking = (value: string) => ({
    dcql_query: { credentials: [{ ...idCard, trusted_authorities: [{ type: 'aki', values: [value] }] }] },
  });

  it('is from the authority that has certified us, and from no other', async () => {
    const own = await receiveHoldings(service.url, { given_name: canary, level: 3 }, 'https');
    const [leaf = ''] = readJwt(own.sdJwt.split('~')[0] ?? '').header['x5c'] as string[];
    const authority = readX509Extensions(Buffer.from(leaf, 'base64'))?.authorityKeyId;
    const asked = await ask(service.url, asking(authority ?? ''));
    expect(asked.answer['warnings']).toEqual([expect.stringContaining('only credentials of this service')]);
    const received = await receiveRequest(asked);
    answered(200, await respond(received, { tokens: tokensFor(own, received, ['id_card']) }));
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', credentials: [{ trust: 'trusted' }] });

    const ofOther = await ask(service.url, asking('b3RoZXI'));
    const second = await receiveRequest(ofOther);
    expectRefusal(await respond(second, { tokens: tokensFor(own, second, ['id_card']) }), 400, 'invalid_request');
    expect(await resultOf(ofOther)).toMatchObject({ failure: { check: 'trusted-authorities' } });
  });
});

describe('what others attest about the verifier', () => {
  const info = { format: 'jwt', data: { any: 'thing' }, credential_ids: ['id_card'] };

  it('goes to wallets of 1.0 as it is: what the service has for every request, then what the request brings', async () => {
    const asked = await ask(service.url, { dcql_query, responseMode: 'direct_post.jwt', verifierInfo: [info] });
    for (const variant of ['1.0', 'haip'] as const) {
      expect((await receiveRequest(asked, variant)).parameters['verifier_info']).toEqual([ownInfo, info]);
    }
    expect((await receiveRequest(asked, 'draft-20')).parameters).not.toHaveProperty('verifier_info');
    const unsigned = await ask(service.url, { dcql_query, clientIdPrefix: 'redirect_uri' });
    const sent = new URL(linkOf(unsigned)).searchParams.get('verifier_info');
    expect(JSON.parse(sent ?? '')).toEqual([ownInfo]);
  });

  it('has one registration certificate alone: that of the request in place of that of the service', async () => {
    const own = { format: 'registration_cert', data: 'eyJhbGciOiJFUzI1NiJ9.e30.b3RoZXI' };
    const asked = await ask(service.url, { dcql_query, verifierInfo: [own, info] });
    expect((await receiveRequest(asked)).parameters['verifier_info']).toEqual([own, info]);
  });

  it.each([
    ['an empty list', { dcql_query, verifierInfo: [] }, '/verifierInfo'],
    ['two registration certificates', { dcql_query, verifierInfo: [ownInfo, info, ownInfo] }, '/verifierInfo/2'],
    ['no data', { dcql_query, verifierInfo: [{ format: 'jwt' }] }, '/verifierInfo/0/data'],
    [
      'a credential that is not asked for',
      { dcql_query, verifierInfo: [{ ...info, credential_ids: ['other'] }] },
      '/verifierInfo/0/credential_ids',
    ],
    ['a request for an ID Token only', { verifierInfo: [ownInfo] }, '/verifierInfo'],
    ['a prefix that is none', { dcql_query, clientIdPrefix: 'x509_sha256' }, '/clientIdPrefix'],
    ['a certificate for an ID Token', { clientIdPrefix: 'x509_hash' }, '/clientIdPrefix'],
  ])('is refused with %s', async (_, body, pointer) => {
    const reply = await postJson(`${service.url}/v0/authorization_requests`, body);
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toEqual([expect.objectContaining({ pointer })]);
  });
});

describe('a second response', () => {
  it('is refused also when both come at once, and the first stands', async () => {
    const asked = await ask(service.url, { dcql_query, responseMode: 'direct_post.jwt' });
    const received = await receiveRequest(asked, 'haip');
    const tokens = tokensFor(holdings, received, ['id_card']);
    const replies = await Promise.all([1, 2, 3].map(() => respond(received, { tokens })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await postForm(received.responseUri, [['state', received.state]])).status).toBe(400);
    expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
  });
});
