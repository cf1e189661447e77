import { ask, receiveRequest, type Received, respond, type Variant } from '../support/presenters/presenter';
import {
  foreignJwtVc,
  foreignSdJwt,
  inSeconds,
  type JwtPresentationChanges,
  type JwtVcChanges,
  presentJwtVc,
  presentSdJwt,
} from '../support/presenters/credentials';
import { expectCheckFailed } from '../support/presenters/refusals';
import { newHolder, signatureOf } from '../support/wallets/key-proofs';
import { answered, type Json } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import { createHmac } from 'node:crypto';

const canary = 'Zwergspitzmaus';
const issuer = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');
const stranger = newHolder('EdDSA', 'did:key');
const bareKey = newHolder('ES256', 'jwk');
const subject = { id: holder.did, given_name: canary, level: 1 };

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

const issued = (changes: JwtVcChanges = {}): string =>
  foreignJwtVc(issuer, holder, { ...changes, vc: { credentialSubject: subject, ...changes.vc } });
const query = {
  id: 'badge',
  format: 'jwt_vc_json',
  meta: { type_values: [['VerifiableCredential', 'MembershipCredential']] },
  claims: [{ path: ['credentialSubject', 'given_name'] }],
};

interface Refusal {
  readonly what: string;
  readonly check: string;
  readonly variant?: Variant;
  readonly query?: Json;
  readonly token: (received: Received) => string;
}

const credential = (changes: JwtVcChanges) => ({
  token: (received: Received) => presentJwtVc([issued(changes)], holder, received),
});
const presentation = (changes: JwtPresentationChanges) => ({
  token: (received: Received) => presentJwtVc([issued()], holder, received, changes),
});
const made = (payload: (received: Received) => Json, variant?: Variant) => ({
  ...(variant && { variant }),
  token: (received: Received) => presentJwtVc([issued()], holder, received, { payload: payload(received) }),
});
const list = (...credentials: unknown[]) => presentation({ vp: { verifiableCredential: credentials } });
const asking = (claims: Json[], more: Json = {}) => ({ query: { claims, ...more }, ...presentation({}) });
const level = (...values: unknown[]) => asking([{ path: ['credentialSubject', 'level'], values }]);
const noSignature = () => Buffer.alloc(0);
const byPublicKey = (input: string) => createHmac('sha256', JSON.stringify(holder.jwk)).update(input).digest();
// The key of the holder's DID, listed for key agreement only.
const encryptionDid = `did:jwk:${Buffer.from(JSON.stringify({ ...holder.jwk, use: 'enc' })).toString('base64url')}`;

