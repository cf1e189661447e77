import { OutboundClient, OutboundError, type OutboundErrorReason } from '@app/outbound';
import { Logger } from '@nestjs/common';
import { OfferSender } from './offer-sender';

beforeAll(() => jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => undefined));

/** Why sending failed, when the request to the wallet fails for this reason. */
function failureBy(reason: OutboundErrorReason): Promise<string | undefined> {
  const outbound = new OutboundClient();
  jest.spyOn(outbound, 'get').mockRejectedValue(new OutboundError(reason, 'a message'));
  return new OfferSender(outbound).send('https://issuer.example/offer', new URL('https://wallet.example/'));
}

describe('an offer that cannot be sent', () => {
  it('fails alike at a name of the own network and at a name that does not exist', async () => {
    const atBlocked = await failureBy('blocked-address');
    expect(atBlocked).toBe('no-public-address');
    expect(await failureBy('unresolved-host')).toBe(atBlocked);
  });

  it('fails otherwise with the reason', async () => {
    expect(await failureBy('timeout')).toBe('timeout');
    expect(await failureBy('unexpected-status')).toBe('unexpected-status');
  });

  it('is to be sent again when there was no slot: that is no failure of the wallet', async () => {
    await expect(failureBy('busy')).rejects.toMatchObject({ slug: 'unavailable', headers: { 'Retry-After': '2' } });
  });
});
