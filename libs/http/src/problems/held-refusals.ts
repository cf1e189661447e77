import { HeldMarks } from '@app/event-store';
import { allThere, type Awaitable } from '@app/primitives/awaitable';
import { kindOfRefusal, type RefusedStep, type WalletRefusal } from '@app/openid4vc';

interface Held<S> {
  readonly key: string;
  readonly stream: S;
  readonly refusal: RefusedStep;
  readonly firstAt: Date;
  lastAt: Date;
  count: number;
  isBeingWritten: boolean;
}

/** Milliseconds for which further refusals of a kind are counted together, after the first was recorded. */
const pause = 60_000;
const mostRemembered = 10_000;
/** By these a wallet learns what it has to send. One is no fault; a wallet that gets them again and again does not listen. */
const invitations: ReadonlySet<string> = new Set(['use_dpop_nonce', 'use_attestation_challenge']);

/**
 * The refusals of wallets until they are recorded. Equal ones are counted together: the first is written after a second,
 * further ones after a minute, or before someone is shown the stream. No wallet waits for it, and when too many are held it is
 * not recorded.
 */
export class HeldRefusals<S> extends HeldMarks<Held<S>> {
  /** Keys of what was recorded lately. */
  private readonly recorded = new Set<string>();

  /** @param record appends the refusal to the stream it concerns, unless that has enough of its kind */
  constructor(private readonly record: (stream: S, refusal: WalletRefusal) => Awaitable<unknown>) {
    super((held) => this.recordOnce(held));
  }

  /** @param name of the stream */
  add(name: string, stream: S, refusal: RefusedStep, at: Date): void {
    const key = `${prefixOf(name)}${kindOfRefusal(refusal)}`;
    const held = this.of(key);
    if (held && !held.isBeingWritten) {
      held.count++;
      held.lastAt = at;
      return;
    }
    const one = { key, stream, refusal, firstAt: at, lastAt: at, count: 1, isBeingWritten: false };
    this.holdIfRoom(key, one, this.recorded.has(key) ? pause : undefined);
  }

  /** Records what is held of a stream, before it is shown or something is decided by its version. */
  settleStream(name: string): Awaitable<unknown> {
    const keys = this.keys.filter((key) => key.startsWith(prefixOf(name)));
    return allThere(keys.map((key) => this.settleOne(key)));
  }

  private async recordOnce(held: Held<S>): Promise<void> {
    const { key, stream, refusal, count, firstAt, lastAt } = held;
    held.isBeingWritten = true;
    if (count === 1 && invitations.has(refusal.error)) {
      this.remember(key);
      return;
    }
    try {
      const times = { firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
      await this.record(stream, { ...refusal, count, ...times });
      this.remember(key);
    } catch (error) {
      held.isBeingWritten = false;
      throw error;
    }
  }

  private remember(key: string): void {
    if (this.recorded.size >= mostRemembered) this.recorded.clear();
    this.recorded.add(key);
  }
}

/** Portals choose ids of streams, and may use spaces. */
function prefixOf(name: string): string {
  return `${encodeURIComponent(name)} `;
}
