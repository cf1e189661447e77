import { expectRefusal } from '../support/http/refusals';
import { answered, type Json, postJson, type Reply } from '../support/http/requests';
import { credentialStatus, claims, prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { collect, deferredOffer, submit } from '../support/wallets/deferred';
import {
  type EncryptionPair,
  issuerKeyIn,
  jweFor,
  newEncryptionPair,
  opened,
  requestEncrypted,
  sendJwt,
} from '../support/wallets/encryption';
import { newHolder } from '../support/wallets/key-proofs';
import {
  credentialRequest,
  credentialsOf,
  openSession,
  type RequestClass,
  requestCredential,
  type Session,
} from '../support/wallets/wallet';

const service = serviceOfFile();

async function session(requestClass: RequestClass = 'F'): Promise<Session> {
  return openSession((await prepareOffer(service.url)).link, requestClass);
}
const asking = ({ asked }: EncryptionPair): { body: Json } => ({ body: { credential_response_encryption: asked } });
async function bodyOf(reply: Reply, pair: EncryptionPair): Promise<Json> {
  expect(reply.headers.get('content-type')).toBe('application/jwt');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  const { header, body } = await opened(pair, reply.text);
  expect(header).toEqual({ ...header, alg: 'ECDH-ES', enc: pair.asked['enc'], kid: 'of-the-wallet' });
  return body;
}

describe('a credential', () => {
  it.each(['A128GCM', 'A256GCM'])('is sent encrypted with %s to a wallet that asks for it encrypted', async (enc) => {
    const pair = newEncryptionPair(enc);
    const reply = await requestEncrypted(await session(), asking(pair));
    expect(reply.status).toBe(200);
    expect(credentialsOf(await bodyOf(reply, pair))).toHaveLength(1);
  });

  it('is sent in clear when only the request was encrypted', async () => {
    const reply = await requestEncrypted(await session());
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    expect(credentialsOf(answered(200, reply))).toHaveLength(1);
  });

  it('is sent encrypted to wallets of drafts 13 to 15 that ask in clear, with alg beside the key', async () => {
    for (const shape of ['L13', 'L14', 'F-single'] as const) {
      const pair = newEncryptionPair();
      const { alg, ...jwk } = pair.asked['jwk'] as Json;
      const body = { credential_response_encryption: { ...pair.asked, jwk, alg } };
      const reply = await requestCredential(await session(shape), { body });
      expect(reply.status).toBe(200);
      expect(credentialsOf(await bodyOf(reply, pair))).toHaveLength(1);
    }
  });

  it('is compressed in both directions for a wallet that wants it, and comes without what is not offered', async () => {
    for (const [zip, inAnswer] of [
      ['DEF', 'DEF'],
      ['XYZ', undefined],
    ]) {
      const pair = newEncryptionPair();
      const wallet = await session();
      for (const way of ['request', 'response']) {
        expect(wallet.metadata[`credential_${way}_encryption`]).toMatchObject({ zip_values_supported: ['DEF'] });
      }
      const body = { credential_response_encryption: { ...pair.asked, zip } };
      const request = JSON.stringify(await credentialRequest(wallet, { body }));
      const reply = await sendJwt(wallet, await jweFor(issuerKeyIn(wallet.metadata), request, { zip: 'DEF' }));
      expect(reply.status).toBe(200);
      expect((await opened(pair, reply.text)).header['zip']).toBe(inAnswer);
      expect(credentialsOf(await bodyOf(reply, pair))).toHaveLength(1);
    }
  });

  it('that comes later is announced encrypted, and collected as its own request says', async () => {
    const template = await publishedTemplate(service.url);
    const { offerId, link } = await deferredOffer(service.url, [template]);
    const wallet = await openSession(link);
    const [first, second] = [newEncryptionPair(), newEncryptionPair('A128GCM')];
    const deferral = await requestEncrypted(wallet, asking(first));
    expect(deferral.status).toBe(202);
    const { transaction_id } = await bodyOf(deferral, first);
    const again = JSON.stringify({ transaction_id, credential_response_encryption: second.asked });
    const asked = await jweFor(issuerKeyIn(wallet.metadata), again);
    const still = await sendJwt(wallet, asked, 'deferred_credential_endpoint');
    expect([still.status, await bodyOf(still, second)]).toEqual([
      202,
      { transaction_id, interval: expect.any(Number) as unknown },
    ]);
    answered(
      201,
      await submit(service.url, { offerId, templateId: template, credential: { credentialSubject: claims } }),
    );
    const inClear = { credential_response_encryption: second.asked };
    expectRefusal(await collect(wallet, transaction_id, inClear), 400, 'invalid_encryption_parameters');
    const reply = await sendJwt(wallet, asked, 'deferred_credential_endpoint');
    expect(reply.status).toBe(200);
    const collected = await bodyOf(reply, second);
    expect(credentialsOf(collected)).toHaveLength(1);
    // Collected once more, as a lost answer is, and without parameters: in clear.
    expect(credentialsOf(answered(200, await collect(wallet, transaction_id)))).toHaveLength(1);
    const notification = { notification_id: collected['notification_id'], event: 'credential_accepted' };
    const headers = { authorization: `Bearer ${wallet.accessToken}` };
    const notify = (body: Json) => postJson(String(wallet.metadata['notification_endpoint']), body, headers);
    answered(204, await notify(notification));
    expectRefusal(await notify({ ...notification, notification_id: 'unknown' }), 400, 'invalid_notification_id');
  });
});

describe('an encrypted request is refused, in plain JSON and without using the credential up,', () => {
  let wallet: Session;
  let credentialId: string;
  let key: ReturnType<typeof issuerKeyIn>;
  beforeAll(async () => {
    const offer = await prepareOffer(service.url);
    credentialId = offer.credentialIds[0] ?? '';
    wallet = await openSession(offer.link);
    key = issuerKeyIn(wallet.metadata);
  });
  const valid = async (): Promise<string> =>
    JSON.stringify(await credentialRequest(wallet, asking(newEncryptionPair())));

  /** The client library makes none. */
  async function unknownlyCompressed(text: string): Promise<string> {
    const [header = '', ...rest] = (await jweFor(key, text)).split('.');
    const read = JSON.parse(Buffer.from(header, 'base64url').toString()) as Json;
    return [Buffer.from(JSON.stringify({ ...read, zip: 'XYZ' })).toString('base64url'), ...rest].join('.');
  }

  it.each<[string, (request: string) => string | Promise<string>, number, string]>([
    ['to an unknown key', (text) => jweFor(key, text, { kid: 'unknown' }), 400, 'invalid_encryption_parameters'],
    ['without kid', (text) => jweFor(key, text, { kid: undefined }), 400, 'invalid_encryption_parameters'],
    [
      'with a broken tag',
      async (text) => (await jweFor(key, text)).replace(/.{4}$/, (end) => (end === 'AAAA' ? 'BBBB' : 'AAAA')),
      400,
      'invalid_encryption_parameters',
    ],
    [
      'to another key under the kid of ours',
      (text) => jweFor({ ...newEncryptionPair().jwk, kid: key.kid }, text),
      400,
      'invalid_encryption_parameters',
    ],
    ['with A128CBC-HS256', (text) => jweFor(key, text, { enc: 'A128CBC-HS256' }), 400, 'invalid_encryption_parameters'],
    [
      'that is encrypted twice',
      async (text) => jweFor(key, await jweFor(key, text), { cty: 'JWT' }),
      400,
      'invalid_encryption_parameters',
    ],
    ['with an unknown compression', unknownlyCompressed, 400, 'invalid_encryption_parameters'],
    [
      'that inflates to 40 MB',
      (text) => jweFor(key, text.padEnd(40_000_000), { zip: 'DEF' }),
      413,
      'invalid_credential_request',
    ],
    ['of a megabyte', (text) => jweFor(key, text.padEnd(1024 * 1024)), 413, 'invalid_credential_request'],
    ['that is plain JSON', (text) => text, 400, 'invalid_credential_request'],
    ['whose content is no JSON', () => jweFor(key, 'credential, please'), 400, 'invalid_credential_request'],
  ])('%s', async (_, made, status, error) => {
    expectRefusal(await sendJwt(wallet, await made(await valid())), status, error);
    expect(await credentialStatus(service.url, credentialId)).toBe('Prepared');
  });

  it.each<[string, (pair: EncryptionPair) => Json]>([
    ['an unknown alg', ({ asked, jwk }) => ({ ...asked, jwk: { ...jwk, alg: 'UNKNOWN-ALG' } })],
    ['a private key', ({ asked, jwk }) => ({ ...asked, jwk: { ...jwk, alg: 'ECDH-ES', d: jwk.x } })],
    ['a point that is not on its curve', ({ asked, jwk }) => ({ ...asked, jwk: { ...jwk, alg: 'ECDH-ES', x: jwk.y } })],
  ])('that asks for the response encrypted with %s', async (_, bend) => {
    const body = { credential_response_encryption: bend(newEncryptionPair()) };
    expectRefusal(await requestEncrypted(wallet, { body }), 400, 'invalid_encryption_parameters');
    expect(await credentialStatus(service.url, credentialId)).toBe('Prepared');
  });

  it('with the fault of its proof in clear, although the response was to be encrypted', async () => {
    const refused = await requestEncrypted(wallet, {
      ...asking(newEncryptionPair()),
      proof: { header: { typ: 'JWT' } },
    });
    expectRefusal(refused, 400, 'invalid_proof');
  });

  it('as application/json, and as what it is when it asks for encryption in clear', async () => {
    const jwe = await jweFor(key, await valid());
    const authorization = `Bearer ${wallet.accessToken}`;
    const sent = postJson(String(wallet.metadata['credential_endpoint']), jwe, {
      authorization,
      'content-type': 'application/json',
    });
    expectRefusal(await sent, 400, 'invalid_credential_request');
    expectRefusal(await requestCredential(wallet, asking(newEncryptionPair())), 400, 'invalid_encryption_parameters');
  });

  it('and the credential is then issued to the wallet that asks rightly', async () => {
    const pair = newEncryptionPair();
    const reply = await requestEncrypted(wallet, { ...asking(pair), holders: [newHolder()] });
    expect(credentialsOf(await bodyOf(reply, pair))).toHaveLength(1);
  });
});
