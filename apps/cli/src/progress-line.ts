/** Milliseconds between two updates on a terminal, and between two lines elsewhere. */
const pause = { terminal: 200, elsewhere: 5_000 };
const clear = '\r\u001b[K';
const width = 20;

/** How far some work is. `begun` is what was done already when its `seconds` began. */
export interface Progress {
  readonly done: number;
  readonly of: number | undefined;
  readonly begun?: number;
  readonly seconds: number;
}

/** Follows long work: one line with a bar on a terminal, elsewhere a line every few seconds. */
export class ProgressLine {
  private what = '';
  private begin = 0;
  private begun = 0;
  private shownAt: number;
  private isShown = false;

  constructor(
    private readonly out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.shownAt = clock();
  }

  show(what: string, done: number, of: number | undefined): void {
    const now = this.clock();
    const isNew = what !== this.what;
    if (isNew) [this.what, this.begin, this.begun] = [what, now, done];
    const { isTTY } = this.out;
    if (now - this.shownAt < (isTTY ? pause.terminal : pause.elsewhere) && !(isTTY && isNew)) return;
    this.shownAt = now;
    const progress = { done, of, begun: this.begun, seconds: (now - this.begin) / 1000 };
    if (isTTY) this.out.write(`${clear}${what} ${barOf(progress)}${progressText(progress)}`);
    else this.out.write(`${what}: ${progressText(progress)}\n`);
    this.isShown = true;
  }

  /** Other output may follow. */
  end(): void {
    if (this.out.isTTY && this.isShown) this.out.write(clear);
    this.isShown = false;
  }
}

/** `12,000 of about 50,000 (24 %), 8,000 a second, 5 s left` */
export function progressText(progress: Progress): string {
  const { done, of, begun = 0, seconds } = progress;
  const share = shareOf(progress);
  const whole = share === undefined ? '' : ` of about ${grouped(of ?? 0)} (${Math.floor(100 * share)} %)`;
  const rate = (done - begun) / seconds;
  if (seconds < 0.2 || rate <= 0) return `${grouped(done)}${whole}`;
  const left = share === undefined || of === undefined ? '' : `, ${timeText((of - done) / rate)} left`;
  return `${grouped(done)}${whole}, ${grouped(Math.round(rate))} a second${left}`;
}

/** `[#####---------------] ` */
export function barOf(progress: Progress): string {
  const share = shareOf(progress);
  if (share === undefined) return '';
  const filled = Math.floor(width * share);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] `;
}

/** An estimate that has been passed says nothing any more. */
function shareOf({ done, of }: Progress): number | undefined {
  return of === undefined || of === 0 || of < done ? undefined : done / of;
}

function timeText(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
