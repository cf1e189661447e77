/** Milliseconds between two updates. */
const pause = 200;
const clear = '\r\u001b[K';

/** One line on a terminal that follows long work; nothing where no terminal is. */
export class ProgressLine {
  private what = '';
  private begin = 0;
  private shownAt = -pause;

  constructor(private readonly out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr) {}

  show(what: string, done: number, of: number | undefined): void {
    if (!this.out.isTTY) return;
    const now = performance.now();
    if (what !== this.what) [this.what, this.begin] = [what, now];
    else if (now - this.shownAt < pause) return;
    this.shownAt = now;
    this.out.write(`${clear}${progressText(what, { done, of, seconds: (now - this.begin) / 1000 })}`);
  }

  /** Other output may follow. */
  end(): void {
    if (this.out.isTTY && this.what !== '') this.out.write(clear);
  }
}

/** `events: 12,000 of about 50,000 (24 %), 8,000 a second` */
export function progressText(
  what: string,
  { done, of, seconds }: { readonly done: number; readonly of: number | undefined; readonly seconds: number },
): string {
  // An estimate that has been passed says nothing any more.
  const share = of === undefined || of < done ? '' : ` of about ${grouped(of)} (${Math.floor((100 * done) / of)} %)`;
  const rate = seconds < 0.2 ? '' : `, ${grouped(Math.round(done / seconds))} a second`;
  return `${what}: ${grouped(done)}${share}${rate}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
