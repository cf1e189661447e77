import { type CheckpointReader, type CoveredEvent, parseCheckpoint } from '../proofs/checkpoint';
import type { Finding } from '../passes/verification-finding';
import type { RangeWorker, Reached } from '../passes/stream-ranges';

/** Where a verification goes on. */
export interface Continued extends Reached {
  /** The last checkpoint when the run that came so far began, as it was signed; `null` when there was none. */
  readonly checkpoint?: string | null;
}

/** As many as are read by one statement. */
const atOnce = 200;

/**
 * Streams with events that were not covered by a checkpoint when a run began that was interrupted. Nothing shows whether they
 * were there as it checked those streams.
 */
export class StreamsSince {
  private readonly ids = new Set<string>();
  private readonly covered: number;

  constructor(
    private readonly from: Continued,
    keys: CheckpointReader,
  ) {
    const { checkpoint } = from;
    this.covered = (checkpoint && parseCheckpoint(keys.read(checkpoint.trim()))?.content.number) || 0;
  }

  /** @param checkpoint the number of the one that covers the event now */
  pass({ stream_id }: CoveredEvent, checkpoint: number | undefined): void {
    if (checkpoint === undefined || checkpoint > this.covered) this.ids.add(stream_id);
  }

  /** Checks those again that the run before has checked. @returns what it has not found */
  async check(worker: RangeWorker): Promise<{ readonly differing: string[]; readonly findings: Finding[] }> {
    const { after: upto, ...before } = this.from;
    const known = new Set(before.findings.map(({ subject, fault }) => JSON.stringify([subject, fault])));
    const ids = [...this.ids];
    const differing: string[] = [];
    const findings: Finding[] = [];
    for (let start = 0; start < ids.length; start += atOnce) {
      const found = await worker({ after: '', upto, only: ids.slice(start, start + atOnce) });
      differing.push(...found.differing.filter((id) => !before.differing.includes(id)));
      findings.push(...found.findings.filter(({ subject, fault }) => !known.has(JSON.stringify([subject, fault]))));
    }
    return { differing, findings };
  }
}
