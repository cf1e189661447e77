import { canonicalJson } from '@app/primitives/json';

/** Proves content. Write access to the database is not enough to forge a proof; it takes the key. */
export interface Prover {
  /** The generation of the key (1 byte) and HMAC-SHA-256 (32 bytes). */
  prove(content: Buffer): Buffer;
  /** Whether a key of this service, of whatever generation, made the proof for this content. */
  check(content: Buffer, proof: Buffer): boolean;
}

/** A proof of one purpose is none for another. */
export interface Provers {
  for(purpose: string): Prover;
}

/** Injection token of the one `Provers`; without it nothing that is written is proven. */
export const PROVERS = Symbol('PROVERS');

/** What of an event its proof covers, besides the proof of the event before it. */
export interface ProvenEvent {
  readonly streamId: string;
  readonly version: number;
  readonly type: string;
  /** Canonical JSON. */
  readonly data: string;
  readonly metadata: string;
  /** UTC, in microseconds: `2026-01-01T00:00:00.000000Z`. */
  readonly recordedAt: string;
}

/** What of a used value its proof covers. */
interface ProvenValue {
  readonly kind: string;
  /** hex */
  readonly hash: string;
  readonly streamId: string | null;
  readonly expiresAt: string | null;
  readonly note: string | null;
}

/** The proofs of stored rows. Those of a stream's events make a chain: each covers the one before it. */
export class Proofs {
  private readonly events: Prover;
  private readonly usedValues: Prover;

  constructor(provers: Provers) {
    this.events = provers.for('events');
    this.usedValues = provers.for('used-values');
  }

  /** @param previous proof of the last event before it that has one */
  ofEvent(event: ProvenEvent, previous: Buffer | undefined): Buffer {
    return this.events.prove(contentOf(event, previous));
  }

  isOfEvent(proof: Buffer, event: ProvenEvent, previous: Buffer | undefined): boolean {
    return this.events.check(contentOf(event, previous), proof);
  }

  ofUsedValue(value: ProvenValue): Buffer {
    return this.usedValues.prove(contentOfValue(value));
  }

  isOfUsedValue(proof: Buffer, value: ProvenValue): boolean {
    return this.usedValues.check(contentOfValue(value), proof);
  }
}

function contentOf(event: ProvenEvent, previous: Buffer | undefined): Buffer {
  const { streamId, version, type, data, metadata, recordedAt } = event;
  const head = JSON.stringify([previous?.toString('base64url') ?? null, streamId, version, type, recordedAt]);
  return Buffer.from(`[${head},${data},${metadata}]`);
}

function contentOfValue({ kind, hash, streamId, expiresAt, note }: ProvenValue): Buffer {
  // The database renders microseconds, a Date has milliseconds.
  const expiry = expiresAt?.replace(/\.(\d{3})Z$/, '.$1000Z') ?? null;
  return Buffer.from(canonicalJson([kind, hash, streamId, expiry, note]));
}
