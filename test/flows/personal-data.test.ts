import { EventStore } from '@app/event-store';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { dumpOf, encodingsOf } from '../support/database/dump';
import { sharedPostgres } from '../support/database/postgres';
import { collect, credentialsOfOffer, deferredOffer } from '../support/wallets/deferred';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { startService } from '../support/service/service';
import { asServiceRole } from '../support/database/service-role';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';
import {
  credentialRequest,
  nonceFrom,
  offerUri,
  openSession,
  readOffer,
  redeem,
  requestCredential,
} from '../support/wallets/wallet';

const postgres = sharedPostgres();
let database: string;
let service: ServiceProcess;
beforeAll(async () => {
  database = await postgres.createDatabase();
  service = await startServiceProcess(await asServiceRole(database));
});
afterAll(async () => {
  await service.stop();
});

/** Every secret and every personal value of the flows, by what it is. */
const secrets = new Map<string, string>();
const keep = (what: string, value: string): string => {
  secrets.set(what, value);
  return value;
};
const marker = `Mustermann-${randomBytes(8).toString('hex')}`;

describe('what a person and a wallet entrust to the service', () => {
  beforeAll(async () => {
    keep('a claim', marker);
    keep('the name of a claim', 'uncommon_claim_name');
    const credential = {
      id: keep('the id of a credential', `urn:uuid:${randomBytes(12).toString('hex')}`),
      credentialSubject: { name: marker, uncommon_claim_name: [{ deep: `${marker}-deep` }] },
    };
    const membership = await publishedTemplate(service.url);
    for (const [format, id] of [
      ['W3C', quickStart],
      ['SD-JWT', membership],
    ] as const) {
      const prepared = await prepareOffer(service.url, [id], { txCode: { length: 12 } }, { credential });
      keep(`the transaction code (${format})`, prepared.txCode ?? '');
      keep(`the handle (${format})`, offerUri(prepared.link).slice(-43));
      const offer = await readOffer(prepared.link);
      keep(`the code (${format})`, offer.code);
      await redeem(offer, { tx_code: keep('a wrong transaction code', '000000000001') });
      const session = await openSession(prepared.link, 'L13', { tx_code: prepared.txCode });
      keep(`the access token (${format})`, session.accessToken);
      keep(`a nonce of the token (${format})`, String(session.token['c_nonce']));
      const nonce = keep(`a nonce (${format})`, await nonceFrom(session.offer.issuer));
      const holder = newHolder();
      keep(`the key of the holder (${format})`, holder.jwk.x ?? '');
      const request = await credentialRequest(session, { nonce, holders: [holder] });
      keep(`a key proof (${format})`, (request['proof'] as { jwt: string }).jwt.split('.')[2] ?? '');
      const answer = answered(200, await requestCredential(session, { nonce, holders: [holder] }));
      keep(`the credential (${format})`, String(answer['credential']).slice(-40));
      const notification_id = keep(`the notification id (${format})`, String(answer['notification_id']));
      const authorization = `Bearer ${session.accessToken}`;
      const body = { notification_id, event: 'credential_failure', event_description: marker };
      expect((await postJson(`${session.offer.issuer}/notification`, body, { authorization })).status).toBe(204);
      expect((await get(`${service.url}/v0/credentials/${prepared.credentialIds[0] ?? ''}`)).text).toContain(marker);
    }
    await beDenied(membership);
    await provokeFailures(credential);
  });

  /** A wallet waits for data, and is denied the credential in words about the person. */
  async function beDenied(templateId: string): Promise<void> {
    const { offerId, link } = await deferredOffer(service.url, [templateId]);
    const session = await openSession(link);
    keep('the access token of a wallet that waits', session.accessToken);
    const holder = newHolder('ES256', 'did:jwk');
    keep('the key of a wallet that waits', holder.jwk.x ?? '');
    keep('the DID of a wallet that waits', holder.did ?? '');
    const { transaction_id: id } = answered(202, await requestCredential(session, { holders: [holder] }));
    keep('a transaction_id', String(id));
    const [awaited] = await credentialsOfOffer(service.url, offerId);
    const url = `${service.url}/v0/credentials/${String(awaited?.['credentialId'])}/deny`;
    expect((await postJson(url, { reason: keep('a reason', `${marker} is not a member.`) })).status).toBe(204);
    expect((await collect(session, id)).json['error_description']).toContain(marker);
  }

  /** Refusals of every kind that might quote the request. */
  async function provokeFailures(credential: object): Promise<void> {
    const url = `${service.url}/v0/credentials`;
    const bad = { offerId: marker, credentialConfigurationId: quickStart };
    await postJson(url, { ...bad, credential, expiresAt: marker, offerId: 'x' });
    await postJson(url, `{"offerId":"${marker}`);
    await postJson(url, { ...bad, offerId: 'y', credential: { credentialSubject: { _sd: marker } } });
    await send(`${service.url}/openid4vci/credential?access_token=${secrets.get('the access token (W3C)') ?? ''}`, {
      method: 'POST',
    });
    const { link } = await prepareOffer(service.url);
    const offer = await readOffer(link);
    await redeem({ ...offer, code: secrets.get('the code (W3C)') ?? '' });
    const session = await openSession(link);
    await requestCredential(session, { proof: { claims: { aud: marker, iss: marker } } });
    await requestCredential(session, { configurationId: marker });
  }

  it('is nowhere in the database, in any encoding', async () => {
    const dump = await dumpOf(database);
    expect(dump.rows).toBeGreaterThan(30);
    expect(dump.text).toContain('OfferRedeemed');
    for (const [what, secret] of secrets) {
      for (const [encoding, text] of Object.entries(encodingsOf(secret))) {
        expect({ what, encoding, found: dump.text.includes(text) }).toEqual({ what, encoding, found: false });
      }
    }
  });

  it('is nowhere in the output of the process', () => {
    expect(service.output()).toContain('is ready');
    for (const [what, secret] of secrets) {
      expect({ what, found: service.output().includes(secret) }).toEqual({ what, found: false });
    }
  });

  it('is found by this test where it does occur', async () => {
    const prepared = await prepareOffer(service.url, [quickStart], {}, { credential: { credentialSubject: {} } });
    expect((await dumpOf(database)).text).toContain(prepared.offerId);
  });
});

describe('the states afterwards', () => {
  it('match their events, and are the same when all of them are folded again', async () => {
    // Refusals are recorded a little later: nothing else may write meanwhile.
    await service.stop();
    const settings = {
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: database,
    };
    const reader = await startService(settings);
    const client = new Client({ connectionString: database });
    await client.connect();
    try {
      const store = reader.app.get(EventStore);
      const before = await client.query('select * from streams order by stream_id');
      expect(before.rows.length).toBeGreaterThan(6);
      expect((await store.verify()).differing).toEqual([]);
      await client.query('delete from streams');
      expect((await store.rebuild()).differing).toHaveLength(before.rows.length);
      expect((await client.query('select * from streams order by stream_id')).rows).toEqual(before.rows);
    } finally {
      await client.end();
      await reader.stop();
    }
  });
});
