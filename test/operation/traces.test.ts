import { randomBytes } from 'node:crypto';
import { eventually } from '../event-store/accounts';
import { encodingsOf } from '../support/database/dump';
import { type OtlpCollector, type ReceivedSpan, startOtlpCollector } from '../support/counterparts/otlp-collector';
import { type TestPostgres, startPostgres } from '../support/database/postgres';
import { ask, receiveRequest, respond } from '../support/presenters/presenter';
import { idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { answered, get, postJson } from '../support/http/requests';
import { prepareOffer, quickStart } from '../support/portal/portal';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';
import { offerUri, openSession, readOffer, requestCredential } from '../support/wallets/wallet';

let postgres: TestPostgres;
let database: string;
let collector: OtlpCollector;
let service: ServiceProcess;
beforeAll(async () => {
  [postgres, collector] = await Promise.all([startPostgres(), startOtlpCollector()]);
  database = await postgres.createDatabase();
  service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'issuer-of-this-test' });
});
afterAll(async () => {
  await service.stop();
  await collector.stop();
  await postgres.stop();
});

const start = (variables: Record<string, string>): Promise<ServiceProcess> =>
  startServiceProcess(database, undefined, { OTEL_BSP_SCHEDULE_DELAY: '50', ...variables });

async function spansOf(traceId: string): Promise<ReceivedSpan[]> {
  const own = (): ReceivedSpan[] => collector.spans.filter((span) => span.traceId === traceId);
  await eventually(() => own().some(({ attributes }) => 'http.request.method' in attributes));
  return own();
}

const traceIdOf = (headers: Headers): string => headers.get('traceparent')?.split('-')[1] ?? '';

describe('traces', () => {
  it('continue the trace of the caller, by route, with the statements as children', async () => {
    const [traceId, parentSpanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const traceparent = `00-${traceId}-${parentSpanId}-01`;
    const reply = await get(`${service.url}/v0/offers/somebodys-offer`, { traceparent });
    expect(reply.headers.get('traceparent')).toBe(traceparent);
    const spans = await spansOf(traceId);
    const request = spans.find(({ name }) => name.startsWith('GET'));
    expect(request).toMatchObject({
      parentSpanId,
      name: 'GET /v0/offers/:offerId',
      service: 'issuer-of-this-test',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v0/offers/:offerId',
        'http.response.status_code': 404,
      },
    });
    const statements = spans.filter(({ name }) => name.startsWith('pg.query:'));
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) expect(statement.parentSpanId).toBe(request?.spanId);
  });

  it('begin here when the caller sends none, under the id in the answer and the log', async () => {
    const reply = await get(`${service.url}/v0/offers`);
    const traceId = traceIdOf(reply.headers);
    const [request] = (await spansOf(traceId)).filter(({ name }) => name.startsWith('GET'));
    expect(request).toMatchObject({ name: 'GET /v0/offers', parentSpanId: '' });
  });

  it('are not begun by probes or background work', async () => {
    const probes = [await get(`${service.url}/livez`), await get(`${service.url}/readyz?x=1`)].map(({ headers }) =>
      traceIdOf(headers),
    );
    await spansOf(traceIdOf((await get(`${service.url}/jwks.json`)).headers));
    expect(collector.spans.filter(({ traceId }) => probes.includes(traceId))).toEqual([]);
    const alone = collector.spans.filter(({ name, parentSpanId }) => name.startsWith('pg') && parentSpanId === '');
    expect(alone).toEqual([]);
  });

  it('hold nothing that was sent: no path, no query, no value', async () => {
    const marker = `canary-${randomBytes(12).toString('hex')}`;
    const secrets = [marker];
    const keep = (value: string | undefined): void => {
      if (!value) throw new Error('There is nothing to look for.');
      secrets.push(value);
    };
    const credential = { credentialSubject: { [marker]: marker } };
    const prepared = await prepareOffer(service.url, [quickStart], { txCode: { length: 12 } }, { credential });
    keep(prepared.offerId);
    keep(prepared.txCode);
    keep(offerUri(prepared.link).slice(-43));
    keep((await readOffer(prepared.link)).code);
    const session = await openSession(prepared.link, 'F', { tx_code: prepared.txCode });
    keep(session.accessToken);
    answered(
      200,
      await requestCredential(session, {
        headers: { cookie: marker, 'user-agent': marker, baggage: `a=${marker}`, tracestate: `a=${marker}` },
      }),
    );
    const holdings = await receiveHoldings(service.url, { given_name: marker, level: 1 });
    const asked = await ask(service.url, {
      state: `${marker}-state`,
      nonce: marker,
      dcql_query: { credentials: [idCard] },
    });
    const received = await receiveRequest(asked);
    keep(new URL(received.responseUri).pathname.split('/').at(-2));
    const tokens = tokensFor(holdings, received, ['id_card']);
    keep(tokens['id_card']?.slice(-60));
    answered(200, await respond(received, { tokens }));
    const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
    const theirs = { referer: `http://${marker}`, traceparent, tracestate: `vendor=${marker}` };
    await get(`${service.url}/${marker}?${marker}=${marker}`, theirs);
    await postJson(`${service.url}/v0/credentials?x=${marker}`, marker, { authorization: `Bearer ${marker}` });
    const last = await get(`${service.url}/jwks.json?${marker}`);
    await spansOf(traceIdOf(last.headers));

    expect(collector.spans.length).toBeGreaterThan(30);
    const sent = collector.bytes().toString('latin1');
    const found = secrets.flatMap((secret) => Object.values(encodingsOf(secret)).filter((text) => sent.includes(text)));
    expect(found).toEqual([]);
    expect(sent).not.toMatch(/127\.0\.0\.1|select |insert |\/openid4vci\/offers\/[^:]/i);
    expect(collector.spans.filter(({ events }) => events > 0)).toEqual([]);
    const names = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    expect(
      [...names].filter(
        (name) =>
          !/^(http\.(request\.method|response\.status_code|route)|db\.(namespace|system\.name|operation\.name)|network\.protocol\.version|url\.scheme|error\.type)$/.test(
            name,
          ),
      ),
    ).toEqual([]);
  });

  it('are sent before the process ends, which does not fail when they cannot be sent', async () => {
    const passing = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '60000' });
    const { headers } = await get(`${passing.url}/jwks.json`);
    await passing.stop();
    expect(await passing.ended).toBe(0);
    expect(await spansOf(traceIdOf(headers))).toMatchObject([{ name: 'GET /jwks.json', service: 'sealwright' }]);

    const lonely = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    expect((await get(`${lonely.url}/jwks.json`)).status).toBe(200);
    await eventually(() => lonely.output().includes('traces.not-accepted'));
    await lonely.stop();
    expect(await lonely.ended).toBe(0);
  });

  it('are off unless the standard variables turn them on', async () => {
    const before = collector.spans.length;
    const quiet = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' });
    const { headers } = await get(`${quiet.url}/jwks.json`);
    expect(headers.get('traceparent')).toMatch(/-00$/);
    await quiet.stop();
    expect(collector.spans.length).toBe(before);
  });
});
