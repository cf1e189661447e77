import { type OutboundPurpose, outboundPurposes } from '@app/outbound';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EventCounter, Labels } from './event-counter';
import { buckets, inTime, signingBuckets } from './scraped';
import {
  type AnsweredRequest,
  type CertificateFacts,
  type Connections,
  type CountedStream,
  type FailingSigner,
  provenTables,
  type RefusedWallet,
  type RegistrationFacts,
  type SignerCalls,
  type StatusListFacts,
  type TrustFacts,
  type WaitingWork,
  type WebhookFacts,
} from './measured';
import { TenantCounts } from './tenant-counts';

const mostStores = 100;

/**
 * What the service measures about itself, for Prometheus; the names are what dashboards and alerts are written against. Labels
 * are words of the code, never request data or ids: each new value is a new time series. Only tenants and stores are named, a hundred
 * of each at most.
 */
export class Metrics {
  private readonly requests: Histogram<'method' | 'route' | 'status'>;
  private readonly modules: readonly { readonly counted: EventCounter; readonly counter: Counter }[];
  private readonly signatures: Histogram<'algorithm'>;
  private readonly signers: Histogram<'signer' | 'algorithm' | 'outcome'>;
  private readonly appends: Histogram<'outcome'>;
  private readonly refusals: Counter<'reason'>;
  private readonly refusedWallets: Counter<'route' | 'error' | 'reason'>;
  private readonly limited: Counter<'limit'>;
  private readonly limitFailures: Counter;
  private readonly auditFailures: Counter;
  private readonly busyOutbound: Counter<'purpose'>;
  private readonly doubtedClock: Gauge;
  private readonly alteredRows: Counter<'table'>;
  private readonly tenants: TenantCounts;

  /** @param counters of the modules of the business */
  constructor(
    private readonly registry = new Registry(),
    counters: readonly EventCounter[] = [],
  ) {
    this.tenants = new TenantCounts(registry);
    this.requests = this.histogram('http_request_duration_seconds', 'Requests by route', ['method', 'route', 'status']);
    this.modules = counters.map((counted) => ({
      counted,
      counter: this.counter(counted.name, counted.help, [...Object.keys(counted.series[0] ?? {}), 'tenant']),
    }));
    this.signatures = this.histogram('signing_duration_seconds', 'Signatures made', ['algorithm'], signingBuckets);
    const help = 'Signatures asked of signers outside of this process; what was not signed has its reason as outcome';
    this.signers = this.histogram('signer_duration_seconds', help, ['signer', 'algorithm', 'outcome']);
    this.appends = this.histogram('append_duration_seconds', 'Units of work, from hand-over to answer', ['outcome']);
    this.refusals = this.counter('access_refused_total', 'Rejected calls of the management API', ['reason']);
    this.refusedWallets = this.counter('wallet_refusals_total', 'Refused wallets', ['route', 'error', 'reason']);
    this.limited = this.counter('rate_limited_total', 'Requests rejected by a rate limit', ['limit']);
    this.limitFailures = this.counter('rate_limit_failures_total', 'Attempts to count or read limits that failed', []);
    this.auditFailures = this.counter('audit_failures_total', 'Rows of the audit that could not be written', []);
    this.busyOutbound = this.counter('outbound_busy_total', 'Requests to other servers that had no slot', ['purpose']);
    this.doubtedClock = new Gauge({
      name: 'sealwright_clock_doubted',
      help: "1 while the database's clock may have jumped",
      aggregator: 'max',
      registers: [registry],
    });
    this.alteredRows = this.counter('altered_rows_total', 'Rows changed from outside, counted when used', ['table']);
    // Series that exist from the start let `rate()` see the first increase.
    for (const { counted, counter } of this.modules) for (const labels of counted.series) counter.inc(labels, 0);
    for (const purpose of outboundPurposes) this.busyOutbound.inc({ purpose }, 0);
    for (const table of provenTables) this.alteredRows.inc({ table }, 0);
  }

