import { CommandBus, type ICommand } from '@nestjs/cqrs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { prepareOffer, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { storedEvents } from '../support/database/stored-rows';
import {
  type Offer,
  openSession,
  preAuthorizedGrant,
  readOffer,
  redeem,
  requestCredential,
} from '../support/wallets/wallet';

const service = serviceOfFile();

/** Requests a token and disconnects once the offer is redeemed, before the answer is sent. */
async function redeemAndVanish({ issuer, code }: Offer): Promise<void> {
  const { hostname, port, pathname } = new URL(`${issuer}/token`);
  const body = new URLSearchParams({ grant_type: preAuthorizedGrant, 'pre-authorized_code': code }).toString();
  const bus = service.app.get(CommandBus);
  const execute = bus.execute.bind(bus);
  const socket = connect(Number(port), hostname);
  const redeemed = new Promise<void>((resolve) => {
    bus.execute = async (command: ICommand): Promise<never> => {
      bus.execute = execute;
      const answer: unknown = await execute(command);
      socket.destroy();
      resolve();
      // The server notices it in this same process.
      await delay(200);
      return answer as never;
    };
  });
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/x-www-form-urlencoded`;
  socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await redeemed;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(50);
}

async function stepsOf(offerId: string): Promise<unknown[]> {
  const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
  return (timeline as Json[]).filter(({ step }) => step === 'redeemed').map(({ outcome }) => outcome);
}

describe('a token whose connection was cut', () => {
  it('is sent once more at once, and the offer was redeemed once', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    const offer = await readOffer(link);
    await redeemAndVanish(offer);
    await until(async () => (await storedEvents(service, `offer-${offerId}`)).includes('TokenAnswerLost'));
    const token = answered(200, await redeem(offer));
    expectRefusal(await redeem(offer), 400, 'invalid_grant');
    const events = await storedEvents(service, `offer-${offerId}`);
    expect(events.filter((type) => type === 'OfferRedeemed')).toHaveLength(1);
    expect(await stepsOf(offerId)).toEqual(['ok', 'failed', 'ok']);
    const metadata = { credential_endpoint: `${offer.issuer}/credential` };
    const session = { requestClass: 'F', offer, metadata, token, accessToken: String(token['access_token']) } as const;
    answered(200, await requestCredential(session, { holders: [newHolder()] }));
  });
});

describe('a token that may have been lost', () => {
  it('is sent again after ten seconds to the same request, but not once it was used', async () => {
    const prepared = await prepareOffer(service.url, [quickStart], { txCode: true });
    const tx_code = prepared.txCode;
    const asked = { client_id: 'wallet-1', tx_code };
    const lost = await readOffer(prepared.link);
    const other = await readOffer(prepared.link);
    const first = answered(200, await redeem(lost, asked));
    const used = await openSession((await prepareOffer(service.url)).link);
    answered(200, await requestCredential(used));
    expectRefusal(await redeem(lost, asked), 400, 'invalid_grant');
    await delay(10_500);

    expectRefusal(await redeem(used.offer), 400, 'invalid_grant');
    expectRefusal(await redeem(other, asked), 400, 'invalid_grant');
    expectRefusal(await redeem(lost, { client_id: 'wallet-2', tx_code }), 400, 'invalid_grant');
    expectRefusal(await redeem(lost, { client_id: 'wallet-1' }), 400, 'invalid_grant');
    const again = answered(200, await redeem(lost, asked));
    expect(again['access_token']).toBe(first['access_token']);
    expect(Number(again['expires_in'])).toBeLessThanOrEqual(290);
    expect(await storedEvents(service, `offer-${prepared.offerId}`)).toEqual([
      'OfferCreated',
      'CredentialAttached',
      'OfferFetched',
      'OfferRedeemed',
      'WalletRefused',
      'TokenAnswerRepeated',
    ]);
  });
});
