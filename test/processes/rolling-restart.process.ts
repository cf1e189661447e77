import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Wallet } from '../../examples/wallet';
import { sharedPostgres } from '../support/database/postgres';
import { type Proxy, startProxy } from '../support/counterparts/reverse-proxy';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';

const apiKey = 'rolling-restart-test-key';
const authorized = { 'x-api-key': apiKey };
const settings = {
  SERVICE__MANAGEMENT__API_KEYS: apiKey,
  SERVICE__HTTP__TRUSTED_PROXIES: '127.0.0.1',
  // Long enough for the proxy to notice it on a busy machine.
  SERVICE__HTTP__DRAIN_SECONDS: '3',
  SERVICE__RATE_LIMITS__ENABLED: 'true',
};

describe('three replicas behind a proxy', () => {
  const postgres = sharedPostgres();
  let proxy: Proxy;
  let directory: string;
  let connectionString: string;
  const replicas: ServiceProcess[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sealwright-rolling-'));
    connectionString = await postgres.createDatabase();
    proxy = await startProxy();
    // The first makes the tables and the keys.
    await startReplica();
    await Promise.all([startReplica(), startReplica()]);
    await untilReady(3);
  }, 180_000);
  afterAll(async () => {
    await proxy.stop();
    await Promise.all(replicas.map((replica) => replica.stop()));
    await rm(directory, { recursive: true, force: true });
  });

  async function startReplica(): Promise<void> {
    replicas.push(await startServiceProcess(connectionString, proxy.url, settings));
    proxy.use(replicas.map(({ url }) => url));
  }

  async function untilReady(count: number): Promise<void> {
    while (proxy.ready() < count) await pause(50);
  }

  async function issue(wallet: Wallet, offerId: string, body: Json): Promise<void> {
    const prepared = await postJson(`${proxy.url}/v0/credentials`, { offerId, ...body }, authorized);
    const { credentialId } = answered(201, prepared);
    const offer = answered(200, await postJson(`${proxy.url}/v0/offers`, { offerId }, authorized));
    await wallet.receive(String(offer['credentialOffer']));
    const stored = await get(`${proxy.url}/v0/credentials/${String(credentialId)}`, authorized);
    expect(answered(200, stored)['status']).toBe('Accepted');
  }

  async function present(wallet: Wallet, query: Json): Promise<void> {
    const asked = await postJson(`${proxy.url}/v0/authorization_requests`, { dcql_query: query }, authorized);
    const { state, authorizationRequest } = answered(201, asked);
    await wallet.present(String(authorizationRequest));
    const result = answered(200, await get(`${proxy.url}/v0/authorization_requests/${String(state)}`, authorized));
    expect(result).toMatchObject({ status: 'verified', failure: null });
  }

  /** The flows of the demo: both formats issued, both presented. */
  async function demoFlows(name: string): Promise<void> {
    const wallet = new Wallet({ file: join(directory, `${name}.json`), onStep: () => undefined });
    const member = { credentialSubject: { given_name: 'Ada', member: true } };
    await issue(wallet, `${name}-1`, { credentialConfigurationId: 'w3c_vc_credential', credential: member });
    const degree = { credentialSubject: { given_name: 'Ada', degree: 'MSc' } };
    await issue(wallet, `${name}-2`, { templateId: 'diploma', credential: degree });
    const vct = `${proxy.url}/vct/diploma/1`;
    await present(wallet, oneQuery('dc+sd-jwt', { vct_values: [vct] }, ['degree']));
    const types = { type_values: [['VerifiableCredential']] };
    await present(wallet, oneQuery('jwt_vc_json', types, ['credentialSubject', 'member']));
  }

  it('serve the flows of the demo while one after the other is restarted, without a failed request', async () => {
    const diploma = {
      templateId: 'diploma',
      title: 'Diploma',
      format: 'dc+sd-jwt',
      schema: { type: 'object', properties: { given_name: {}, degree: {} } },
      status: 'Published',
    };
    answered(201, await postJson(`${proxy.url}/v0/templates`, diploma, authorized));

    let isRolling = true;
    let flows = 0;
    const failures: string[] = [];
    const portals = Array.from({ length: 4 }, async (_, portal) => {
      for (let round = 0; isRolling; round++) {
        await demoFlows(`portal-${portal}-${round}`).then(
          () => flows++,
          (error: unknown) => failures.push(String(error)),
        );
        // Room for the replica that starts meanwhile; each restart takes several of these turns.
        await pause(600);
      }
    });
    const ended: { exitCode: number | null; output: string }[] = [];
    for (let restarts = 0; restarts < 3; restarts++) {
      const [oldest] = replicas;
      if (!oldest) throw new Error('no replica');
      oldest.signal('SIGTERM');
      const exitCode = await oldest.ended;
      ended.push({ exitCode, output: exitCode === 0 ? '' : oldest.output() });
      replicas.shift();
      await startReplica();
      await untilReady(3);
    }
    isRolling = false;
    await Promise.all(portals);

    // In one comparison, so that a failure shows what the portal, the proxy and the replica report.
    const well = { exitCode: 0, output: '' };
    expect({ failures, unserved: proxy.failures, ended }).toEqual({
      failures: [],
      unserved: [],
      ended: [well, well, well],
    });
    expect(flows).toBeGreaterThanOrEqual(portals.length);
  }, 240_000);
});

function oneQuery(format: string, meta: Json, path: string[]): Json {
  return { credentials: [{ id: 'asked', format, meta, claims: [{ path }] }] };
}