  /** @param tenant its id; absent for the issuer of the settings */
  requestAnswered({ method, route, status, seconds }: AnsweredRequest, tenant?: string): void {
    this.requests.observe({ method, route, status }, seconds);
    if (tenant !== undefined) this.tenants.answered(tenant, status);
  }

  /** Counts what a unit of work stored, as the counters of its modules say. */
  stored(streams: Iterable<CountedStream>): void {
    for (const { category, state, events } of streams) {
      const found = this.modules.find(({ counted }) => counted.category === category);
      if (!found) continue;
      for (const { type } of events) {
        const labels = found.counted.seriesOf(type, state);
        if (labels) found.counter.inc(this.tenants.labelled(labels));
      }
    }
  }

  /** Adds one to a series of a module's counter, for what leaves no event. */
  count(asked: EventCounter, labels: Labels, tenant?: string): void {
    this.modules.find(({ counted }) => counted === asked)?.counter.inc(this.tenants.labelled(labels, tenant));
  }

  walletRefused(refused: RefusedWallet): void {
    this.refusedWallets.inc({ ...refused });
  }

  signed(algorithm: string, seconds: number): void {
    this.signatures.observe({ algorithm }, seconds);
  }

  /** A signer outside of this process was asked. @param outcome `signed`, or why not, a word */
  signerAsked(signer: string, algorithm: string, outcome: string, seconds: number): void {
    this.signers.observe({ signer, algorithm, outcome }, seconds);
  }

  appended(outcome: string, seconds: number): void {
    this.appends.observe({ outcome }, seconds);
  }

  /** A call of the management API was rejected; `reason` is the kind of refusal. */
  accessRefused(reason: string): void {
    this.refusals.inc({ reason });
  }

  /** A request was rejected by a rate limit; `limit` is the name of the limit. */
  rateLimited(limit: string): void {
    this.limited.inc({ limit });
  }

  /** Failures could not be counted or limits not read, so no rate limit is enforced. */
  rateLimitFailed(): void {
    this.limitFailures.inc();
  }

  /** An audit row could not be written. */
  auditFailed(): void {
    this.auditFailures.inc();
  }

  /** An outgoing request was given up because too many of its purpose were in progress. */
  outboundBusy(purpose: OutboundPurpose): void {
    this.busyOutbound.inc({ purpose });
  }

  /** Whether the database clock may have jumped, which suspends the removal of old rows. */
  clockDoubted(isDoubted: boolean): void {
    this.doubtedClock.set(isDoubted ? 1 : 0);
  }

  /** A row was found that was changed outside of the service; it is ignored. */
  rowAltered(table: (typeof provenTables)[number]): void {
    this.alteredRows.inc({ table });
  }

  /** How to read the pool when metrics are scraped; `undefined` when there is no pool. */
  readConnections(read: () => Connections | undefined): void {
    this.gauge('database_connections', 'Connections of the pool, and requests waiting for one', ['state'], (gauge) => {
      for (const [state, count] of Object.entries(read() ?? {})) gauge.set({ state }, count);
    });
  }

