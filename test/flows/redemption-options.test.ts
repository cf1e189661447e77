import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postForm, postJson } from '../support/http/requests';
import { credentialStatus, offerState, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { startService } from '../support/service/service';
import { serviceOfFile } from '../support/service/service-of-file';
import {
  credentialsOf,
  freshNonce,
  nonceFrom,
  offerUri,
  openSession,
  preAuthorizedGrant,
  readOffer,
  redeem,
  requestCredential,
  type Session,
} from '../support/wallets/wallet';
import { contentOf, readJwt } from '../support/wallets/credentials';

const service = serviceOfFile();

const details = (...ids: string[]): string =>
  JSON.stringify(ids.map((id) => ({ type: 'openid_credential', credential_configuration_id: id })));

describe('authorization_details in the token request', () => {
  it('narrow the token to what they name, which is then asked for by identifier', async () => {
    const membership = await publishedTemplate(service.url);
    const { link, credentialIds } = await prepareOffer(service.url, [quickStart, membership]);
    const session = await openSession(link, 'F', { authorization_details: details(membership) });
    expect(session.token['authorization_details']).toEqual([
      { type: 'openid_credential', credential_configuration_id: membership, credential_identifiers: [membership] },
    ]);
    const named = (id: string): Json => ({ credential_configuration_id: undefined, credential_identifier: id });
    const answer = answered(200, await requestCredential(session, { body: named(membership) }));
    expect(contentOf(credentialsOf(answer)[0] ?? '').header['typ']).toBe('dc+sd-jwt');
    expect((await requestCredential(session, { body: named(quickStart) })).json['error']).toBe(
      'unknown_credential_identifier',
    );
    expect(await credentialStatus(service.url, credentialIds[0] ?? '')).toBe('Prepared');
  });

  it('of draft 13 with one proof are answered with credential and credentials', async () => {
    const { link } = await prepareOffer(service.url);
    const session = await openSession(link, 'F-single', { authorization_details: details(quickStart) });
    const body = { credential_configuration_id: undefined, credential_identifier: quickStart };
    const answer = answered(200, await requestCredential(session, { body }));
    expect(answer).toMatchObject({ credential: credentialsOf(answer)[0], c_nonce_expires_in: 300 });
  });
});

describe('a transaction code', () => {
  it.each([
    [true, /^\d{6}$/, { input_mode: 'numeric', length: 6 }],
    [{ length: 8 }, /^\d{8}$/, { input_mode: 'numeric', length: 8 }],
    [
      { length: 10, inputMode: 'text', description: 'In the letter' },
      /^[A-Z2-9]{10}$/,
      { input_mode: 'text', length: 10, description: 'In the letter' },
    ],
  ])(
    'requested as %j is returned once to the portal and announced to the wallet',
    async (requested, look, announced) => {
      const { link, offerId, txCode = '' } = await prepareOffer(service.url, [quickStart], { txCode: requested });
      expect(txCode).toMatch(look);
      expect((await postJson(`${service.url}/v0/offers`, { offerId })).text).not.toContain(txCode);
      expect((await get(`${service.url}/v0/offers/${offerId}`)).text).not.toContain(txCode);
      const offer = await readOffer(link);
      expect(offer.txCode).toEqual(announced);
      answered(200, await redeem(offer, { tx_code: txCode }));
      expect(await offerState(service.url, offerId)).toBe('Redeemed');
    },
  );

  it('of a draft 11 wallet is sent as user_pin', async () => {
    const { link, txCode } = await prepareOffer(service.url, [quickStart], { txCode: true });
    answered(200, await redeem(await readOffer(link), { user_pin: txCode }));
  });
});

describe('a wallet that names itself', () => {
  const client = 'https://wallet.example/app?v=1';

  it.each(['F', 'L13'] as const)('signs its proofs in that name or in none (%s)', async (generation) => {
    const session = await openSession((await prepareOffer(service.url)).link, generation, { client_id: client });
    const nonce = await nonceFrom(session.offer.issuer);
    for (const iss of ['https://wallet.example', `${client}&x`, '', 7]) {
      const refused = await requestCredential(session, { nonce, proof: { claims: { iss } } });
      expect(refused.json['error']).toBe('invalid_proof');
    }
    const holders = [newHolder()];
    answered(200, await requestCredential(session, { nonce, holders, proof: { claims: { iss: client } } }));
    answered(200, await requestCredential(session, { holders, nonce: await nonceFrom(session.offer.issuer) }));
  });

  it('may be of an older generation and use its DID as iss', async () => {
    const session = await openSession((await prepareOffer(service.url)).link, 'L13', { client_id: client });
    const holder = newHolder('ES256', 'did:key');
    answered(200, await requestCredential(session, { holders: [holder], proof: { claims: { iss: holder.did } } }));
  });

  it('leaves its name in no event', async () => {
    const { link, offerId } = await prepareOffer(service.url);
    const session = await openSession(link, 'F', { client_id: client });
    answered(200, await requestCredential(session, { proof: { claims: { iss: client } } }));
    const driver = service.app.get<SqlDriver>(SQL_DRIVER);
    const text = 'select stream_id, data::text from events union all select stream_id, state::text from streams';
    const rows = JSON.stringify(await driver.query({ name: 'all-rows', text, values: [] }));
    expect(rows).toContain(offerId);
    expect(rows).not.toContain('wallet.example');
  });
});

describe('a nonce', () => {
  it.each(['F', 'L13'] as const)(
    'can be used once for each credential of an offer with several (%s)',
    async (generation) => {
      const ids = [quickStart, await publishedTemplate(service.url)] as const;
      const session = await openSession((await prepareOffer(service.url, ids)).link, generation);
      // From the nonce endpoint for one generation, from the token response for the other.
      const nonce = await freshNonce(session);
      for (const configurationId of ids) answered(200, await requestCredential(session, { nonce, configurationId }));
      for (const configurationId of ids) {
        const refused = await requestCredential(session, { nonce, configurationId });
        expect(refused.json['error']).toBe(generation === 'F' ? 'invalid_nonce' : 'invalid_proof');
      }
    },
  );

  it('is valid for one access token only', async () => {
    const ids = [quickStart, await publishedTemplate(service.url)] as const;
    const first = await openSession((await prepareOffer(service.url, ids)).link);
    const second = await openSession((await prepareOffer(service.url, ids)).link);
    const nonce = await freshNonce(first);
    answered(200, await requestCredential(first, { nonce, configurationId: ids[0] }));
    const refused = await requestCredential(second, { nonce, configurationId: ids[1] });
    expect(refused.json['error']).toBe('invalid_nonce');
    answered(200, await requestCredential(first, { nonce, configurationId: ids[1] }));
  });

  it('is returned with every credential of a draft', async () => {
    const session = await openSession((await prepareOffer(service.url)).link, 'F-single');
    const holders = [newHolder()];
    const answer = answered(200, await requestCredential(session, { holders }));
    expect(answer['c_nonce_expires_in']).toBe(300);
    answered(200, await requestCredential(session, { holders, nonce: String(answer['c_nonce']) }));
  });
});

describe('a random value that a wallet sees', () => {
  it('has at least 32 bytes', async () => {
    const { link } = await prepareOffer(service.url);
    const session = await openSession(link);
    const answer = answered(200, await requestCredential(session));
    const asked = answered(201, await postJson(`${service.url}/v0/authorization_requests`, {}));
    const siop = new URL(String(asked['authorizationRequest']));
    const request = await get(siop.searchParams.get('request_uri') ?? '');
    const { nonce, state } = readJwt(request.text).payload;
    const values = {
      handle: new URL(offerUri(link)).pathname.split('/').at(-1),
      code: session.offer.code,
      token: session.accessToken,
      nonceOfToken: session.token['c_nonce'],
      nonceOfEndpoint: await nonceFrom(session.offer.issuer),
      notification: answer['notification_id'],
      request: new URL(siop.searchParams.get('request_uri') ?? '').pathname.split('/').at(-2),
      requestNonce: nonce,
      state,
    };
    const lengths = Object.entries(values).map(([name, value]) => [
      name,
      Buffer.from(String(value), 'base64url').length,
    ]);
    expect(lengths.filter(([, length]) => Number(length) < 32)).toEqual([]);
  });
});

describe('a lost answer', () => {
  it('does not lose the credential: with a fresh nonce it is issued again', async () => {
    const session = await openSession((await prepareOffer(service.url)).link);
    const holder = newHolder();
    answered(200, await requestCredential(session, { holders: [holder] }));
    answered(200, await requestCredential(session, { holders: [holder] }));
  });

  it('is retried by a draft 13 wallet with the nonce of the refusal', async () => {
    const session = await openSession((await prepareOffer(service.url)).link, 'L13');
    const nonce = await freshNonce(session);
    const holders = [newHolder()];
    answered(200, await requestCredential(session, { nonce, holders }));
    const refused = answered(400, await requestCredential(session, { nonce, holders }));
    expect(refused).toMatchObject({ error: 'invalid_proof', c_nonce_expires_in: 300 });
    answered(200, await requestCredential(session, { nonce: String(refused['c_nonce']), holders }));
  });
});

describe('a notification', () => {
  it.each([
    ['credential_accepted', 'Accepted'],
    ['credential_failure', 'Refused'],
    ['credential_deleted', 'Deleted'],
  ])('%s makes the credential %s, also when it is sent twice', async (event, status) => {
    const { session, notificationId, credentialId } = await issued();
    for (let times = 0; times < 2; times++) {
      const reply = await notify(session, { notification_id: notificationId, event, event_description: 'as you like' });
      expect([reply.status, reply.text]).toEqual([204, '']);
    }
    expect(await credentialStatus(service.url, credentialId)).toBe(status);
    expect((await requestCredential(session)).json['error']).toBe('credential_request_denied');
  });

  async function issued(): Promise<{ session: Session; notificationId: unknown; credentialId: string }> {
    const { link, credentialIds } = await prepareOffer(service.url);
    const session = await openSession(link);
    const { notification_id } = answered(200, await requestCredential(session));
    return { session, notificationId: notification_id, credentialId: credentialIds[0] ?? '' };
  }

  function notify({ metadata, accessToken }: Session, body: Json) {
    const authorization = `Bearer ${accessToken}`;
    return postJson(String(metadata['notification_endpoint']), body, { authorization });
  }
});

describe('a restart between two requests of a wallet', () => {
  it('changes nothing: offer, token, nonce, keys and records are as before', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'restart-test-'));
    const settings = { SERVICE__EVENT_STORE__CONNECTION_STRING: join(directory, 'store') };
    const before = await startService(settings);
    const opened = await prepareOffer(before.url, [quickStart], { txCode: true });
    const redeemed = await prepareOffer(before.url);
    const session = await openSession(redeemed.link);
    const nonce = await freshNonce(session);
    const used = await freshNonce(session);
    const holders = [newHolder()];
    answered(200, await requestCredential(session, { nonce: used, holders }));
    const jwks = answered(200, await get(`${before.url}/jwks.json`));
    const { code } = await readOffer(opened.link);
    await before.stop();

    // Another port, the same public address.
    const after = await startService({ ...settings, SERVICE__APPLICATION_URL: before.url });
    try {
      const endpoint = `${after.url}/openid4vci/credential`;
      expect(answered(200, await get(`${after.url}/jwks.json`))).toEqual(jwks);
      answered(200, await requestCredential(session, { nonce, holders, endpoint }));
      const again = await requestCredential(session, { nonce: used, endpoint });
      expect(again.json['error']).toBe('invalid_nonce');
      const parameters: [string, string][] = [
        ['grant_type', preAuthorizedGrant],
        ['pre-authorized_code', code],
        ['tx_code', opened.txCode ?? ''],
      ];
      answered(200, await postForm(`${after.url}/openid4vci/token`, parameters));
      const { credential } = answered(200, await get(`${after.url}/v0/credentials/${redeemed.credentialIds[0] ?? ''}`));
      expect(credential).toMatchObject({ credentialSubject: { given_name: 'Erika' } });
    } finally {
      await after.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