const refusals: Refusal[] = [
  {
    what: 'the algorithm none',
    check: 'key-binding',
    ...presentation({ header: { alg: 'none' }, sign: noSignature }),
  },
  {
    what: 'HS256 with the public key',
    check: 'key-binding',
    ...presentation({ header: { alg: 'HS256' }, sign: byPublicKey }),
  },
  { what: 'a signature of nulls', check: 'key-binding', ...presentation({ sign: () => Buffer.alloc(64) }) },
  {
    what: 'a signature by another key',
    check: 'key-binding',
    ...presentation({ sign: (input) => signatureOf(issuer, input) }),
  },
  {
    what: 'a presentation of another typ',
    check: 'structure',
    ...presentation({ header: { typ: 'openid4vci-proof+jwt' } }),
  },
  {
    what: 'a kid of another DID',
    check: 'key-binding',
    ...presentation({ header: stranger.header, signer: stranger }),
  },
  { what: 'no kid', check: 'key-binding', ...presentation({ header: { kid: undefined } }) },
  {
    what: 'a key that does not authenticate',
    check: 'key-binding',
    ...presentation({ header: { kid: `${encryptionDid}#0` }, payload: { iss: encryptionDid } }),
  },
  {
    what: 'a fragment nobody listed',
    check: 'key-binding',
    ...presentation({ header: { kid: `${holder.did ?? ''}#1` } }),
  },
  { what: 'another holder in vp', check: 'structure', ...presentation({ vp: { holder: stranger.did } }) },
  { what: 'another sub', check: 'structure', ...made(() => ({ sub: stranger.did })) },
  {
    what: 'a bare key that names a DID',
    check: 'key-binding',
    ...presentation({ header: { kid: undefined, jwk: bareKey.jwk }, signer: bareKey }),
  },
  { what: 'another nonce', check: 'nonce', ...made(() => ({ nonce: 'x' })) },
  { what: 'no nonce', check: 'nonce', ...made(() => ({ nonce: undefined })) },
  { what: 'another aud', check: 'audience', ...made(() => ({ aud: 'x' })) },
  { what: 'no aud', check: 'audience', ...made(() => ({ aud: undefined })) },
  { what: 'a second aud', check: 'audience', ...made(({ clientId }) => ({ aud: [clientId, 'x'] })) },
  {
    what: 'an aud without the prefix',
    check: 'audience',
    ...made(({ clientId }) => ({ aud: clientId.replace(/^[^:]+:/, '') })),
  },
  {
    what: 'an aud with the prefix',
    check: 'audience',
    ...made(({ clientId }) => ({ aud: `decentralized_identifier:${clientId}` }), 'draft-20'),
  },
  {
    what: 'an aud with the prefix',
    check: 'audience',
    ...made(({ clientId }) => ({ aud: `decentralized_identifier:${clientId}` }), 'draft-20-redirect'),
  },
  { what: 'an expired presentation', check: 'key-binding', ...made(() => ({ exp: inSeconds(-120) })) },
  { what: 'a presentation of tomorrow', check: 'key-binding', ...made(() => ({ nbf: inSeconds(86_400) })) },
  { what: 'a presentation of yesterday', check: 'key-binding', ...made(() => ({ iat: inSeconds(-86_400) })) },
  { what: 'no vp', check: 'structure', ...made(() => ({ vp: undefined })) },
  { what: 'a vp that is a list', check: 'structure', ...made(() => ({ vp: [] })) },
  { what: 'a vp of another type', check: 'structure', ...presentation({ vp: { type: ['Other'] } }) },
  { what: 'no credential', check: 'structure', ...list() },
  { what: 'a thousand credentials', check: 'structure', ...list(...Array<string>(1000).fill('a.b.c')) },
  { what: 'a credential that is an object', check: 'structure', ...list({}) },
  {
    what: 'a presentation in the presentation',
    check: 'structure',
    token: (received) => presentJwtVc([presentJwtVc([issued()], holder, received)], holder, received),
  },
  {
    what: 'a bad credential beside the good one',
    check: 'issuer-signature',
    token: (received) =>
      presentJwtVc([issued(), issued({ signer: stranger, header: issuer.header })], holder, received),
  },
  {
    what: 'a credential signed by another key',
    check: 'issuer-signature',
    ...credential({ signer: stranger }),
  },
  {
    what: 'a credential with none',
    check: 'issuer-signature',
    ...credential({ header: { alg: 'none' }, sign: noSignature }),
  },
  {
    what: 'a kid of somebody who is not the issuer',
    check: 'issuer-key',
    ...credential({ signer: stranger, header: stranger.header }),
  },
  {
    what: 'a key in the header',
    check: 'issuer-signature',
    ...credential({ signer: stranger, header: { jwk: stranger.jwk } }),
  },
  { what: 'another vc.issuer', check: 'structure', ...credential({ vc: { issuer: stranger.did } }) },
  {
    what: 'another vc.issuer.id',
    check: 'structure',
    ...credential({ vc: { issuer: { id: stranger.did } } }),
  },
  {
    what: 'another issuanceDate',
    check: 'structure',
    ...credential({ vc: { issuanceDate: '2020-01-01T00:00:00Z' } }),
  },
  {
    what: 'another expirationDate',
    check: 'structure',
    ...credential({ vc: { expirationDate: '2099-01-01T00:00:00Z' } }),
  },
  { what: 'another subject', check: 'structure', ...credential({ payload: { sub: stranger.did } }) },
  {
    what: 'another id',
    check: 'structure',
    ...credential({ payload: { jti: 'urn:a:1' }, vc: { id: 'urn:a:2' } }),
  },
  {
    what: 'a stolen credential',
    check: 'holder-binding',
    token: (received) => presentJwtVc([issued()], stranger, received),
  },
  {
    what: 'a stolen credential, by a bare key',
    check: 'holder-binding',
    token: (received) => presentJwtVc([issued()], bareKey, received),
  },
  {
    what: 'a stolen credential beside an own one',
    check: 'holder-binding',
    token: (received) => presentJwtVc([foreignJwtVc(issuer, stranger), issued()], stranger, received),
  },
  {
    what: 'a credential of nobody',
    check: 'holder-binding',
    ...credential({ payload: { sub: undefined }, vc: { credentialSubject: { given_name: canary } } }),
  },
  { what: 'a credential without its presentation', check: 'key-binding', token: () => issued() },
  { what: 'an expired credential', check: 'times', ...credential({ payload: { exp: inSeconds(-3600) } }) },
  { what: 'a credential of tomorrow', check: 'times', ...credential({ payload: { nbf: inSeconds(86_400) } }) },
  {
    what: 'a credential that expired by its vc',
    check: 'times',
    ...credential({ payload: { exp: undefined }, vc: { expirationDate: '2020-01-01T00:00:00Z' } }),
  },
  { what: 'other types', check: 'query', ...credential({ vc: { type: ['VerifiableCredential', 'Other'] } }) },
  { what: 'no vc', check: 'structure', ...credential({ payload: { vc: undefined } }) },
  {
    what: 'a credential of data model 2.0',
    check: 'structure',
    ...credential({ vc: { '@context': ['https://www.w3.org/ns/credentials/v2'] } }),
  },
  {
    what: 'a credential of data model 2.0 without vc',
    check: 'structure',
    ...credential({ payload: { '@context': ['https://www.w3.org/ns/credentials/v2'], vc: undefined } }),
  },
  {
    what: 'two subjects',
    check: 'structure',
    ...credential({ vc: { credentialSubject: [subject, subject] } }),
  },
  { what: 'no such claim', check: 'query', ...asking([{ path: ['credentialSubject', 'shoe_size'] }]) },
  { what: 'a claim of the presentation', check: 'query', ...asking([{ path: ['verifiableCredential'] }]) },
  {
    what: 'a claim of every object',
    check: 'query',
    ...asking([{ path: ['credentialSubject', 'constructor'] }]),
  },
  { what: '"1" where 1 is held', check: 'query', ...level('1') },
  { what: 'true where 1 is held', check: 'query', ...level(true) },
  { what: '2 where 1 is held', check: 'query', ...level(2, 3) },
  {
    what: 'no complete claim set',
    check: 'query',
    ...asking(
      [
        { id: 'a', path: ['credentialSubject', 'given_name'] },
        { id: 'b', path: ['credentialSubject', 'x'] },
        { id: 'c', path: ['id'] },
      ],
      { claim_sets: [['a', 'b'], ['c']] },
    ),
  },
  { what: 'an index in an object', check: 'query', ...asking([{ path: ['credentialSubject', 0] }]) },
  { what: 'a name in a list', check: 'query', ...asking([{ path: ['type', 'VerifiableCredential'] }]) },
  {
    what: 'a name in a text',
    check: 'query',
    ...asking([{ path: ['credentialSubject', 'given_name', 'length'] }]),
  },
  { what: 'an index behind the end', check: 'query', ...asking([{ path: ['type', 2] }]) },
  {
    what: 'a trusted authority that nobody vouches for',
    check: 'query',
    ...asking([{ path: ['credentialSubject'] }], {
      trusted_authorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }],
    }),
  },
  {
    what: 'a status of another kind',
    check: 'status',
    ...credential({ vc: { credentialStatus: { type: 'BitstringStatusListEntry' } } }),
  },
  {
    what: 'an SD-JWT',
    check: 'query',
    token: (received) =>
      presentSdJwt(foreignSdJwt(issuer, holder, { claims: { given_name: canary } }), holder, received),
  },
];

