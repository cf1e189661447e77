import { Expiries } from '@app/operation';
import { AUTHORIZATION_REQUESTS, type AuthorizationRequests } from '@app/verification/src/authorization-request';
import { listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { type Asked, ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { selfIssued } from '../support/presenters/credentials';
import { type RunningService, startService } from '../support/service/service';
import { newHolder } from '../support/wallets/key-proofs';

const minute = 60_000;
const redirectUri = 'https://shop.example/back';
const holder = newHolder('ES256', 'did:jwk');

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

/** Answers the request as a wallet does. @returns where the wallet takes the person */
async function answerTo(asked: Asked): Promise<URL> {
  const received = await receiveRequest(asked, 'siopv2');
  const reply = answered(200, await respond(received, { idToken: selfIssued(holder, received, '') }));
  return new URL(String(reply['redirect_uri']));
}

const codeIn = ({ hash }: URL): string => new URLSearchParams(hash.slice(1)).get('response_code') ?? '';

/** Gives the request an answer that a wallet would have sent six minutes ago. @returns the response code */
async function earlierAnswerTo(asked: Asked): Promise<string> {
  const requests = service.app.get<AuthorizationRequests>(AUTHORIZATION_REQUESTS, { strict: false });
  const other = await ask(service.url, { redirectUri });
  const responseCode = codeIn(await answerTo(other));
  const [recorded] = (await requests.events(other.state)).map(({ event }) => event).slice(-1);
  if (recorded?.type !== 'PresentationVerified') throw new Error('not verified');
  const returnBy = new Date(Date.now() - minute).toISOString();
  await requests.update(asked.state, () => [{ ...recorded, returnBy }]);
  return responseCode;
}

const redeem = ({ state }: Asked, responseCode: unknown) =>
  postJson(`${service.url}/v0/authorization_requests/${state}/response_code`, { responseCode });

const statesListedAs = async (status: string): Promise<unknown[]> => {
  const list = answered(200, await get(`${service.url}/v0/authorization_requests?limit=200&status=${status}`));
  return (list['items'] as Json[]).map(({ state }) => state);
};

describe('an answer for which nobody comes back', () => {
  it('is shown to nobody, and is rejected after five minutes', async () => {
    const [early, late] = [await ask(service.url, { redirectUri }), await ask(service.url, { redirectUri })];
    const codes = [codeIn(await answerTo(early)), await earlierAnswerTo(late)];
    expect(await resultOf(early)).toMatchObject({ status: 'verified', id_token: null, failure: null });
    expect(await resultOf(late)).toMatchObject({
      status: 'rejected',
      id_token: null,
      subject: null,
      withheld: null,
      failure: { check: 'session', reason: expect.stringContaining('5 minutes') as unknown },
    });
    expect(await statesListedAs('rejected')).toEqual([late.state]);
    const stream = await listen(`${service.url}/v0/events?types=presentation.rejected,presentation.released`);
    expect((await redeem(late, codes[1])).json).toMatchObject({
      detail: expect.stringContaining('expired') as unknown,
    });
    expect(answered(200, await redeem(early, codes[0]))).toMatchObject({ status: 'verified', withheld: null });
    await service.app.get(Expiries).record();
    const events = await stream.take(2);
    stream.cut();
    expect(events.map(({ type, data }) => [type, data])).toEqual(
      expect.arrayContaining([
        ['presentation.released', { state: early.state, status: 'verified' }],
        ['presentation.rejected', { state: late.state, status: 'rejected', check: 'session' }],
      ]),
    );
    const { timeline, failure, status } = await resultOf(late);
    expect(status).toBe('rejected');
    expect(timeline).toContainEqual({
      at: expect.any(String) as unknown,
      step: 'abandoned',
      outcome: 'rejected',
      detail: failure,
    });
    expect(await statesListedAs('rejected')).toEqual([late.state]);
    expect(await statesListedAs('verified')).toContain(early.state);
  });
});
