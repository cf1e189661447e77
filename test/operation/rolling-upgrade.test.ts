import { EventEmitter, once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { sharedPostgres } from '../support/database/postgres';
import { type Proxy, startProxy } from '../support/counterparts/reverse-proxy';
import { type UpgradeFlow, upgradeFlows } from '../support/portal/upgrade-load';
import { buildNextVersion } from '../support/service/next-build';
import { buildRelease, newestRelease } from '../support/service/released-build';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';

const apiKey = 'rolling-upgrade-test-key';
const settings = {
  SERVICE__MANAGEMENT__API_KEYS: apiKey,
  SERVICE__HTTP__TRUSTED_PROXIES: '127.0.0.1',
  SERVICE__HTTP__DRAIN_SECONDS: '3',
  SERVICE__AUTHORIZATION__DPOP_NONCE: 'required',
};
const replacements = 3;

interface Upgrade {
  readonly name: string;
  /** The folders of the builds; `undefined` is this one. */
  readonly builds: () => Promise<{ readonly before?: string; readonly after?: string }>;
  /** Whether replicas certainly meet shapes that they do not know. */
  readonly meetsUnknown: boolean;
}

const release = newestRelease();
const upgrades: readonly Upgrade[] = [
  {
    name: 'this one by one that changed every shape',
    builds: async () => ({ after: await buildNextVersion() }),
    meetsUnknown: true,
  },
  ...(release
    ? [
        {
          name: `${release.version} by this one`,
          builds: () => Promise.resolve({ before: buildRelease(release) }),
          meetsUnknown: false,
        },
      ]
    : []),
];

/** A flow that halts after one of its steps until a replica has been replaced. */
interface Halted {
  readonly name: string;
  readonly reached: Promise<void>;
  /** Goes on. @returns why it could not be completed */
  readonly end: () => Promise<string | undefined>;
}

function startUntil(gap: number, { name, run }: UpgradeFlow): Halted {
  const replaced = new EventEmitter();
  let ended = Promise.resolve<string | undefined>(undefined);
  const reached = new Promise<void>((resolve) => {
    let passed = 0;
    ended = run(async () => {
      if (++passed !== gap) return;
      resolve();
      await once(replaced, 'replaced');
    }).then(
      () => undefined,
      (error: unknown) => `${name}, halted after step ${gap}: ${String(error).slice(0, 500)}`,
    );
    void ended.then(() => {
      resolve();
    });
  });
  return {
    name,
    reached,
    end: () => {
      replaced.emit('replaced');
      return ended;
    },
  };
}

describe.each(upgrades)('three replicas that are replaced one by one: $name', ({ builds: build, meetsUnknown }) => {
  const postgres = sharedPostgres();
  const replicas: ServiceProcess[] = [];
  let proxy: Proxy;
  let connectionString: string;
  let builds: { readonly before?: string; readonly after?: string };

  beforeAll(async () => {
    builds = await build();
    connectionString = await postgres.createDatabase();
    proxy = await startProxy({ passesOn: true, apiKey });
    await startReplica(builds.before);
    await Promise.all([startReplica(builds.before), startReplica(builds.before)]);
  }, 600_000);
  afterAll(async () => {
    await proxy.stop();
    await Promise.all(replicas.map((replica) => replica.stop()));
    if (builds.after !== undefined) await rm(builds.after, { recursive: true });
  });

  async function startReplica(build: string | undefined): Promise<void> {
    replicas.push(await startServiceProcess(connectionString, proxy.url, settings, build));
    proxy.use(replicas.map(({ url }) => url));
    while (proxy.ready() < replicas.length) await pause(50);
  }

  it('end every flow, wherever a replacement interrupts it', async () => {
    const flows = await upgradeFlows(proxy.url);
    const completed: Record<string, string> = {};
    const lost: string[] = [];
    const ended: (number | null)[] = [];
    const count = new Map(flows.map(({ name }) => [name, { started: 0, ended: 0 }]));
    for (let replacement = 0; replacement < replacements; replacement++) {
      const halted = flows.flatMap((flow) =>
        Array.from({ length: flow.gaps }, (_, index) => startUntil(index + 1, flow)),
      );
      await Promise.all(halted.map(({ reached }) => reached));
      await startReplica(builds.after);
      const [oldest] = replicas;
      if (!oldest) throw new Error('no replica');
      oldest.signal('SIGTERM');
      const outcomes = await Promise.all(halted.map(async (flow) => ({ ...flow, fault: await flow.end() })));
      for (const { name, fault } of outcomes) {
        const counted = count.get(name) ?? { started: 0, ended: 0 };
        counted.started++;
        if (fault === undefined) counted.ended++;
        else lost.push(fault);
      }
      ended.push(await oldest.ended);
      replicas.shift();
      proxy.use(replicas.map(({ url }) => url));
    }
    for (const [name, { started, ended: completely }] of count) completed[name] = `${completely} of ${started}`;
    const expected = flows.map(({ name, gaps }) => [name, `${replacements * gaps} of ${replacements * gaps}`]);
    expect({ lost, completed, unserved: proxy.failures, ended }).toEqual({
      lost: [],
      completed: Object.fromEntries(expected) as unknown,
      unserved: [],
      ended: [0, 0, 0],
    });
    // Otherwise no replica has met what it does not know, and nothing was shown.
    if (meetsUnknown) expect(proxy.passedOn.length).toBeGreaterThan(0);
  }, 240_000);
});

if (!release) {
  it.skip('the last release by this one (this is the release, or a clone without its commit: git fetch --unshallow)', () =>
    undefined);
}
