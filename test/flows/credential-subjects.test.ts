import { randomUUID } from 'node:crypto';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { foreignJwtVc, foreignSdJwt, presentJwtVc } from '../support/presenters/credentials';
import { base64url, type Holder, newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { credentialStatus, prepareOffer, publishedTemplate } from '../support/portal/portal';
import { badge, subject } from '../support/portal/open-badges';
import { serviceOfFile } from '../support/service/service-of-file';
import { credentialsOf, openSession, receive, requestCredential } from '../support/wallets/wallet';
import { contentOf } from '../support/wallets/credentials';

const w3c = { format: 'jwt_vc_json', vct: undefined, type: ['VerifiableCredential', 'Car'] };

const service = serviceOfFile();
let ofHolder: string;
let ofThing: string;
let sdJwt: string;
beforeAll(async () => {
  ofHolder = await publishedTemplate(service.url, w3c);
  ofThing = await publishedTemplate(service.url, { ...w3c, subject: 'thing' });
  sdJwt = await publishedTemplate(service.url);
});

const didJwk = ({ jwk }: Holder) => `did:jwk:${base64url(JSON.stringify(jwk))}`;

/** An offer of one credential whose `credentialSubject.id` the portal names. */
function offerAbout(templateId: string, id: string | undefined) {
  const credential = { credentialSubject: { ...(id !== undefined && { id }), given_name: 'Erika' } };
  return prepareOffer(service.url, [templateId], {}, { credential });
}

describe('the id of a credential subject', () => {
  it.each([
    ['the DID of the holder', (did: string) => did, 'did:key'],
    ['the DID of the key that the wallet proves without a DID', (_: string, jwk: string) => jwk, 'jwk'],
    ['the DID of the key that the wallet proves by another', (_: string, jwk: string) => jwk, 'did:key'],
    ['no DID', () => 'urn:uuid:0e6a1c5e-7a0b-4c3a-9b53-3a1f4b1f0c55', 'did:key'],
  ] as const)('is what the portal sent: %s', async (_, named, naming) => {
    const holder = newHolder('ES256', naming);
    const id = named(holder.did ?? '', didJwk(holder));
    const { link, credentialIds } = await offerAbout(ofHolder, id);
    const [credential = ''] = await receive(link, 'F', { holders: [holder] });
    const { payload, claims } = contentOf(credential);
    expect(payload['sub']).toBe(id);
    expect(claims).toEqual({ id, given_name: 'Erika' });
    // RFC 7800: where the subject is not the DID that was proved, the key itself is named.
    const { kty, crv, x, y } = holder.jwk;
    expect(payload['cnf']).toEqual(id === holder.did ? undefined : { jwk: { kty, crv, x, y } });
    const path = `/v0/credentials/${credentialIds[0] ?? ''}`;
    expect(answered(200, await get(service.url + path))).toMatchObject({ credential: { credentialSubject: { id } } });
  });

  it.each([
    ['a W3C credential', () => ofHolder],
    ['an SD-JWT VC', () => sdJwt],
  ])('withholds %s from the holder of another DID, without disclosing the subject', async (_, template) => {
    const [erika, other] = [newHolder('ES256', 'did:key'), newHolder('ES256', 'did:key')];
    const { link, offerId, credentialIds } = await offerAbout(template(), erika.did);
    const session = await openSession(link);
    for (const holders of [[other], [erika, other], [newHolder()], [erika, newHolder()]]) {
      const refused = await requestCredential(session, { holders });
      expectRefusal(refused, 400, 'credential_request_denied');
      expect(refused.text).toContain('another DID');
      expect(refused.text).not.toContain(erika.did);
    }
    expect(await credentialStatus(service.url, credentialIds[0] ?? '')).toBe('Prepared');
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect((timeline as Json[]).filter(({ step }) => step === 'credential denied')).toEqual([
      expect.objectContaining({ step: 'credential denied', detail: expect.stringContaining('credentialSubject.id') }),
    ]);
    const issued = answered(200, await requestCredential(session, { holders: [erika] }));
    expect(credentialsOf(issued)).toHaveLength(1);
  });

  it.each([
    ['a W3C credential', () => ofHolder],
    ['an SD-JWT VC', () => sdJwt],
  ])('that does not consist of a key is proved by no bare key: %s', async (_, template) => {
    const { link } = await offerAbout(template(), 'did:web:people.example:erika');
    expectRefusal(await requestCredential(await openSession(link)), 400, 'credential_request_denied');
  });

  it.each([
    ['a W3C credential', () => ofHolder, foreignJwtVc],
    ['an SD-JWT VC', () => sdJwt, foreignSdJwt],
  ])('or its cnf, signed elsewhere, withholds %s from other keys', async (_, template, signed) => {
    const [issuer, erika] = [newHolder('ES256', 'did:jwk'), newHolder('ES256', 'did:jwk')];
    for (const payload of [{}, { cnf: { jwk: erika.jwk } }, { cnf: undefined, sub: erika.did }]) {
      const credential = signed(issuer, erika, { payload });
      const { link } = await prepareOffer(service.url, [template()], {}, { credential });
      const session = await openSession(link);
      for (const holder of [newHolder(), newHolder('ES256', 'did:key')]) {
        expectRefusal(await requestCredential(session, { holders: [holder] }), 400, 'credential_request_denied');
      }
      const bare: Holder = { ...erika, did: undefined, header: { jwk: erika.jwk } };
      // There is one copy, whatever other keys the wallet has.
      const issued = await requestCredential(session, { holders: [newHolder(), bare] });
      expect(credentialsOf(answered(200, issued))).toEqual([credential]);
    }
  });

  it('is rejected in a W3C credential when it is no URI', async () => {
    const before = answered(200, await get(`${service.url}/v0/credentials`))['items'];
    for (const id of ['erika', '', 7, null, {}]) {
      const credential = { credentialSubject: { id } };
      const reply = await postJson(`${service.url}/v0/credentials`, {
        offerId: randomUUID(),
        templateId: ofHolder,
        credential,
      });
      expect(answered(400, reply)).toMatchObject({
        type: expect.stringMatching(/invalid-credential-payload$/),
        violations: [{ pointer: '/credential/credentialSubject/id' }],
      });
    }
    expect(answered(200, await get(`${service.url}/v0/credentials`))['items']).toEqual(before);
  });

  it('is in an Open Badge', async () => {
    const open = { ...w3c, type: undefined, dataModel: 'open-badges-3.0', schema: { type: 'object' } };
    const templateId = await publishedTemplate(service.url, open);
    const holder = newHolder('ES256', 'did:jwk');
    const credential = { ...badge, credentialSubject: { id: holder.did, ...subject } };
    const { link } = await prepareOffer(service.url, [templateId], {}, { credential });
    const [received = ''] = await receive(link, 'F', { holders: [holder] });
    expect(contentOf(received).claims).toEqual(credential.credentialSubject);
  });
});

describe('a credential about a thing', () => {
  it.each([['did:web:cars.example:b-sw-1'], [undefined]])('is held by any wallet that proves a DID: %s', async (id) => {
    const holder = newHolder('ES256', 'did:jwk');
    const { link } = await offerAbout(ofThing, id);
    const [jwtVc = ''] = await receive(link, 'F', { holders: [holder] });
    const { payload, claims } = contentOf(jwtVc);
    expect(payload['sub']).toBe(id);
    expect(claims).toEqual({ ...(id !== undefined && { id }), given_name: 'Erika' });
    const car = { id: 'car', format: 'jwt_vc_json', meta: { type_values: [['Car']] } };
    const asked = await ask(service.url, { dcql_query: { credentials: [car] } });
    const received = await receiveRequest(asked);
    answered(200, await respond(received, { tokens: { car: presentJwtVc([jwtVc], holder, received) } }));
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', credentials: [{ trust: 'trusted' }] });
    const stolen = await receiveRequest(await ask(service.url, { dcql_query: { credentials: [car] } }));
    const thief = newHolder('ES256', 'did:jwk');
    expect((await respond(stolen, { tokens: { car: presentJwtVc([jwtVc], thief, stolen) } })).status).toBe(400);
  });
});
