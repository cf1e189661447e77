import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { expectUnavailable } from '../support/http/refusals';
import { answered, get, type Reply } from '../support/http/requests';
import { prepareOffer } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { openSession, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();

describe('what a newer release stored', () => {
  const stored = (text: string, ...values: unknown[]) =>
    service.app.get<SqlDriver>(SQL_DRIVER).query({ name: `newer ${randomUUID()}`, text, values });
  const offerOf = async (id: string): Promise<Reply> => get(`${service.url}/v0/offers/${id}`);

  it.each([
    ['an event', `update events set metadata = metadata || '{"version": 2}' where stream_id = $1`],
    [
      'an event of a type that is not known here',
      `update events set type = 'OfferOnTheMoon' where version = 2 and stream_id = $1`,
    ],
  ])('(%s) is refused for a while once its state is of another fold, and nothing else is', async (_what, change) => {
    const { offerId } = await prepareOffer(service.url);
    await stored(`update streams set fold_version = 9, fold_upto = version where stream_id = $1`, `offer-${offerId}`);
    answered(200, await offerOf(offerId));
    await stored(change, `offer-${offerId}`);
    expectUnavailable(await offerOf(offerId));
  });

  it.each([
    [
      'a sealed value',
      `update streams set state = jsonb_set(state, '{sealedContent}', to_jsonb('Aw' || substr(state->>'sealedContent', 3)))`,
    ],
    ['a data key', `update data_keys set sealed_key = set_byte(sealed_key, 0, 3)`],
  ])('(%s) is refused for a while', async (_what, change) => {
    const { link, credentialIds } = await prepareOffer(service.url);
    const session = await openSession(link);
    const streamId = `credential-${String(credentialIds[0])}`;
    await stored(`${change} where stream_id = $1`, streamId);
    await stored(`update streams set updated_at = updated_at where stream_id = $1`, streamId);
    expectUnavailable(await requestCredential(session));
  });

  it('(a page of a list) is refused for a while', async () => {
    expectUnavailable(await get(`${service.url}/v0/offers?cursor=2~AAAA`));
  });
});
