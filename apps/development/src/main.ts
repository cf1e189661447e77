import { watch } from 'node:fs';
import { join } from 'node:path';
import { compiled, ServiceRun } from './service-run';
import { changedSources, folders, isSource, root } from './sources';

/** Milliseconds: editors save several files at once. */
const calm = 100;

/** Runs the service, and starts it again with what has changed whenever a source is saved. */
class DevelopmentRun {
  private service: ServiceRun | undefined;
  private restarting: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  async start(): Promise<void> {
    if ((await changedSources()).length > 0 && !(await compiled())) process.exit(1);
    this.service = new ServiceRun();
    for (const folder of folders) {
      watch(join(root, folder), { recursive: true }, (_event, name) => {
        if (name !== null && isSource(join(folder, name))) this.changed();
      });
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void this.end(signal));
    // The end of the first run is final; its reason has been printed. After a change there may be another one.
    const first = this.service;
    void first.ended.then((code) => {
      if (this.service === first) process.exit(code);
    });
  }

  private changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.restarting = this.restarting.then(() => this.restart());
    }, calm);
  }

  private async restart(): Promise<void> {
    const paths = await changedSources();
    if (paths.length === 0) return;
    process.stdout.write(`\n${paths.join(', ')} changed.\n`);
    const former = this.service;
    this.service = undefined;
    await former?.stop();
    if (await compiled()) this.service = new ServiceRun();
    else process.stderr.write('Save a change to try again.\n');
  }

  /** The service ends as it does without this process: a signal from a terminal reaches it twice, and counts once. */
  private async end(signal: NodeJS.Signals): Promise<void> {
    clearTimeout(this.timer);
    const { service } = this;
    this.service = undefined;
    process.exit((await service?.stop(signal)) ?? 0);
  }
}

new DevelopmentRun().start().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
