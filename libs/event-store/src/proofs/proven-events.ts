import { canonicalJson } from '@app/primitives/json';
import { Proofs, type Provers } from './proofs';
import type { UsedValue } from '../streams/stored-event';
import type { RecordedEvent, StoredStream } from '../passes/stream-pages';

/** An event, and whether its proof holds; `undefined` when nothing can be checked. */
export interface CheckedEvent {
  readonly streamId: string;
  readonly row: RecordedEvent;
  readonly holds: boolean | undefined;
}

/** Checks the chain of one stream: each proof covers its event, its time and the proof before it. */
export function checkEventChain(
  { stream_id: streamId, events }: Pick<StoredStream, 'stream_id' | 'events'>,
  proofs: Proofs | undefined,
): CheckedEvent[] {
  let previous: Buffer | undefined;
  return events.map((row) => {
    if (row.proof === null) return { streamId, row, holds: proofs && false };
    const proof = Buffer.from(row.proof, 'hex');
    const before = previous;
    previous = proof;
    return { streamId, row, holds: proofs && isProven(proofs, proof, { streamId, row, before }) };
  });
}

/** The events of which nothing says that they were tampered with. */
export function provenEvents(streams: readonly StoredStream[], proofs: Proofs | undefined): CheckedEvent[] {
  return streams.flatMap((stream) => checkEventChain(stream, proofs).filter(({ holds }) => holds !== false));
}

/** An event that was read without its stream, with the proof of the last event before it in the stream that has one. */
export interface SingleEvent extends Omit<RecordedEvent, 'proof'> {
  readonly stream_id: string;
  readonly proof: Buffer | null;
  readonly before: Buffer | null;
}

/** Whether this service has written the event as it is; an event without a proof is not known to be so. */
export function isWrittenByService(provers: Provers, { proof, ...event }: SingleEvent): boolean {
  const row = { ...event, proof: proof?.toString('hex') ?? null };
  const place = { streamId: event.stream_id, row, before: event.before ?? undefined };
  return proof !== null && isProven(new Proofs(provers), proof, place);
}

/** The used values that an event names; none for what was written otherwise. */
export function usedBy({ metadata }: RecordedEvent): readonly UsedValue[] {
  const used: unknown = (metadata as { used?: unknown } | null)?.used;
  return Array.isArray(used) ? used.filter(isUsedValue) : [];
}

function isProven(
  proofs: Proofs,
  proof: Buffer,
  { streamId, row, before }: { streamId: string; row: RecordedEvent; before: Buffer | undefined },
): boolean {
  try {
    const { version, type, instant: recordedAt } = row;
    const [data, metadata] = [canonicalJson(row.data), canonicalJson(row.metadata)];
    return proofs.isOfEvent(proof, { streamId, version, type, data, metadata, recordedAt }, before);
  } catch {
    // Nested deeper than the stack.
    return false;
  }
}

function isUsedValue(value: unknown): value is UsedValue {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, hash, expiresAt, bound } = value as Partial<Record<keyof UsedValue, unknown>>;
  return (
    typeof kind === 'string' &&
    typeof hash === 'string' &&
    (expiresAt === undefined || (typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt)))) &&
    (bound === undefined || bound === true)
  );
}
