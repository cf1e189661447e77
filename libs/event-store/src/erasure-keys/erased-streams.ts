import { createHash } from 'node:crypto';

/** A stream whose personal data was erased. */
export interface ErasedStream {
  readonly streamId: string;
  /** When the erasure was recorded; text that PostgreSQL reads as a timestamptz. */
  readonly erasedAt: string;
}

/** What is kept of the name of an erased stream: hex. */
export function hashOfStream(streamId: string): string {
  return createHash('sha256').update(streamId).digest('hex');
}
