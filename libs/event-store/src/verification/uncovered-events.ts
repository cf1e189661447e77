import type { CoveredEvent } from '../proofs/checkpoint';
import type { Watch } from '../passes/verification-finding';
import { addPosition, renderRuns, type Run } from '../subscriptions/positions';

/** Milliseconds in which a running service covers what it has written, many times over. */
const patience = 60 * 60 * 1000;

/**
 * Judges events that no checkpoint covers, given in commit order. Checkpoints cover what came first without a gap; after a
 * restore on another server all events have transaction 0, and say nothing about their order until the next checkpoint.
 */
export class UncoveredEvents {
  count = 0;
  /** Since the last one that is covered. */
  private pending: Run[] = [];
  private overdue: Run[] = [];

  /** @param newest when the newest event was stored as the verification began; not its end, which may come hours later */
  constructor(
    private readonly watch: Watch,
    private readonly newest: Date | undefined,
  ) {}

  add({ position, instant }: CoveredEvent): void {
    this.count++;
    addPosition(this.pending, position);
    const isOverdue = this.newest !== undefined && Date.parse(instant) < this.newest.getTime() - patience;
    if (isOverdue) addPosition(this.overdue, position);
  }

  /** An event that a checkpoint covers. */
  pass({ tx }: CoveredEvent, checkpoint: number): void {
    if (this.pending.length === 0 || tx === '0') return;
    this.report(this.pending, `no checkpoint covers them, and checkpoint ${checkpoint} covers later ones`);
    this.pending = [];
    this.overdue = [];
  }

  end(): void {
    if (this.overdue.length > 0) this.report(this.overdue, 'no checkpoint covers them an hour after they were stored');
  }

  private report(runs: readonly Run[], fault: string): void {
    this.watch.finding({ subject: `events with the positions ${renderRuns(runs)}`, fault });
  }
}
