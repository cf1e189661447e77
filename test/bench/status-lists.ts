import { decodeStatusList, statusAt } from '@app/credentials';
import { openDriver } from '@app/event-store';
import { walletUrls } from '@app/openid4vc';
import { randomBytes, randomUUID, sign } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { entryOrder } from '../../libs/status/src/entry-order';
import { type Signing, statusListToken } from '../../libs/status/src/list-token';
import { ServedList } from '../../libs/status/src/served-list';
import { provers } from '../event-store/provers';
import type { TestPostgres } from '../support/database/postgres';
import { statusTeller } from '../support/database/told-statuses';
import { newPrivateKey } from '../support/wallets/key-proofs';
import { clientAt, contendingService, loadOf, type ServiceContender } from './contenders';
import type { CpuMeter } from './cpu';
import { json } from './flow';
import { HttpClient } from './http-client';
import { type Load, measure, type Measured, turnByTurn } from './load';
import type { Plan } from './plan';
import { publicUrl } from './sealwright';
import { install, startService } from './service-process';

const entries = 2 ** 20;
const revocations = 1_000;
const callers = 8;
/** Of each figure, the median. */
const repetitions = 5;

export interface ListFigures {
  /** Entries of the list that are not valid. */
  readonly changed: number;
  /** Milliseconds from an empty memory to the signed token. */
  readonly rebuilt: number;
  /** Milliseconds until 1,000 more changes are in the signed token. */
  readonly again: number;
  /** Of the token. */
  readonly bytes: number;
}

export interface StatusFigures {
  readonly lists: readonly ListFigures[];
  /** Milliseconds until 1,000 revocations were answered, and from then until another replica served them. */
  readonly reach: { readonly answered: number; readonly served: number };
  readonly issuing: Readonly<Record<string, Measured>>;
}

export async function statusLists(postgres: TestPostgres, cpu: CpuMeter, plan: Plan): Promise<StatusFigures> {
  const lists: ListFigures[] = [];
  for (const changed of [0, 10_000, 100_000]) lists.push(await rebuilding(await postgres.createDatabase(), changed));
  const installation = install(await postgres.createDatabase());
  const settings = { ...installation.settings, SERVICE__STATUS_LISTS__ENTRIES: String(entries) };
  const revocable = await contendingService({ ...installation, settings }, plan, { revocable: true });
  const plain = await contendingService(install(await postgres.createDatabase()), plan);
  const load = (service: ServiceContender): Load => ({
    ...loadOf(service, service.issuing, callers, { postgres: cpu }),
    until: { seconds: plan.seconds },
  });
  const issuing = await turnByTurn(plan, { 'not revocable': load(plain), revocable: load(revocable) });
  const other = await startService({ ...installation, settings });
  const reach = await reaching(revocable, new HttpClient(other.url));
  await other.stop();
  await Promise.all([revocable.close(), plain.close()]);
  return { lists, reach, issuing };
}

/** The list as a replica makes it that is asked for it for the first time. */
async function rebuilding(database: string, changed: number): Promise<ListFigures> {
  const driver = await openDriver({ type: 'postgres', connectionString: database });
  const { changes, tell } = statusTeller(driver, provers);
  const listId = randomUUID();
  const entryAt = entryOrder(randomBytes(32), entries);
  const add = async (first: number, count: number): Promise<void> => {
    const indices = Array.from({ length: count }, (_, place) => entryAt(first + place));
    await changes.add(listId, await tell(listId, indices, 'revoked'));
  };
  for (let first = 0; first < changed; first += 10_000) await add(first, 10_000);
  const signing = newSigning();
  const served = () => new ServedList(listId, entries, changes, { ttl: 300, now: () => new Date() });
  const signed = (list: ServedList) =>
    list.document('token', () => ({
      keyId: 'k',
      sign: (bytes, validity) => statusListToken(listId, bytes, validity, signing),
    }));
  const rebuilt: number[] = [];
  const again: number[] = [];
  let bytes = 0;
  for (let times = 0; times < repetitions; times++) {
    const list = served();
    const begin = performance.now();
    bytes = (await signed(list)).token.length;
    rebuilt.push(performance.now() - begin);
    await add(changed + times * revocations, revocations);
    // A list is compared with the database twice a second at most.
    await delay(600);
    const later = performance.now();
    await signed(list);
    again.push(performance.now() - later);
  }
  await driver.close();
  return { changed, rebuilt: median(rebuilt), again: median(again), bytes };
}

/** ES256 with a key of its own. */
function newSigning(): Signing {
  const key = newPrivateKey('ES256');
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return {
    urls: walletUrls(publicUrl),
    identity: {
      id: publicUrl,
      keyId: 'bench',
      sign: (header, payload) => {
        const input = `${encode({ ...header, alg: 'ES256' })}.${encode(payload)}`;
        const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
        return Promise.resolve(`${input}.${signature.toString('base64url')}`);
      },
    },
  };
}

/** One request revokes 1,000 credentials; then another replica is asked for their list until it has them all. */
async function reaching(service: ServiceContender, other: HttpClient): Promise<StatusFigures['reach']> {
  await measure({ ...loadOf(service, service.issuing, callers, {}), until: { times: revocations } });
  const client = clientAt(service.clients, 0);
  const credentialIds: string[] = [];
  let cursor = '';
  while (credentialIds.length < revocations) {
    const path = `/v0/credentials?status=Issued&limit=200${cursor}`;
    const page = JSON.parse(await service.manage(client, { method: 'GET', path })) as {
      items: { credentialId: string }[];
      nextCursor: string | null;
    };
    credentialIds.push(...page.items.map(({ credentialId }) => credentialId));
    if (page.nextCursor === null) break;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  const [list = ''] = (
    JSON.parse(await other.send({ method: 'GET', path: '/status_lists' })) as { status_lists: string[] }
  ).status_lists;
  const path = new URL(list).pathname;
  const revoked = async (): Promise<number> => {
    const token = await other.send({ method: 'GET', path });
    const { status_list } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      status_list: unknown;
    };
    const decoded = decodeStatusList(status_list);
    if (!decoded) throw new Error('The list cannot be read.');
    let count = 0;
    for (let index = 0; index < entries; index++) if (statusAt(decoded, index) === 1) count++;
    return count;
  };
  const before = await revoked();
  const begin = performance.now();
  const body = json({ change: 'revoke', credentialIds: credentialIds.slice(0, revocations) });
  await service.manage(client, { method: 'POST', path: '/v0/credentials/status_changes', ...body });
  const answered = performance.now() - begin;
  while ((await revoked()) < before + revocations) await delay(20);
  const served = performance.now() - begin - answered;
  await other.close();
  return { answered, served };
}

function median(figures: readonly number[]): number {
  return figures.toSorted((one, next) => one - next)[Math.floor(figures.length / 2)] ?? NaN;
}
