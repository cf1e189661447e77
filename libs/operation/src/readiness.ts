import { OwnCertificates } from '@app/identity';
import { EventStore } from '@app/event-store';
import { ServiceState } from '@app/http';
import { KeyRing } from '@app/keys';
import { apart } from '@app/primitives/context';
import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';

/** Milliseconds that a probe waits for the database; one that takes longer cannot serve requests either. */
const patience = 1_000;
/** Milliseconds. Codes, tokens and proofs live for minutes: with clocks further apart valid ones are rejected. */
const furthestClock = 60_000;
/** Milliseconds for which callers share a result, so that frequent probes stay cheap. */
const shared = 250;
/** The same of a write that succeeded, which costs the server a flush of its log. */
const sharedWrite = 5_000;
/** Milliseconds for such a write. One that is slower than the probe's patience is judged at a later probe. */
const writePatience = 5_000;

/** Whether this process can serve requests, with one entry for each dependency. No entry names a host or a cause. */
@Injectable()
export class Readiness {
  private readonly surroundings = sharing(
    () => this.examine(),
    () => shared,
  );
  private readonly written = sharing(
    () => this.store.tryWrite(writePatience),
    (fault) => (fault === undefined ? sharedWrite : shared),
  );

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly store: EventStore,
    private readonly keys: KeyRing,
    private readonly certificates: OwnCertificates,
    private readonly state: ServiceState,
  ) {}

  async check(): Promise<HealthIndicatorResult[]> {
    const { stopping } = this.state;
    const service = this.indicators.check('service');
    return [stopping ? service.down('stopping') : service.up(), ...(await this.surroundings())];
  }

  private async examine(): Promise<HealthIndicatorResult[]> {
    const database = this.indicators.check('database');
    const seen = await within(patience, this.store.look(patience)).catch(() => undefined);
    const answers = seen !== undefined;
    const fault = faultOf(seen) ?? (await this.writeFault());
    return [
      fault === undefined ? database.up() : database.down(fault),
      ...(await Promise.all([this.migrations(answers), this.subscriptions(answers)])),
      this.signingKeys(),
      this.ownCertificates(),
    ];
  }

  /** Why the database takes no writes although it answers; on a full disk it does. */
  private async writeFault(): Promise<string | undefined> {
    const written = await within(patience, this.written()).catch(() => undefined);
    switch (written?.fault) {
      case undefined:
      // Then nothing is known of writes.
      case 'untried':
        return undefined;
      case 'disk-full':
        return 'its disk is full';
      default:
        return 'it accepts no writes';
    }
  }

  private async migrations(answers: boolean): Promise<HealthIndicatorResult> {
    const migrations = this.indicators.check('migrations');
    const fits = answers && (await within(patience, this.store.hasShippedSchema()).catch(() => undefined));
    if (fits === true) return migrations.up();
    return migrations.down(answers && fits === false ? 'the tables belong to another release' : 'not known');
  }

  /**
   * Up whenever the lag is known: it is the same in every process and no request waits for a subscription, so reporting
   * down would only take all replicas out of service at once.
   */
  private async subscriptions(answers: boolean): Promise<HealthIndicatorResult> {
    const subscriptions = this.indicators.check('subscriptions');
    const lags = answers && (await within(patience, this.store.subscriptionLags()).catch(() => undefined));
    if (!lags) return subscriptions.down('not known');
    return subscriptions.up({ lagSeconds: Object.fromEntries(lags) });
  }

  private signingKeys(): HealthIndicatorResult {
    const signingKeys = this.indicators.check('signing_keys');
    const failing = [
      ...this.keys.failingAlgorithms(),
      ...this.keys.provided.failing.map(({ provider, algorithm, reason }) => `${algorithm} of ${provider} (${reason})`),
    ];
    return failing.length === 0 ? signingKeys.up() : signingKeys.down(`${failing.join(' and ')} cannot be used`);
  }

  /** Of those in use: verifiers and wallets that go by certificates accept nothing under an expired one. */
  private ownCertificates(): HealthIndicatorResult {
    const certificates = this.indicators.check('certificates');
    const expired = this.certificates.expired(new Date());
    return expired.length === 0
      ? certificates.up()
      : certificates.down(`that for ${new Intl.ListFormat('en-GB').format(new Set(expired))} has expired`);
  }
}

/** Why the database cannot serve requests; `undefined` when it can. */
function faultOf(seen: Awaited<ReturnType<EventStore['look']>> | undefined): string | undefined {
  if (seen === undefined) return `no answer within ${patience} ms`;
  if (seen.readOnly) return 'it accepts no writes';
  if (Math.abs(seen.clockAhead) > furthestClock)
    return 'its clock and the clock of this process differ by a minute or more';
  return undefined;
}

/**
 * Work of which callers share one run, however long it takes, and then its result. The work must not reject.
 * @param lasting milliseconds for which a result is shared
 */
function sharing<T>(work: () => Promise<T>, lasting: (result: T) => number): () => Promise<T> {
  let latest: Promise<T> | undefined;
  let latestUntil = 0;
  return () => {
    if (latest && performance.now() < latestUntil) return latest;
    latestUntil = Infinity;
    latest = apart(() =>
      work().then((result) => {
        latestUntil = performance.now() + lasting(result);
        return result;
      }),
    );
    return latest;
  };
}

function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new Error('late'));
    }, milliseconds);
    work.then(resolve, reject).finally(() => {
      clearTimeout(late);
    });
  });
}