describe('a presented JWT credential is refused', () => {
  it.each(refusals)('$what ($variant) → $check', async ({ check, variant = '1.0', query: changed, token }) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [{ ...query, ...changed }] } });
    const received = await receiveRequest(asked, variant);
    const reply = await respond(received, { tokens: { badge: token(received) } });
    // Where the query is the fault, an answer that meets it is another credential.
    const fitting = issued({ vc: { credentialSubject: { ...subject, level: 1 } } });
    const valid = () => ({ tokens: { badge: presentJwtVc([fitting], holder, received) } });
    if (changed === undefined) {
      await expectCheckFailed(asked, received, reply, { check, credentialId: 'badge' }, valid, canary);
    } else {
      expect(reply.status).toBe(400);
      expect(reply.json['error_description']).toMatch(new RegExp(`^The check ${check} of badge failed: .+`));
    }
  });
});

describe('a presented JWT credential is accepted', () => {
  it.each<[string, (received: Received) => string]>([
    [
      'bound to a bare key by cnf',
      (received) =>
        presentJwtVc(
          [
            foreignJwtVc(issuer, bareKey, {
              vc: { credentialSubject: subject },
              payload: { sub: undefined, cnf: { jwk: bareKey.jwk } },
            }),
          ],
          bareKey,
          received,
        ),
    ],
    [
      'with one aud in a list',
      (received) => presentJwtVc([issued()], holder, received, { payload: { aud: [received.clientId] } }),
    ],
    [
      'beside another of the same holder',
      (received) => presentJwtVc([issued({ vc: { type: ['VerifiableCredential'] } }), issued()], holder, received),
    ],
    [
      'with iss and sub in the presentation',
      (received) => presentJwtVc([issued()], holder, received, { payload: { sub: holder.did } }),
    ],
    [
      'with its context as a text',
      (received) =>
        presentJwtVc([issued({ vc: { '@context': 'https://www.w3.org/2018/credentials/v1' } })], holder, received),
    ],
  ])('%s', async (_, token) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [query] } });
    const received = await receiveRequest(asked);
    answered(200, await respond(received, { tokens: { badge: token(received) } }));
  });
});
