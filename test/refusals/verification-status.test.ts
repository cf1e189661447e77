import { deflateSync } from 'node:zlib';
import { ask, receiveRequest, type Received, respond, resultOf } from '../support/presenters/presenter';
import { foreignSdJwt, inSeconds, type JwtChanges, presentSdJwt, signJwt } from '../support/presenters/credentials';
import { idCard } from '../support/presenters/holdings';
import { type IssuerSite, type Page, startIssuerSite } from '../support/presenters/issuer';
import { expectCheckFailed } from '../support/presenters/refusals';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, type Json, type Reply } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const canary = 'Zwergspitzmaus';
const issuer = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');
const other = newHolder('ES256', 'did:jwk');

let service: RunningService;
let site: IssuerSite;
beforeAll(async () => {
  site = await startIssuerSite();
  service = await startService({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: site.host });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await site.stop();
});

function present(received: Received, payload: Json = {}): { tokens: { id_card: string } } {
  const credential = foreignSdJwt(issuer, holder, { claims: { given_name: canary }, payload });
  return { tokens: { id_card: presentSdJwt(credential, holder, received) } };
}

async function expectRefused(payload: Json, reason = /./): Promise<void> {
  const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
  const received = await receiveRequest(asked);
  const reply = await respond(received, present(received, payload));
  const failed = { check: 'status', credentialId: 'id_card', reason };
  await expectCheckFailed(asked, received, reply, failed, () => present(received), canary);
}

interface StatusCase extends JwtChanges {
  readonly page?: Page;
  readonly idx?: number;
  readonly bytes?: Buffer;
  readonly bits?: number;
  readonly reason?: RegExp;
}

/** Publishes a status list token of the issuer and returns the claim of a credential that refers to it. */
function published(name: string, { page, idx = 0, bytes = Buffer.alloc(16), bits = 2, ...changes }: StatusCase): Json {
  const path = `/status/${name.replaceAll(/[^a-z0-9]/gi, '-')}`;
  const uri = `${site.url}${path}`;
  const list = { bits, lst: deflateSync(bytes).toString('base64url') };
  const payload = { sub: uri, iat: inSeconds(-10), exp: inSeconds(600), ttl: 300, status_list: list };
  const body = signJwt({ typ: 'statuslist+jwt', ...issuer.header }, payload, issuer, changes);
  site.pages.set(path, { type: 'application/statuslist+jwt', body, ...page });
  return { status: { status_list: { idx, uri } } };
}

// Each fault of a status list is listed in libs/credentials/src/status-check.spec.ts.
describe('a status', () => {
  it.each<[string, StatusCase]>([
    ['revoked in the last place of a list', { bytes: Buffer.from([0, 0x40]), idx: 7, reason: /revoked/ }],
    ['in a list signed by another issuer', { signer: other, header: other.header }],
    ['in a list that cannot be fetched', { page: { status: 404, type: 'application/statuslist+jwt' } }],
  ])('%s fails the check status', async (name, { reason, ...changes }) => {
    await expectRefused(published(name, changes), reason);
  });

  it('fails the check status when its list redirects in a circle', async () => {
    const again = { status: 302, headers: { location: `${site.url}/status/again` } };
    site.pages.set('/status/again', again);
    const uri = `${site.url}/status/again`;
    await expectRefused({ status: { status_list: { idx: 0, uri } } });
  });

  it('that is valid is shown, and its list is fetched once while it is fresh', async () => {
    const changes = published('good', { bytes: Buffer.from([1, 0]), idx: 5 });
    for (let time = 0; time < 2; time += 1) {
      const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
      const received = await receiveRequest(asked);
      answered(200, await respond(received, present(received, changes)));
      expect((await resultOf(asked))['credentials']).toMatchObject([{ status: 'valid' }]);
    }
    expect(site.asked.filter((path) => path === '/status/good')).toHaveLength(1);
    const revoked = { status: { status_list: { idx: 0, uri: `${site.url}/status/good` } } };
    await expectRefused(revoked, /revoked/);
  });
});

describe('answers that are verified at the same time', () => {
  // All of them wait for the status list together, whatever the store.
  it('are recorded once, whichever variant they answer', async () => {
    const status = published('slow', { page: { delay: 500 } });
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, redirectUri: 'https://a.example/' });
    const [final, draft] = [await receiveRequest(asked), await receiveRequest(asked, 'draft-20')];
    const answers = [present(final, status), present(draft, status)];
    const replies: Reply[] = await Promise.all(
      Array.from({ length: 50 }, (_, at) => respond(at % 2 === 0 ? final : draft, answers[at % 2] ?? {})),
    );
    // Concurrent checks share one request, and later ones its answer.
    expect(site.asked.filter((path) => path === '/status/slow')).toHaveLength(1);
    expect(replies.filter(({ status: code }) => code === 200)).toHaveLength(1);
    expect(replies.filter(({ status: code }) => code === 400)).toHaveLength(49);
    expect(replies.filter(({ json }) => json['redirect_uri'] !== undefined)).toHaveLength(1);
    const { timeline } = await resultOf(asked);
    expect((timeline as Json[]).filter(({ step }) => step === 'presented')).toHaveLength(1);
  });
});
