import { Settings, SettingsError } from '@app/config';
import { Metrics, type TrustFacts } from '@app/observability';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AnchorDirectory } from './anchor-directory';
import { endOf, type TrustAnchor, type TrustPurpose, trustPurposes } from './trust-anchor';
import { CertificateFault, type SourceFault } from '../certificate-fault';
import { TrustLists } from './trust-lists';

/** How soon a changed file is seen. */
const readEveryMs = 2_000;

/** What the sources of anchors are, for operators. */
export interface TrustState {
  readonly anchors: readonly TrustAnchor[];
  readonly faults: readonly SourceFault[];
  /** When the list of trusted entities ends that ends first; absent without lists. */
  readonly firstListEnd?: Date;
  /** URLs of lists that end soon, or were never read. */
  readonly lateLists: readonly string[];
}

/** The anchors that this service trusts now: files and lists may change while it runs. */
@Injectable()
export class TrustAnchors implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Trust');
  private readonly directory: AnchorDirectory;
  private readonly listeners: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;

  constructor(
    settings: Settings,
    private readonly lists: TrustLists,
    private readonly metrics: Metrics,
  ) {
    this.directory = new AnchorDirectory(settings.trust.anchors);
  }

  /** Anchors for the purpose. Ask for each use: they change without restart. */
  find(purpose: TrustPurpose): readonly TrustAnchor[] {
    const now = new Date();
    return this.all().filter(({ purposes, until }) => purposes.includes(purpose) && !(until && until <= now));
  }

  /** Calls the listener after each change of files or lists, for as long as the service runs. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  state(): TrustState {
    const firstListEnd = this.lists.firstEnd();
    const faults = [...this.directory.faults, ...this.lists.faults()];
    const lateLists = this.lists.late(new Date());
    return { anchors: this.all(), faults, lateLists, ...(firstListEnd && { firstListEnd }) };
  }

  /** Reads files, and lists that are due, as happens every two seconds. Never throws; what has a fault keeps its last good state. */
  async reload(): Promise<void> {
    // One that is under way has perhaps read the directory before it was changed.
    await this.reading;
    await Promise.all([this.readFiles(), this.refreshLists()]);
  }

  /** Throws `SettingsError`: a service that starts without the anchors it was given rejects what it should accept. */
  async onModuleInit(): Promise<void> {
    await this.directory.read();
    const faults = this.directory.faults.map(asSettingsFault);
    const listFault = await this.lists.checkSigners().catch(asCertificateFault);
    if (listFault) faults.push({ name: 'SERVICE__TRUST__LISTS', found: listFault.found, remedy: listFault.remedy });
    if (faults.length > 0) throw new SettingsError(faults);
    // A list that cannot be had is no reason not to start.
    await this.refreshLists();
    this.metrics.readTrust(() => factsOf(this.state(), new Date()));
    this.timer = setInterval(() => {
      void this.readFiles();
      void this.refreshLists();
    }, readEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private all(): readonly TrustAnchor[] {
    return [...this.directory.anchors, ...this.lists.anchors(new Date())];
  }

  private readFiles(): Promise<void> {
    this.reading ??= this.readChanges().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readChanges(): Promise<void> {
    if (await this.directory.read()) this.changed(this.directory.faults);
  }

  private async refreshLists(): Promise<void> {
    if (await this.lists.refresh(new Date())) this.changed(this.lists.faults());
  }

  private changed(faults: readonly SourceFault[]): void {
    for (const { source, found, remedy } of faults) {
      this.logger.warn({ event: 'trust.faulty', source, reason: `${found}; ${remedy}` }, 'Keeps the last good anchors');
    }
    const { length } = this.all();
    this.logger.log({ event: 'trust.changed', anchors: length }, 'The trust anchors have changed');
    for (const listener of this.listeners) listener();
  }
}

function asSettingsFault({ source, found, remedy }: SourceFault): SettingsError['faults'][number] {
  return { name: `SERVICE__TRUST__ANCHORS (${source})`, found, remedy };
}

function asCertificateFault(error: unknown): CertificateFault {
  if (error instanceof CertificateFault) return error;
  throw error;
}

function factsOf({ anchors, faults, firstListEnd, lateLists }: TrustState, now: Date): TrustFacts {
  const until = (end: number): number => Math.round((end - now.getTime()) / 1000);
  const ends = anchors.map((anchor) => endOf(anchor).getTime());
  const count = (purpose: TrustPurpose): number =>
    anchors.filter(({ purposes, until }) => purposes.includes(purpose) && !(until && until <= now)).length;
  return {
    anchors: Object.fromEntries(trustPurposes.map((purpose) => [purpose, count(purpose)])),
    faults: faults.length,
    lateLists: lateLists.length,
    ...(ends.length > 0 && { anchorExpiresSeconds: until(Math.min(...ends)) }),
    ...(firstListEnd && { listExpiresSeconds: until(firstListEnd.getTime()) }),
  };
}
