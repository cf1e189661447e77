import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { ask, linkOf, type Received, respond, resultOf, type Variant } from '../support/presenter';
import { degree, type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenter-holdings';
import { answered, get, type Json } from '../support/requests';
import { type RunningService, startService } from '../support/service';
import { readJwt } from '../support/wallet-credentials';

const publicUrl = 'https://credentials.example/base';
const did = 'did:web:credentials.example:base';

let service: RunningService;
let holdings: Holdings;
beforeAll(async () => {
  service = await startService({ SERVICE__APPLICATION_URL: publicUrl });
  // What a reverse proxy does: the public address leads to this process, the path as it is.
  const direct = globalThis.fetch;
  const origin = new URL(publicUrl).origin;
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const address = url instanceof Request ? url.url : String(url);
    return direct(address.startsWith(origin) ? service.url + address.slice(origin.length) : address, init);
  });
  holdings = await receiveHoldings(service.url, { given_name: 'Erika' });
}, 60_000);
afterAll(async () => {
  jest.restoreAllMocks();
  await service.stop();
});

/** Fetches the request object and verifies it by the DID document of the service. */
async function receiveSigned(link: string, variant: Variant): Promise<Received> {
  const url = new URL(link);
  const { text } = await get(url.searchParams.get('request_uri') ?? '');
  const { header, payload } = readJwt(text);
  const document = answered(200, await get(`${publicUrl}/did.json`));
  const methods = document['verificationMethod'] as { id: string; publicKeyJwk: JsonWebKey }[];
  const method = methods.find(({ id }) => id === header['kid']);
  const key = createPublicKey({ key: method?.publicKeyJwk ?? {}, format: 'jwk' });
  const end = text.lastIndexOf('.');
  const signature = Buffer.from(text.slice(end + 1), 'base64url');
  const signed = Buffer.from(text.slice(0, end));
  expect(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
  const { client_id: clientId, nonce, state, response_uri: responseUri } = payload as Record<string, string>;
  return {
    variant,
    link: url,
    parameters: payload,
    clientId: clientId ?? '',
    nonce: nonce ?? '',
    state: state ?? '',
    responseUri: responseUri ?? '',
  };
}

describe('a service behind an https address with a path', () => {
  it.each<[Variant, string]>([
    ['1.0', `decentralized_identifier:${did}`],
    ['draft-20', did],
  ])('verifies the credentials it has issued itself (%s)', async (variant, clientId) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard, degree] } });
    const received = await receiveSigned(linkOf(asked, variant), variant);
    expect(received.clientId).toBe(clientId);
    expect(received.responseUri.startsWith(`${publicUrl}/openid4vp/`)).toBe(true);
    const tokens = tokensFor(holdings, received, ['id_card', 'degree']);
    answered(200, await respond(received, { tokens }));
    const { credentials } = await resultOf(asked);
    expect((credentials as Json[]).map(({ issuer, trust }) => [issuer, trust])).toEqual([
      [`${publicUrl}/openid4vci`, 'trusted'],
      [did, 'trusted'],
    ]);
  });
});
