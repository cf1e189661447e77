import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { OfferSecrets } from '@app/offers/src/offer/offer-secrets';
import { OFFERS } from '@app/offers/src/offer/offer';
import type { Offers } from '@app/offers/src/offer/new-offer';
import { answered, get } from '../support/http/requests';
import { offerState, prepareOffer, quickStart } from '../support/portal/portal';
import { expectRefusal } from '../support/http/refusals';
import { serviceOfFile } from '../support/service/service-of-file';
import { openSession, readOffer, redeem, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();
let offers: Offers;
let driver: SqlDriver;
beforeAll(() => {
  offers = service.app.get<Offers>(OFFERS);
  driver = service.app.get<SqlDriver>(SQL_DRIVER);
});
afterEach(() => jest.restoreAllMocks());

describe('a pre-authorized code', () => {
  /** A code as the offer issued it so many milliseconds ago. */
  async function codeOf(offerId: string, age: number): Promise<string> {
    const { state, now } = await offers.load(offerId);
    if (!state) throw new Error('There is no such offer.');
    return service.app.get(OfferSecrets).issueCode(state, new Date(now.getTime() - age));
  }

  it('is rejected ten minutes after it was issued, and the offer stays open', async () => {
    const { link, offerId } = await prepareOffer(service.url);
    const offer = await readOffer(link);
    const old = await codeOf(offerId, 10 * 60_000);
    expectRefusal(await redeem({ ...offer, code: old }), 400, 'invalid_grant');
    expect(await offerState(service.url, offerId)).toBe('Open');
    expect((await redeem(offer)).status).toBe(200);
  });

  it('is accepted after nine minutes', async () => {
    const { link, offerId } = await prepareOffer(service.url);
    const offer = await readOffer(link);
    const young = await codeOf(offerId, 9 * 60_000);
    expect((await redeem({ ...offer, code: young })).status).toBe(200);
  });

  it('is redeemed with the right transaction code, although four others guess at the same moment', async () => {
    const { link, offerId, txCode = '' } = await prepareOffer(service.url, [quickStart], { txCode: true });
    const offer = await readOffer(link);
    const wrong = txCode.startsWith('0') ? `1${txCode.slice(1)}` : `0${txCode.slice(1)}`;
    const update = offers.updateByHandle.bind(offers);
    const guesses: number[] = [];
    let isGuessing = false;
    jest.spyOn(offers, 'updateByHandle').mockImplementation((kind, hash, decide, options) =>
      update(
        kind,
        hash,
        async (found) => {
          // Another client is faster between the read and the write of the right one.
          if (!isGuessing && guesses.length < 4) {
            isGuessing = true;
            guesses.push((await redeem(offer, { tx_code: wrong })).status);
            isGuessing = false;
          }
          return decide(found);
        },
        options,
      ),
    );
    const reply = await redeem(offer, { tx_code: txCode });
    expect(guesses).toEqual([400, 400, 400, 400]);
    expect(reply).toMatchObject({ status: 200 });
    expect(answered(200, await get(`${service.url}/v0/offers/${offerId}`))).toMatchObject({
      state: 'Redeemed',
      wrongTxCodes: 4,
    });
  });
});

describe('the sealed claims of two credentials that were swapped in the database, with their keys', () => {
  it('are disclosed neither to the portal nor to the wallet of the other person', async () => {
    const names = ['Ada', 'Grace'];
    const prepared = await Promise.all(
      names.map((name) =>
        prepareOffer(service.url, [quickStart], {}, { credential: { credentialSubject: { given_name: name } } }),
      ),
    );
    const [one = '', two = ''] = prepared.map(({ credentialIds: [id] }) => `credential-${id ?? ''}`);
    const swap = (name: string, text: string): Promise<unknown> => driver.query({ name, text, values: [one, two] });
    const other = 'other.stream_id in ($1, $2) and mine.stream_id in ($1, $2) and other.stream_id <> mine.stream_id';
    await swap(
      'swap-claims',
      `update streams mine set state = jsonb_set(mine.state, '{sealedContent}', other.state->'sealedContent')
       from streams other where ${other}`,
    );
    await swap(
      'swap-keys',
      `update data_keys mine set sealed_key = other.sealed_key from data_keys other where ${other}`,
    );
    for (const { link, credentialIds } of prepared) {
      const shown = await get(`${service.url}/v0/credentials/${credentialIds[0] ?? ''}`);
      const received = await requestCredential(await openSession(link));
      expect([shown.status, received.status]).toEqual([500, 500]);
      for (const name of names) expect(shown.text + received.text).not.toContain(name);
    }
  });
});

describe('claims that were erased elsewhere, while this process knows the credential as it was', () => {
  it('are not issued, and the timeline says why', async () => {
    const { link, offerId, credentialIds } = await prepareOffer(service.url);
    const session = await openSession(link);
    const values = [`credential-${credentialIds[0] ?? ''}`];
    await driver.query({ name: 'erase', text: 'delete from data_keys where stream_id = $1', values });
    const refused = await requestCredential(session);
    expectRefusal(refused, 400, 'credential_request_denied');
    expect(refused.json['error_description']).toContain('erased');
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect(timeline).toContainEqual(
      expect.objectContaining({ step: 'credential denied', detail: expect.stringContaining('erased') as string }),
    );
  });
});
