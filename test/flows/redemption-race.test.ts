import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { sharedPostgres } from '../support/database/postgres';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { asServiceRole } from '../support/database/service-role';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';
import { authorize, FormBrowser, pushRequest, redeemCode, wayBack } from '../support/wallets/authorization';
import { newDpopKey } from '../support/wallets/dpop';
import { entryOf, tokenWallet } from '../support/wallets/token-wallet';
import {
  credentialRequest,
  credentialsOf,
  freshNonce,
  offerUri,
  openSession,
  readOffer,
  redeem,
  type Session,
} from '../support/wallets/wallet';

// Three processes on one database, as behind a load balancer: no decision may depend on the memory of one process.
const postgres = sharedPostgres();
let database: string;
let role: string;
let services: readonly ServiceProcess[] = [];
beforeAll(async () => {
  database = await postgres.createDatabase();
  role = await asServiceRole(database);
  const first = await startServiceProcess(role);
  const others = await Promise.all([0, 1].map(() => startServiceProcess(role, first.url)));
  services = [first, ...others];
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
});

const many = 200;
const home = (): string => services[0]?.url ?? '';

/** The same request many times at once, spread over the processes. Who hears that a busy process has no time asks again. */
function everywhere(act: (url: string, turn: number) => Promise<Reply>): Promise<Reply[]> {
  const answerFor = async (turn: number): Promise<Reply> => {
    for (;;) {
      const reply = await act(services[turn % 3]?.url ?? '', turn);
      if (reply.status !== 503) return reply;
      await delay(200);
    }
  };
  return Promise.all(Array.from({ length: many }, (_, turn) => answerFor(turn)));
}

