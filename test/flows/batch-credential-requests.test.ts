import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { claims, credentialStatus, prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { contentOf } from '../support/wallets/credentials';
import { collect, credentialsOfOffer, deferredOffer, submit } from '../support/wallets/deferred';
import { newEncryptionPair, opened } from '../support/wallets/encryption';
import { type Holder, keyProof, newHolder } from '../support/wallets/key-proofs';
import { credentialRequest, nonceFrom, openSession, requestCredential, type Session } from '../support/wallets/wallet';

const service = serviceOfFile();
const type = (name: string) => ['VerifiableCredential', name];
let degree: string;
let badge: string;
let membership: string;
beforeAll(async () => {
  const w3c = { format: 'jwt_vc_json', vct: undefined };
  degree = await publishedTemplate(service.url, { ...w3c, type: type('Degree') });
  badge = await publishedTemplate(service.url, { ...w3c, type: type('Badge') });
  membership = await publishedTemplate(service.url);
});

interface Wallet {
  readonly session: Session;
  readonly holder: Holder;
  readonly nonce: string;
  readonly credentialIds: readonly string[];
}

/** A wallet of draft 13 with a token for an offer of these credentials. */
async function walletWith(configurations: readonly string[], offer: Json = {}): Promise<Wallet> {
  const { link, credentialIds } = await prepareOffer(service.url, configurations, offer);
  return { credentialIds, ...(await walletOf(link)) };
}

async function walletOf(link: string): Promise<Omit<Wallet, 'credentialIds'>> {
  const session = await openSession(link, 'L13');
  return { session, holder: newHolder('EdDSA', 'did:key'), nonce: String(session.token['c_nonce']) };
}

/** The requests for all that was offered, with one proof for all as the library of UniMe makes it. */
async function requestsOf({ session, holder, nonce }: Omit<Wallet, 'credentialIds'>): Promise<Json[]> {
  const proof = { claims: { iss: holder.did, iat: 1571324800 } };
  const jwt = keyProof(holder, session.offer.issuer, nonce, proof);
  const body = { proof: { proof_type: 'jwt', jwt } };
  return Promise.all(
    session.offer.configurationIds.map((configurationId) => credentialRequest(session, { configurationId, body })),
  );
}

function ask({ session }: Pick<Wallet, 'session'>, requests: unknown, changes: Json = {}): Promise<Reply> {
  const headers = { authorization: `Bearer ${session.accessToken}` };
  const endpoint = String(session.metadata['batch_credential_endpoint']);
  return postJson(endpoint, { credential_requests: requests, ...changes }, headers);
}

const responsesIn = (answer: Json) => answer['credential_responses'] as Json[];
const typeIn = ({ credential }: Json) => {
  const { claims: contained, payload } = contentOf(String(credential));
  return contained['vct'] ?? payload['vct'] ?? (payload['vc'] as Json)['type'];
};
const statusesOf = ({ credentialIds }: Wallet) =>
  Promise.all(credentialIds.map((id) => credentialStatus(service.url, id)));

describe('a batch credential request of draft 13', () => {
  it('is named in the metadata of that generation alone', async () => {
    const { session } = await walletWith([degree]);
    const { issuer } = session.offer;
    expect(session.metadata['batch_credential_endpoint']).toBe(`${issuer}/draft-13/batch_credential`);
    const final = await get(`${service.url}/.well-known/openid-credential-issuer/openid4vci`);
    expect(answered(200, final)).not.toHaveProperty('batch_credential_endpoint');
  });

  it('brings all credentials of an offer in its order, for one proof, with one nonce for what follows', async () => {
    const wallet = await walletWith([degree, badge, membership]);
    const requests = await requestsOf(wallet);
    const reply = await ask(wallet, requests.toReversed());
    const answer = answered(200, reply);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const responses = responsesIn(answer);
    expect(responses.map(typeIn)).toEqual([expect.any(String), type('Badge'), type('Degree')]);
    expect(answer).toMatchObject({ c_nonce: expect.any(String) as unknown, c_nonce_expires_in: 300 });
    for (const one of responses) expect(one).not.toHaveProperty('c_nonce');
    expect(contentOf(String(responses[2]?.['credential'])).payload['sub']).toBe(wallet.holder.did);
    expect(await statusesOf(wallet)).toEqual(['Issued', 'Issued', 'Issued']);

    // Each is reported by itself.
    const headers = { authorization: `Bearer ${wallet.session.accessToken}` };
    const report = { notification_id: responses[1]?.['notification_id'], event: 'credential_accepted' };
    const notified = await postJson(String(wallet.session.metadata['notification_endpoint']), report, headers);
    expect(notified.status).toBe(204);
    expect(await statusesOf(wallet)).toEqual(['Issued', 'Accepted', 'Issued']);

    // The answer was lost: what was not reported is given again, for the same key and the nonce of the answer.
    const again = { ...wallet, nonce: String(answer['c_nonce']) };
    const [first, , third] = await requestsOf(again);
    expect(responsesIn(answered(200, await ask(again, [first, third]))).map(typeIn)).toEqual([
      type('Degree'),
      expect.any(String),
    ]);
  });

  it('has each credential once where several are of the named type', async () => {
    const other = await publishedTemplate(service.url, { format: 'jwt_vc_json', vct: undefined, type: type('Degree') });
    const wallet = await walletWith([degree, other]);
    answered(200, await ask(wallet, await requestsOf(wallet)));
    expect(await statusesOf(wallet)).toEqual(['Issued', 'Issued']);
  });

  it('gives transaction ids for credentials whose data comes later, beside those that are there', async () => {
    const { offerId, link } = await deferredOffer(service.url, [degree, badge]);
    const wallet = await walletOf(link);
    const data = (templateId: string) => ({ offerId, templateId, credential: { credentialSubject: claims } });
    answered(201, await submit(service.url, data(degree)));
    const [ready, waiting] = responsesIn(answered(200, await ask(wallet, await requestsOf(wallet))));
    expect(typeIn(ready ?? {})).toEqual(type('Degree'));
    expect(waiting).toEqual({ transaction_id: expect.any(String) as unknown, interval: 5 });
    expectRefusal(await collect(wallet.session, waiting?.['transaction_id']), 400, 'issuance_pending');
    answered(201, await submit(service.url, data(badge)));
    const later = answered(200, await collect(wallet.session, waiting?.['transaction_id']));
    expect(typeIn(later)).toEqual(type('Badge'));
    expect((await credentialsOfOffer(service.url, offerId)).map(({ status }) => status)).toEqual(['Issued', 'Issued']);
  });

  it('is answered for all credentials of a public offer, and of one that has none of its data yet', async () => {
    const constant = { given_name: { const: 'Ada' } };
    const w3c = { format: 'jwt_vc_json', vct: undefined, schema: { type: 'object', properties: constant } };
    const templateIds = await Promise.all([publishedTemplate(service.url, w3c), publishedTemplate(service.url, w3c)]);
    const opened = await postJson(`${service.url}/v0/offers`, { templateIds, public: true });
    for (const link of [
      String(answered(201, opened)['credentialOffer']),
      (await deferredOffer(service.url, templateIds)).link,
    ]) {
      const wallet = await walletOf(link);
      expect(responsesIn(answered(200, await ask(wallet, await requestsOf(wallet))))).toHaveLength(2);
    }
  });

  it('is encrypted as a whole where the wallet asks for that, once or in each request alike', async () => {
    const pair = newEncryptionPair();
    const encryption = { credential_response_encryption: pair.asked };
    const beside = await walletWith([degree, badge]);
    const within = await walletWith([degree, badge]);
    const inEach = (await requestsOf(within)).map((one) => ({ ...one, ...encryption }));
    for (const reply of [await ask(beside, await requestsOf(beside), encryption), await ask(within, inEach)]) {
      expect(reply.headers.get('content-type')).toBe('application/jwt');
      expect(responsesIn((await opened(pair, reply.text)).body)).toHaveLength(2);
    }
    const third = await walletWith([degree, badge]);
    const [first, second] = await requestsOf(third);
    expectRefusal(await ask(third, [{ ...first, ...encryption }, second]), 400, 'invalid_encryption_parameters');
  });
});

describe('a batch credential request with one fault issues nothing and uses nothing up:', () => {
  const other = () => ({ credential_definition: { type: type('Other') } });
  const badProof = ({ holder, session }: Wallet) => {
    const jwt = keyProof(holder, session.offer.issuer, 'invented', {});
    return { proof: { proof_type: 'jwt', jwt } };
  };
  it.each<[string, string, (wallet: Wallet) => Json]>([
    ['a type that was not offered', 'unsupported_credential_type', other],
    ['a format that is not issued here', 'unsupported_credential_format', () => ({ format: 'ldp_vc' })],
    ['no proof', 'invalid_proof', () => ({ proof: undefined })],
    ['a proof with another nonce', 'invalid_proof', badProof],
    ['a credential that was named before', 'invalid_credential_request', () => ({ ...other(), ...named('Degree') })],
    ['two proofs', 'invalid_credential_request', () => ({ proof: undefined, proofs: { jwt: ['a.b.c', 'd.e.f'] } })],
  ])('%s', async (_, error, fault) => {
    const wallet = await walletWith([degree, badge]);
    const [first, second] = await requestsOf(wallet);
    const reply = await ask(wallet, [first, { ...second, ...fault(wallet) }]);
    expectRefusal(reply, 400, error);
    expect('c_nonce' in reply.json).toBe(error === 'invalid_proof');
    expect(await statusesOf(wallet)).toEqual(['Prepared', 'Prepared']);
    answered(200, await ask(wallet, [first, second]));
  });

  it('a credential that the portal has erased, named in the timeline of the offer', async () => {
    const { link, credentialIds, offerId } = await prepareOffer(service.url, [degree, badge]);
    const wallet = { credentialIds, ...(await walletOf(link)) };
    const erased = `${service.url}/v0/credentials/${credentialIds[1] ?? ''}/personal_data`;
    expect((await send(erased, { method: 'DELETE' })).status).toBe(204);
    const [first, second] = await requestsOf(wallet);
    expectRefusal(await ask(wallet, [first, second]), 400, 'credential_request_denied');
    expect((await statusesOf(wallet))[0]).toBe('Prepared');
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect(JSON.stringify(timeline)).toContain('credential-erased');
    expect(responsesIn(answered(200, await ask(wallet, [first])))).toHaveLength(1);
  });

  it('a second one for another key', async () => {
    const wallet = await walletWith([degree, badge]);
    const [first] = await requestsOf(wallet);
    answered(200, await ask(wallet, [first]));
    const stranger = { ...wallet, holder: newHolder(), nonce: await nonceFrom(wallet.session.offer.issuer) };
    expectRefusal(await ask(wallet, await requestsOf(stranger)), 400, 'credential_request_denied');
    expect(await statusesOf(wallet)).toEqual(['Issued', 'Prepared']);
  });

  it.each<[string, unknown]>([
    ['no list', undefined],
    ['an empty list', []],
    ['a list of texts', ['x']],
    ['twenty-one requests', Array.from({ length: 21 }, () => ({}))],
  ])('%s', async (_, requests) => {
    expectRefusal(await ask(await walletWith([degree]), requests), 400, 'invalid_credential_request');
  });

  const named = (name: string) => ({ credential_definition: { type: type(name) } });
});

describe('the nonce of a batch credential request', () => {
  it('serves once', async () => {
    const wallet = await walletWith([degree, badge]);
    const requests = await requestsOf(wallet);
    answered(200, await ask(wallet, requests));
    for (const again of [requests, requests.slice(1)]) expectRefusal(await ask(wallet, again), 400, 'invalid_proof');
    expectRefusal(await requestCredential(wallet.session, { body: requests[0] ?? {} }), 400, 'invalid_proof');
  });

  it('serves once for each credential however batches and single requests with it meet, and nothing is half issued', async () => {
    for (let round = 0; round < 5; round++) {
      const wallet = await walletWith([degree, badge]);
      const requests = await requestsOf(wallet);
      const single = () => requestCredential(wallet.session, { body: requests[1] ?? {} });
      const tries = [...Array.from({ length: 6 }, () => ask(wallet, requests)), single(), single(), single()];
      const replies = await Promise.all(tries);
      for (const reply of replies.filter(({ status }) => status !== 200)) expectRefusal(reply, 400, 'invalid_proof');
      const served = replies.map(({ status }) => status === 200);
      const [batches, singles] = [served.slice(0, 6), served.slice(6)].map((some) => some.filter(Boolean).length);
      expect([`1 0`, `0 1`]).toContain(`${batches} ${singles}`);
      expect(await statusesOf(wallet)).toEqual([batches === 1 ? 'Issued' : 'Prepared', 'Issued']);
    }
  });
});
