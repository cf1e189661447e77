import type { Watch } from '@app/event-store';

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
    private readonly out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> & { readonly columns?: number } = process.stderr,
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
    if (isTTY) this.out.write(clear + this.fitting(what, progress));
    else this.out.write(`${what}: ${progressText(progress)}\n`);
    this.isShown = true;
  }

  /** Follows work with findings. @param write gets a line for each, below what it has shown so far */
  watch(write: (line: string) => void): Watch {
    return {
      finding: ({ subject, fault }) => {
        this.end();
        write(`${subject}: ${fault}\n`);
      },
      progress: (what, done, of) => {
        this.show(what, done, of);
      },
    };
  }

  /** A line that wraps cannot be cleared. */
  private fitting(what: string, progress: Progress): string {
    // Some terminals wrap behind the last column; one of unknown width usually has 80.
    const { columns = 0 } = this.out;
    const most = (columns > 0 ? columns : 80) - 1;
    const line = `${what} ${barOf(progress)}${progressText(progress)}`;
    return line.length <= most ? line : `${what} ${barOf(progress)}${shortText(progress)}`.slice(0, most);
  }

  /** Other output may follow. */
  end(): void {
    if (this.out.isTTY && this.isShown) this.out.write(clear);
    this.isShown = false;
  }
}

/** `12,000 of about 50,000 (24 %), 8,000 a second, 5 s left` */
export function progressText(progress: Progress): string {
  const { done, of } = progress;
  const share = shareOf(progress);
  const whole = share === undefined ? '' : ` of about ${grouped(of ?? 0)} (${Math.floor(100 * share)} %)`;
  const rate = rateOf(progress);
  return rate === undefined
    ? `${grouped(done)}${whole}`
    : `${grouped(done)}${whole}, ${grouped(Math.round(rate))} a second${leftText(progress)}`;
}

/** `24 %, 5 s left` */
function shortText(progress: Progress): string {
  const share = shareOf(progress);
  return share === undefined ? grouped(progress.done) : `${Math.floor(100 * share)} %${leftText(progress)}`;
}

function leftText(progress: Progress): string {
  const rate = rateOf(progress);
  if (rate === undefined || progress.of === undefined || shareOf(progress) === undefined) return '';
  return `, ${timeText((progress.of - progress.done) / rate)} left`;
}

/** In a second; `undefined` while nothing can be said. */
function rateOf({ done, begun = 0, seconds }: Progress): number | undefined {
  const rate = (done - begun) / seconds;
  return seconds < 0.2 || rate <= 0 ? undefined : rate;
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