function tally(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, json } of replies) {
    const error = json['error'] as string | undefined;
    const key = error === undefined ? String(status) : `${status} ${error}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

async function eventsOf(streamPattern: string): Promise<Record<string, number>> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ type: string; n: number }>(
    'select type, count(*)::int as n from events where stream_id like $1 group by type',
    [streamPattern],
  );
  await client.end();
  return Object.fromEntries(rows.map(({ type, n }) => [type, n]));
}

describe(`${many} wallets at once over three processes`, () => {
  it('redeem one code exactly once', async () => {
    const { link, offerId } = await prepareOffer(home());
    const offer = await readOffer(link);
    const replies = await everywhere((url) => redeem({ ...offer, issuer: `${url}/openid4vci` }));
    expect(tally(replies)).toEqual({ '200': 1, '400 invalid_grant': many - 1 });
    for (const reply of replies.filter(({ status }) => status !== 200)) expectRefusal(reply, 400, 'invalid_grant');
    expect((await eventsOf(`offer-${offerId}`))['OfferRedeemed']).toBe(1);
  });

  it('redeem one code that a person agreed to exactly once, and so void what it gave', async () => {
    const pushed = await pushRequest(home());
    const code = await authorize(home(), pushed);
    const replies = await everywhere((url) => redeemCode(url, pushed, code));
    expect(tally(replies)).toEqual({ '200': 1, '400 invalid_grant': many - 1 });
    for (const reply of replies.filter(({ status }) => status !== 200)) expectRefusal(reply, 400, 'invalid_grant');
    const happened = await eventsOf('authorization-%');
    expect(happened).toMatchObject({ CodeRedeemed: 1, AuthorizationRevoked: 1, PersonalDataErased: 1 });
    const token = replies.find(({ status }) => status === 200)?.json['access_token'];
    const authorization = `Bearer ${String(token)}`;
    const body = { credential_configuration_id: quickStart, proofs: { jwt: ['a.b.c'] } };
    for (const { url } of services) {
      expectRefusal(await postJson(`${url}/openid4vci/credential`, body, { authorization }), 401, 'invalid_token');
    }
  });

  it('redeem one code of a public offer exactly once', async () => {
    const schema = { type: 'object', properties: { event: { const: 'Open day' } } };
    const templateIds = [await publishedTemplate(home(), { schema })];
    const body = { offerId: 'public', templateIds, public: true };
    const link = String(answered(201, await postJson(`${home()}/v0/offers`, body))['credentialOffer']);
    const offer = await readOffer(link);
    const replies = await everywhere((url) => redeem({ ...offer, issuer: `${url}/openid4vci` }));
    expect(tally(replies)).toEqual({ '200': 1, '400 invalid_grant': many - 1 });
    expect(answered(200, await get(`${home()}/v0/offers/public`))['claims']).toBe(1);
  });

  it('neither ask for an offer, nor agree to it, once another process has withdrawn it', async () => {
    const { link, offerId } = await prepareOffer(home(), [quickStart], { grants: ['authorization_code'] });
    const { grants } = answered(200, await get(offerUri(link)));
    const issuer_state = String((grants as Record<string, Json>)['authorization_code']?.['issuer_state']);
    const browser = new FormBrowser(home());
    await browser.open((await pushRequest(home(), { issuer_state })).page);
    answered(204, await send(`${services[1]?.url ?? ''}/v0/offers/${offerId}`, { method: 'DELETE' }));
    const { answer } = await pushRequest(home(), { issuer_state });
    expectRefusal(answer, 400, 'invalid_request');
    expect(wayBack(await browser.press('approve')).get('error')).toBe('access_denied');
  });

  it('agree to one public offer, and redeem their codes everywhere: each person has one claim', async () => {
    const templateId = await publishedTemplate(home(), { claims: { '/given_name': 'login:/given_name' } });
    const body = { offerId: 'poster', templateIds: [templateId], public: true, grants: ['authorization_code'] };
    const link = String(answered(201, await postJson(`${home()}/v0/offers`, body))['credentialOffer']);
    const { grants } = answered(200, await get(offerUri(link)));
    const issuer_state = String((grants as Record<string, Json>)['authorization_code']?.['issuer_state']);
    const people = 12;
    const codes = await Promise.all(
      Array.from({ length: people }, async () => {
        const pushed = await pushRequest(home(), { issuer_state, scope: templateId });
        return { pushed, code: await authorize(home(), pushed) };
      }),
    );
    const replies = await Promise.all(
      codes.map(({ pushed, code }, turn) => redeemCode(services[turn % 3]?.url ?? '', pushed, code)),
    );
    expect(tally(replies)).toEqual({ '200': people });
    expect(answered(200, await get(`${home()}/v0/offers/poster`))).toMatchObject({ state: 'Online', claims: people });
    expect(await eventsOf('offer-poster')).not.toHaveProperty('OfferRedeemed');
  });

  it('use one nonce once for each credential of an offer', async () => {
    const configurations = [quickStart, await publishedTemplate(home())];
    const session = await openSession((await prepareOffer(home(), configurations)).link);
    const nonce = await freshNonce(session);
    const replies = await everywhere(async (url, turn) => {
      const configurationId = configurations[turn % 2] ?? '';
      return requestAt(url, session, await credentialRequest(session, { nonce, configurationId }));
    });
    expect(tally(replies)).toEqual({ '200': 2, '400 invalid_nonce': many - 2 });
  });

  it('have five attempts at a transaction code and no more', async () => {
    const { link, offerId, txCode = '' } = await prepareOffer(home(), [quickStart], { txCode: true });
    const offer = await readOffer(link);
    const guess = (turn: number): string => String((Number(txCode) + 1 + turn) % 1_000_000).padStart(6, '0');
    const replies = await everywhere((url, turn) =>
      redeem({ ...offer, issuer: `${url}/openid4vci` }, { tx_code: guess(turn) }),
    );
    expect(tally(replies)).toEqual({ '400 invalid_grant': many });
    expect(await eventsOf(`offer-${offerId}`)).toMatchObject({ TransactionCodeRefused: 5, OfferLocked: 1 });
    expectRefusal(await redeem(offer, { tx_code: txCode }), 400, 'invalid_grant');
  });

  it('guess while one has the right code: the offer is redeemed once or locked, never both', async () => {
    const { link, offerId, txCode = '' } = await prepareOffer(home(), [quickStart], { txCode: true });
    const offer = await readOffer(link);
    const wrong = txCode.startsWith('0') ? `1${txCode.slice(1)}` : `0${txCode.slice(1)}`;
    const replies = await everywhere((url, turn) =>
      redeem({ ...offer, issuer: `${url}/openid4vci` }, { tx_code: turn % 2 ? wrong : txCode }),
    );
    const { state, wrongTxCodes } = answered(200, await get(`${home()}/v0/offers/${offerId}`));
    const successes = replies.filter(({ status }) => status === 200).length;
    expect([state, successes]).toEqual(successes === 1 ? ['Redeemed', 1] : ['Locked', 0]);
    expect(wrongTxCodes).toBeLessThanOrEqual(5);
    expect(successes + (tally(replies)['400 invalid_grant'] ?? 0)).toBe(many);
  });

  it.each(['F', 'L13'] as const)('replay one key proof (%s) and get one credential', async (shape) => {
    const { link, credentialIds } = await prepareOffer(home());
    const session = await openSession(link, shape);
    const body = await credentialRequest(session);
    const replies = await everywhere((url) => requestAt(url, session, body));
    const error = shape === 'F' ? 'invalid_nonce' : 'invalid_proof';
    expect(tally(replies)).toEqual({ '200': 1, [`400 ${error}`]: many - 1 });
    expect((await eventsOf(`credential-${credentialIds[0] ?? ''}`))['CredentialIssued']).toBe(1);
  });

  it('use one nonce for different keys and get one credential', async () => {
    const session = await openSession((await prepareOffer(home())).link);
    const nonce = await freshNonce(session);
    const replies = await everywhere(async (url) =>
      requestAt(url, session, await credentialRequest(session, { nonce, holders: [newHolder()] })),
    );
    expect(tally(replies)).toEqual({ '200': 1, '400 invalid_nonce': many - 1 });
  });

  it('ask for copies of one credential: there are as many as there may be, though a process is killed, and no entry is given twice', async () => {
    const template = await publishedTemplate(home(), { revocable: true, maxCopies: 20 });
    const { link, credentialIds } = await prepareOffer(home(), [template]);
    const [id = ''] = credentialIds;
    const wallet = await tokenWallet(link, newDpopKey());
    const doomed = await startServiceProcess(role, home());
    const places = [...services.map(({ url }) => url), doomed.url];
    /** A wallet whose request was overtaken, or died with the process, repeats it elsewhere. */
    const answerFor = async (turn: number): Promise<Reply> => {
      const keys = [newHolder()];
      for (let place = turn; ; place++) {
        const at = `${places[place % places.length] ?? ''}/openid4vci`;
        const reply = await wallet.ask(keys, { at }).catch(() => undefined);
        if (reply && reply.json['error'] !== 'invalid_request') return reply;
        if (reply === undefined) places.splice(services.length);
      }
    };
    const asking = Array.from({ length: 32 }, (_, turn) => answerFor(turn));
    await Promise.race(asking);
    doomed.signal('SIGKILL');
    const replies = await Promise.all(asking);
    expect(tally(replies)).toEqual({ '200': 20, '400 credential_request_denied': 12 });
    const issued = replies.filter(({ status }) => status === 200).flatMap(({ json }) => credentialsOf(json));
    expect(new Set(issued.map(entryOf)).size).toBe(20);
    expect(answered(200, await get(`${home()}/v0/credentials/${id}`))).toMatchObject({ copies: 20 });
    expect(await eventsOf(`credential-${id}`)).toMatchObject({ CredentialIssued: 1, CredentialReissued: 19 });
  });

  it('create one offer and prepare one credential under one id', async () => {
    const offers = await everywhere((url) => postJson(`${url}/v0/offers`, { offerId: 'race' }));
    const counts = tally(offers);
    expect(counts['201']).toBe(1);
    expect((counts['201'] ?? 0) + (counts['200'] ?? 0) + (counts['409'] ?? 0)).toBe(many);
    const credential = { credentialSubject: { a: 1 } };
    const body = { offerId: 'race', credentialConfigurationId: quickStart, credential };
    const prepared = await everywhere((url) => postJson(`${url}/v0/credentials`, body));
    expect(tally(prepared)).toEqual({ '201': 1, '409': many - 1 });
    const items = answered(200, await get(`${home()}/v0/credentials?offerId=race`))['items'];
    expect(items).toHaveLength(1);
  });
});

function requestAt(url: string, { metadata, accessToken }: Session, body: Json): Promise<Reply> {
  const { pathname } = new URL(String(metadata['credential_endpoint']));
  return postJson(url + pathname, body, { authorization: `Bearer ${accessToken}` });
}
