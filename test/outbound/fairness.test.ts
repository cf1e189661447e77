import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HangingServers, startHangingServers } from '../support/counterparts/hanging-servers';
import { ask, receiveRequest, type Received, respond, resultOf } from '../support/presenters/presenter';
import { foreignSdJwt, presentSdJwt } from '../support/presenters/credentials';
import { idCard } from '../support/presenters/holdings';
import { type IssuerSite, startIssuerSite } from '../support/presenters/issuer';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, postJson, type Reply } from '../support/http/requests';
import { prepareOffer } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

const issuer = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');

let hanging: HangingServers;
let site: IssuerSite;
let wallet: Server;
let service: RunningService;
beforeAll(async () => {
  [hanging, site] = await Promise.all([startHangingServers(100), startIssuerSite()]);
  wallet = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => wallet.listen(0, '127.0.0.1', resolve));
  const hosts = [...hanging.hosts, site.host, `127.0.0.1:${(wallet.address() as AddressInfo).port}`];
  service = await startService({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: hosts.join(',') });
  const jwks = { keys: [{ ...issuer.jwk, kid: 'one' }] };
  const body = JSON.stringify({ issuer: site.url, jwks });
  site.pages.set('/.well-known/jwt-vc-issuer', { body });
});
afterAll(async () => {
  await service.stop();
  await Promise.all([hanging.stop(), site.stop()]);
  wallet.closeAllConnections();
  wallet.close();
});

const newRequest = () => ask(service.url, { dcql_query: { credentials: [idCard] } });

/** Presents a credential of an issuer that is named by URL. */
function present(received: Received, iss: string): Promise<Reply> {
  const credential = foreignSdJwt(issuer, holder, { payload: { iss }, header: { kid: 'one' } });
  return respond(received, { tokens: { id_card: presentSdJwt(credential, holder, received) } });
}

describe('while one request is answered with credentials of issuers on a hundred servers that hang', () => {
  it('another presentation is verified, an offer is sent, and requests without a slot may be retried', async () => {
    const attacked = await newRequest();
    const received = await receiveRequest(attacked);
    const flood = Promise.all(hanging.hosts.map((host) => present(received, `http://${host}`)));

    const asked = await newRequest();
    answered(200, await present(await receiveRequest(asked), site.url));
    expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
    const { offerId } = await prepareOffer(service.url);
    const targetUrl = `http://127.0.0.1:${(wallet.address() as AddressInfo).port}/`;
    answered(204, await postJson(`${service.url}/v0/offers/${offerId}/send`, { targetUrl }));

    const replies = await flood;
    // The eight that were given up may close after the next eight have started.
    expect(hanging.most()).toBeLessThanOrEqual(16);
    const refused = replies.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(50);
    for (const { json, headers } of refused) {
      expect(json).toMatchObject({ error: 'temporarily_unavailable' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const failed = replies.filter(({ status }) => status !== 503);
    const descriptions = new Set(failed.map(({ json }) => json['error_description']));
    // Of many that are recorded at once, those that lose are answered so.
    descriptions.delete('the same resource was requested more than once at the same time');
    expect([...descriptions]).toEqual([
      'The check issuer-key of id_card failed: the metadata of the issuer could not be fetched.',
    ]);
  });
});
