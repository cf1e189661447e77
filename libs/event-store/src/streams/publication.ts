import type { DomainEvent, StoredEvent } from './aggregate';

/**
 * What others learn of the events of one kind of streams, in names and shapes that outlive those of the stored events:
 * no personal data, no code, no token, nothing a wallet has worded.
 */
export interface Publication<E extends DomainEvent = DomainEvent> {
  readonly category: string;
  /** The resources of the management API that the streams are: `offers`. */
  readonly resources: string;
  /** The published type of each stored one; `null`: private. */
  readonly types: Readonly<Record<E['type'], string | null>>;
  /** JSON; asked for events that are published alone. */
  data(stored: StoredEvent<E>): Readonly<Record<string, unknown>>;
  /** RFC 3339; when it happened, where that is not when it was recorded. */
  time?(event: E): string | undefined;
}
