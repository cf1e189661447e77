import { Mailers } from '@app/mail/src/mailers';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../event-store/accounts';
import { certificateFor, type MailRelay, startMailRelay } from '../support/counterparts/mail-relay';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { prepareOffer } from '../support/portal/portal';
import { examine } from '../support/service/examination';
import { type RunningService, startService } from '../support/service/service';

let database: string;
let directory: string;
let relay: MailRelay | undefined;
let services: RunningService[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sealwright-mail-'));
});
afterAll(() => rm(directory, { recursive: true }));
beforeEach(async () => {
  database = await sharedPostgres().createDatabase();
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()));
  services = [];
  await relay?.stop();
  relay = undefined;
  await dropDatabase(database);
});

const settingsFor = ({ port }: MailRelay, more: Record<string, string> = {}): Record<string, string> => ({
  SERVICE__EVENT_STORE__TYPE: 'postgres',
  SERVICE__EVENT_STORE__CONNECTION_STRING: database,
  SERVICE__MAIL__HOST: 'localhost',
  SERVICE__MAIL__PORT: String(port),
  SERVICE__MAIL__FROM: 'credentials@town.example',
  SERVICE__MAIL__RATE_PER_MINUTE: '6000',
  ...more,
});

async function started(settings: Record<string, string>): Promise<RunningService> {
  const service = await startService(settings);
  services.push(service);
  return service;
}

async function mailed({ url }: RunningService, email = 'erika@example.org'): Promise<() => Promise<Json>> {
  const { offerId } = await prepareOffer(url, undefined, { recipient: { email } });
  answered(201, await postJson(`${url}/v0/offers/${offerId}/deliveries`, { channel: 'email' }));
  return async () => (answered(200, await get(`${url}/v0/offers/${offerId}/deliveries`))['items'] as Json[])[0] ?? {};
}

const standing = async ({ url }: RunningService): Promise<unknown> =>
  (answered(200, await get(`${url}/readyz`))['info'] as Json)['mail'];

async function doctor({ url }: RunningService, settings: Record<string, string>) {
  const own = {
    SERVICE__PROFILE: 'development',
    SERVICE__APPLICATION_URL: url,
    SERVICE__HTTP__PORT: new URL(url).port,
  };
  const { of } = await examine({ ...settings, ...own });
  return of('mail');
}

describe('a relay whose certificate is good', () => {
  it('takes the mail after a login, over TLS alone, and is found well', async () => {
    const { cert, key } = await certificateFor('localhost');
    const caFile = join(directory, 'relay.pem');
    await writeFile(caFile, cert);
    const logins: unknown[] = [];
    relay = await startMailRelay({
      ...{ cert, key, disabledCommands: [], authOptional: false },
      onAuth: ({ username, password }, _session, done) => {
        logins.push([username, password]);
        done(null, { user: username });
      },
    });
    const settings = settingsFor(relay, {
      SERVICE__MAIL__CA_FILE: caFile,
      SERVICE__MAIL__USER: 'sealwright',
      SERVICE__MAIL__PASSWORD: 'the-password-of-the-relay',
    });
    const service = await started(settings);
    const state = await mailed(service);
    await eventually(async () => (await state())['status'] === 'Sent');
    expect(logins[0]).toEqual(['sealwright', 'the-password-of-the-relay']);
    await eventually(async () => JSON.stringify(await standing(service)).includes('usable'));
    expect(await doctor(service, settings)).toMatchObject({ outcome: 'ok' });
    expect(relay.mails).toHaveLength(1);
  });
});

describe('a relay that cannot be trusted with a mail', () => {
  it.each([
    ['offers no encryption', { disabledCommands: ['AUTH', 'STARTTLS'] }, {}, 'tls'],
    ['has a certificate of nobody known', {}, {}, 'certificate'],
    ['has the certificate of another host', 'other', {}, 'certificate'],
    ['speaks in the clear where TLS is expected', {}, { SERVICE__MAIL__SECURITY: 'tls' }, 'tls'],
  ])('since it %s gets none, and operators are told', async (_why, options, more, reason) => {
    const own = options === 'other' ? await certificateFor('other.example') : undefined;
    const caFile = join(directory, 'other.pem');
    if (own) await writeFile(caFile, own.cert);
    relay = await startMailRelay(own ?? (options as object));
    const settings = settingsFor(relay, { ...more, ...(own && { SERVICE__MAIL__CA_FILE: caFile }) });
    const service = await started(settings);
    const state = await mailed(service);
    await eventually(async () => (await state())['attempts'] === 1 && (await state())['reason'] !== undefined);
    expect(await state()).toMatchObject({ status: 'Queued', reason });
    await eventually(async () => JSON.stringify(await standing(service)).includes('failing'));
    const finding = await doctor(service, settings);
    expect(finding).toMatchObject({ outcome: 'fail' });
    expect(finding?.found).toContain(reason);
    expect([relay.mails, relay.tried]).toEqual([[], 0]);
  });
});

describe('two replicas', () => {
  it('send each mail once', async () => {
    const { cert, key } = await certificateFor('localhost');
    const caFile = join(directory, 'replicas.pem');
    await writeFile(caFile, cert);
    relay = await startMailRelay({ cert, key });
    const settings = settingsFor(relay, { SERVICE__MAIL__CA_FILE: caFile });
    const [one, two] = [await started(settings), await started(settings)];
    const addresses = Array.from({ length: 40 }, (_, index) => `person-${index}@example.org`);
    const states = await Promise.all(addresses.map((address, index) => mailed(index % 2 === 0 ? one : two, address)));
    const wakeBoth = (): void => {
      for (const { app } of [one, two]) app.get(Mailers).wake();
    };
    await eventually(async () => {
      wakeBoth();
      return (await Promise.all(states.map((state) => state()))).every(({ status }) => status === 'Sent');
    });
    expect(relay.mails.map(({ envelope }) => envelope.to[0]).sort()).toEqual(addresses.sort());
  });
});
