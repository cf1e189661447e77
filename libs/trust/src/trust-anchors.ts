import { Settings, SettingsError } from '@app/config';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AnchorDirectory } from './anchor-directory';
import type { TrustAnchor, TrustPurpose } from './trust-anchor';
import type { SourceFault } from './trust-fault';

/** How soon a changed file is seen. */
const readEveryMs = 2_000;

/** The anchors that this service trusts now: files may change while it runs. */
@Injectable()
export class TrustAnchors implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Trust');
  private readonly directory: AnchorDirectory;
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;

  constructor(settings: Settings) {
    this.directory = new AnchorDirectory(settings.trust.anchors);
  }

  /** Anchors for the purpose. Ask for each use: they change without restart. */
  find(purpose: TrustPurpose): readonly TrustAnchor[] {
    return this.directory.anchors.filter(({ purposes }) => purposes.includes(purpose));
  }

  /** @returns what ends it */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** What the sources are, for operators. */
  state(): { readonly anchors: readonly TrustAnchor[]; readonly faults: readonly SourceFault[] } {
    const { anchors, faults } = this.directory;
    return { anchors, faults };
  }

  /** Reads the directory again, as happens every two seconds. Never throws; a file with a fault keeps its last good state. */
  reload(): Promise<void> {
    this.reading ??= this.read().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** Throws `SettingsError`: a service that starts without the anchors it was given rejects what it should accept. */
  async onModuleInit(): Promise<void> {
    await this.directory.read();
    const { faults } = this.directory;
    if (faults.length > 0) throw new SettingsError(faults.map(asSettingsFault));
    this.timer = setInterval(() => void this.reload(), readEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async read(): Promise<void> {
    if (!(await this.directory.read())) return;
    const { anchors, faults } = this.directory;
    for (const { source, found, remedy } of faults) {
      this.logger.warn({ event: 'trust.faulty', source, reason: `${found}; ${remedy}` }, 'Keeps the last good anchors');
    }
    this.logger.log({ event: 'trust.changed', anchors: anchors.length }, 'The trust anchors have changed');
    for (const listener of this.listeners) listener();
  }
}

function asSettingsFault({ source, found, remedy }: SourceFault): SettingsError['faults'][number] {
  return { name: `SERVICE__TRUST__ANCHORS (${source})`, found, remedy };
}
