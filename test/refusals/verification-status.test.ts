import { deflateSync, gzipSync } from 'node:zlib';
import { ask, type Asked, receiveRequest, type Received, respond, resultOf } from '../support/presenters/presenter';
import {
  foreignJwtVc,
  foreignSdJwt,
  inSeconds,
  type JwtChanges,
  presentJwtVc,
  presentSdJwt,
  signJwt,
} from '../support/presenters/credentials';
import { degree, idCard } from '../support/presenters/holdings';
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
  service = await startService({
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: site.host,
    SERVICE__VERIFICATION__UNDETERMINED_STATUS: 'reject',
  });
});
afterAll(async () => {
  await service.stop();
  await site.stop();
});

function present(received: Received, payload: Json = {}): { tokens: { id_card: string } } {
  const credential = foreignSdJwt(issuer, holder, { claims: { given_name: canary }, payload });
  return { tokens: { id_card: presentSdJwt(credential, holder, received) } };
}

type Refused = 'revoked' | 'suspended' | 'undetermined';

async function expectRefused(payload: Json, status: Refused = 'undetermined', reason = /./): Promise<void> {
  const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
  const received = await receiveRequest(asked);
  const reply = await respond(received, present(received, payload));
  expect((await resultOf(asked))['failure']).toMatchObject({ check: 'status', status });
  const failed = { check: 'status', credentialId: 'id_card', reason };
  await expectCheckFailed(asked, received, reply, failed, () => present(received), canary);
}

interface StatusCase extends JwtChanges {
  readonly page?: Page;
  readonly idx?: number;
  readonly list?: Json;
  readonly status?: Refused;
}

const deflated = (bytes: Buffer): string => deflateSync(bytes).toString('base64url');

/** Publishes a status list token of the issuer and returns the claim of a credential that refers to it. */
function published(name: string, { page, idx = 0, list, ...changes }: StatusCase): Json {
  const path = `/status/${name.replaceAll(/[^a-z0-9]/gi, '-')}`;
  const uri = `${site.url}${path}`;
  const status_list = { bits: 2, lst: deflated(Buffer.alloc(16)), ...list };
  const payload = { sub: uri, iat: inSeconds(-10), exp: inSeconds(600), ttl: 300, status_list };
  const body = signJwt({ typ: 'statuslist+jwt', ...issuer.header }, payload, issuer, changes);
  site.pages.set(path, { type: 'application/statuslist+jwt', body, ...page });
  return { status: { status_list: { idx, uri } } };
}

describe('a status', () => {
  it.each<[string, StatusCase]>([
    [
      'revoked in the last place of a list',
      { list: { lst: deflated(Buffer.from([0, 0x40])) }, idx: 7, status: 'revoked' },
    ],
    ['suspended in the first place of a list', { list: { lst: deflated(Buffer.from([2])) }, status: 'suspended' }],
    ['of unknown meaning', { list: { lst: deflated(Buffer.from([3])) } }],
    ['in a list signed by another issuer', { signer: other, header: other.header }],
    ['in a list signed by another key', { signer: other }],
    ['in a list about another address', { payload: { sub: 'https://issuer.example/status/1' } }],
    ['in another kind of token', { header: { typ: 'JWT' } }],
    ['in a list that has expired', { payload: { exp: inSeconds(-120) } }],
    ['in a list of the future', { payload: { iat: inSeconds(120) } }],
    ['beyond the end of its list', { idx: 64 }],
    ['in a list with 3 bits for each', { list: { bits: 3 } }],
    ['in a list that inflates to 128 MiB', { list: { lst: deflated(Buffer.alloc(2 ** 27)) } }],
    ['in a list that is not compressed', { list: { lst: Buffer.alloc(16).toString('base64url') } }],
    ['in a list that cannot be fetched', { page: { status: 404 } }],
    ['in a list of another content type', { page: { type: 'application/jwt' } }],
  ])('%s fails the check status', async (name, { status, ...changes }) => {
    await expectRefused(published(name, changes), status, status && new RegExp(status));
  });

  it('of another kind fails the check status', async () => {
    await expectRefused({ status: { other: {} } });
  });

  // test/refusals/verification-surroundings.test.ts has redirects to private addresses.
  it('fails the check status when its list redirects in a circle', async () => {
    const uri = `${site.url}/status/again`;
    site.pages.set('/status/again', { status: 302, headers: { location: uri } });
    await expectRefused({ status: { status_list: { idx: 0, uri } } });
  });

  it('that is valid is shown, and its list is fetched once while it is fresh', async () => {
    const changes = published('good', { list: { lst: deflated(Buffer.from([1, 0])) }, idx: 5 });
    for (let time = 0; time < 2; time += 1) {
      const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
      const received = await receiveRequest(asked);
      answered(200, await respond(received, present(received, changes)));
      expect((await resultOf(asked))['credentials']).toMatchObject([{ status: 'valid' }]);
    }
    expect(site.asked.filter((path) => path === '/status/good')).toHaveLength(1);
    const revoked = { status: { status_list: { idx: 0, uri: `${site.url}/status/good` } } };
    await expectRefused(revoked, 'revoked', /revoked/);
  });
});

describe('the credentialStatus of a W3C credential', () => {
  /** Publishes a list in which the second bit is set, and presents a credential of that place in it. */
  async function presentOf(place: number, statusPurpose: string): Promise<Asked> {
    const uri = `${site.url}/bitstrings/${statusPurpose}`;
    const encodedList = `u${gzipSync(Buffer.from([0x40, ...Buffer.alloc(16_383)])).toString('base64url')}`;
    const vc = {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: uri,
      type: ['VerifiableCredential', 'BitstringStatusListCredential'],
      issuer: issuer.did,
      credentialSubject: { type: 'BitstringStatusList', statusPurpose, encodedList },
    };
    const body = signJwt({ typ: 'vc+jwt', ...issuer.header }, vc, issuer);
    site.pages.set(`/bitstrings/${statusPurpose}`, { type: 'application/vc+jwt', body });
    const entry = { statusPurpose, statusListIndex: String(place), statusListCredential: uri };
    const credential = foreignJwtVc(issuer, holder, {
      vc: { credentialStatus: { type: 'BitstringStatusListEntry', ...entry } },
    });
    const asked = await ask(service.url, { dcql_query: { credentials: [degree] } });
    const received = await receiveRequest(asked);
    await respond(received, { tokens: { degree: presentJwtVc([credential], holder, received) } });
    return asked;
  }

  it('is shown, and a suspended or revoked credential is rejected by name', async () => {
    expect(await resultOf(await presentOf(0, 'revocation'))).toMatchObject({ credentials: [{ status: 'valid' }] });
    const revoked = await resultOf(await presentOf(1, 'revocation'));
    expect(revoked).toMatchObject({ status: 'rejected', failure: { check: 'status', status: 'revoked' } });
    const suspended = await resultOf(await presentOf(1, 'suspension'));
    expect(suspended).toMatchObject({ status: 'rejected', failure: { check: 'status', status: 'suspended' } });
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