  /** How to read the queue of work that waits for the database. */
  readBacklog(read: () => WaitingWork): void {
    this.gauge('append_queue_units', 'Units of work waiting to be written', [], (gauge) => {
      gauge.set(read().units);
    });
    this.gauge('append_queue_bytes', 'Bytes of the units of work waiting to be written', [], (gauge) => {
      gauge.set(read().bytes);
    });
    this.gauge(
      'database_silent_seconds',
      'Seconds for which the database has not answered; 0 while it does',
      [],
      (gauge) => {
        gauge.set(read().silentSeconds);
      },
    );
    new Counter({
      name: 'sealwright_work_dropped_total',
      help: 'Units of work dropped before they reached the database',
      labelNames: ['reason'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(read().dropped)) this.inc({ reason }, count);
      },
    });
  }

  /** How to read whether each further store answers, by its name. */
  readStores(read: () => ReadonlyMap<string, boolean>): void {
    this.gauge('store_up', 'Whether a further store answers; 0 while it is away', ['store'], (gauge) => {
      gauge.reset();
      for (const [store, isUp] of [...read()].slice(0, mostStores)) gauge.set({ store }, isUp ? 1 : 0);
    });
  }

  /** How to read how many event streams are open. */
  readEventStreams(read: () => number): void {
    this.gauge('event_streams', 'Open streams of events, each with one listener', [], (gauge) => {
      gauge.set(read());
    });
  }

  /** How to read how many seconds each subscription is behind. */
  readSubscriptionLags(read: () => Promise<ReadonlyMap<string, number>>): void {
    const help = 'Age of the oldest event that a subscription has not handled';
    this.gauge('subscription_lag_seconds', help, ['subscription'], async (gauge) => {
      const lags = await inTime(read);
      // An old value would look current.
      gauge.reset();
      for (const [subscription, seconds] of lags ?? []) gauge.set({ subscription }, seconds);
    });
  }

  /** How to read for how many seconds the oldest erasure is due that was not carried out. */
  readErasuresOverdue(read: () => Promise<number>): void {
    const help = 'Age of the oldest erasure that is due by a retention and was not carried out';
    this.gauge('erasure_overdue_seconds', help, [], async (gauge) => {
      const seconds = await inTime(read);
      if (seconds === undefined) gauge.reset();
      else gauge.set(seconds);
    });
  }

  /** How to read how far the status lists are filled that are in use, and how old what is served of them is. */
  readStatusLists(read: () => Promise<StatusListFacts>): void {
    // One look for all of them.
    const facts = () => inTime(read);
    this.gauge('status_lists', 'Status lists', ['signer'], async (gauge) => {
      for (const [signer, { count }] of (await facts())?.lists ?? []) gauge.set({ signer }, count);
    });
    const entries = 'Entries of the status list in use: all of them, and those that are handed out or reserved';
    this.gauge('status_list_entries', entries, ['signer', 'state'], async (gauge) => {
      for (const [signer, { size, reserved }] of (await facts())?.lists ?? []) {
        gauge.set({ signer, state: 'all' }, size);
        gauge.set({ signer, state: 'reserved' }, reserved);
      }
    });
    const age = 'Age of the status lists that are served without having been compared with the database';
    this.gauge('status_list_age_seconds', age, [], async (gauge) => {
      gauge.set((await facts())?.age ?? 0);
    });
  }

  /** How to read which certificate authorities are trusted, and what is wrong with their files and lists. */
  readTrust(read: () => TrustFacts): void {
    this.gauge('trust_anchors', 'Certificate authorities that are trusted', ['purpose'], (gauge) => {
      gauge.reset();
      for (const [purpose, count] of Object.entries(read().anchors)) gauge.set({ purpose }, count);
    });
    this.gauge('trust_faults', 'Files and lists of certificate authorities that cannot be read', [], (gauge) => {
      gauge.set(read().faults);
    });
    this.gauge(
      'trust_lists_late',
      'Lists of trusted entities that end within 48 hours, or were never read',
      [],
      (gauge) => {
        gauge.set(read().lateLists);
      },
    );
    const ends = { anchor: 'anchorExpiresSeconds', list: 'listExpiresSeconds' } as const;
    const help = 'Time until the first certificate authority or list of them expires';
    this.gauge('trust_expires_seconds', help, ['of'], (gauge) => {
      gauge.reset();
      const facts = read();
      for (const [of, member] of Object.entries(ends)) {
        const seconds = facts[member];
        if (seconds !== undefined) gauge.set({ of }, seconds);
      }
    });
  }

  /** How to read how the registration certificates of this service stand. */
  readRegistration(read: () => RegistrationFacts): void {
    const states = 'Registration certificates of this service; only valid ones are sent to wallets';
    this.gauge('registration_certificates', states, ['state'], (gauge) => {
      for (const [state, count] of Object.entries(read().certificates)) gauge.set({ state }, count);
    });
    const ends = 'Time until the first valid registration certificate ends';
    this.gauge('registration_expires_seconds', ends, [], (gauge) => {
      const { expiresSeconds } = read();
      if (expiresSeconds === undefined) gauge.remove();
      else gauge.set(expiresSeconds);
    });
  }

  /** How to read how many kinds of credentials are offered without being registered. */
  readUnregistered(read: () => Promise<number>): void {
    const help = 'Kinds of credentials that can be issued and are in no registration certificate of this service';
    this.gauge('unregistered_configurations', help, [], async (gauge) => {
      const count = await inTime(read);
      if (count === undefined) gauge.remove();
      else gauge.set(count);
    });
  }

  /** How to read whether people can log in at the OpenID provider; `undefined` when there is none, or it is not known. */
  readLoginProvider(read: () => 'usable' | 'failing' | undefined): void {
    const help = 'Whether the OpenID provider can be used at which people log in; 0 when it cannot';
    this.gauge('login_provider_up', help, [], (gauge) => {
      const standing = read();
      if (standing === undefined) gauge.remove();
      else gauge.set(standing === 'usable' ? 1 : 0);
    });
  }

  /** How to read which keys at signers outside of this process did not sign when that was last tried. */
  readFailingSigners(read: () => readonly FailingSigner[]): void {
    const help = 'Keys at signers outside of this process that do not sign; 1 for each';
    this.gauge('signer_failing', help, ['signer', 'algorithm', 'reason'], (gauge) => {
      gauge.reset();
      for (const { provider: signer, algorithm, reason } of read()) gauge.set({ signer, algorithm, reason }, 1);
    });
  }

  /** How to read the calls to each signer outside of this process. */
  readSignerCalls(read: () => readonly SignerCalls[]): void {
    const help = 'Calls to signers outside of this process: those that wait, those under way, and how many may be';
    this.gauge('signer_calls', help, ['signer', 'state'], (gauge) => {
      for (const { provider: signer, waiting, underWay, allowed } of read()) {
        gauge.set({ signer, state: 'waiting' }, waiting);
        gauge.set({ signer, state: 'under_way' }, underWay);
        gauge.set({ signer, state: 'allowed' }, allowed);
      }
    });
  }

  /** How to read which certificates are in use. */
  readCertificates(read: () => readonly CertificateFacts[]): void {
    const help = 'Seconds until a certificate in use ends; negative when it has';
    this.gauge('certificate_expires_seconds', help, ['use', 'algorithm'], (gauge) => {
      gauge.reset();
      for (const { use, algorithm, notAfter } of read()) {
        gauge.set({ use, algorithm }, Math.round((notAfter.getTime() - Date.now()) / 1000));
      }
    });
  }

  /** How to read how the webhooks fare. */
  readWebhooks(read: () => Promise<WebhookFacts>): void {
    const facts = () => inTime(read);
    const states = 'Webhooks; failing: the last attempt failed, of whatever event';
    this.gauge('webhooks', states, ['state'], async (gauge) => {
      for (const [state, count] of Object.entries((await facts())?.count ?? {})) gauge.set({ state }, count);
    });
    const waiting = 'Age of the oldest event that is to be sent to a webhook that takes events';
    this.gauge('webhook_waiting_seconds', waiting, [], async (gauge) => {
      gauge.set((await facts())?.waitingSeconds ?? 0);
    });
  }

  /** How to read for how many seconds the oldest mail waits. */
  readMails(read: () => Promise<number>): void {
    this.gauge('mail_waiting_seconds', 'Age of the oldest mail that is queued', [], async (gauge) => {
      gauge.set((await inTime(read)) ?? 0);
    });
  }

  /** Sets what never changes while the process runs. */
  setBuildInfo(version: string): void {
    this.gauge('build_info', 'The running version', ['version', 'node']).set({ version, node: process.version }, 1);
  }

  private counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name: `sealwright_${name}`, help, labelNames, registers: [this.registry] });
  }

  private histogram<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    limits: number[] = buckets,
  ): Histogram<L> {
    return new Histogram({
      name: `sealwright_${name}`,
      help,
      labelNames,
      buckets: limits,
      registers: [this.registry],
    });
  }

  private gauge<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    read: (gauge: Gauge<L>) => void | Promise<void> = () => undefined,
  ): Gauge<L> {
    return new Gauge({
      name: `sealwright_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        return read(this);
      },
    });
  }
}
