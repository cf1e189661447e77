import { ask, receiveRequest, respond, resultOf, type Variant } from '../support/presenters/presenter';
import { degree, type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { answered, type Json } from '../support/http/requests';
import { reachThroughProxy } from '../support/http/public-address';
import { type RunningService, startService } from '../support/service/service';

const publicUrl = 'https://credentials.example/base';
const did = 'did:web:credentials.example:base';

let service: RunningService;
let holdings: Holdings;
beforeAll(async () => {
  service = await startService({ SERVICE__APPLICATION_URL: publicUrl });
  reachThroughProxy(publicUrl, { listenerOf: () => service.url });
  holdings = await receiveHoldings(service.url, { given_name: 'Erika' });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service.stop();
});

describe('a service behind an https address with a path', () => {
  it.each<[Variant, string]>([
    ['1.0', `decentralized_identifier:${did}`],
    ['draft-20', did],
  ])('verifies the credentials it has issued itself (%s)', async (variant, clientId) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard, degree] } });
    const received = await receiveRequest(asked, variant);
    expect(received.clientId).toBe(clientId);
    expect(received.responseUri.startsWith(`${publicUrl}/openid4vp/`)).toBe(true);
    const tokens = tokensFor(holdings, received, ['id_card', 'degree']);
    answered(200, await respond(received, { tokens }));
    const { credentials } = await resultOf(asked);
    expect((credentials as Json[]).map(({ issuer, trust }) => [issuer, trust])).toEqual([
      [did, 'trusted'],
      [did, 'trusted'],
    ]);
  });
});
