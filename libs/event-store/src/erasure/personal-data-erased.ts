/**
 * What has an erasure done: a caller of the management API, the retention that was set, or the repetition of an earlier erasure in a
 * database that was restored from a backup.
 */
export type ErasureCause = 'request' | 'retention' | 'replay';

/**
 * The last of the personal data in a stream: the unit of work that stores this event destroys the stream's data key, and
 * other replicas forget the stream.
 */
export interface PersonalDataErased {
  readonly type: 'PersonalDataErased';
  readonly erasedAt: string;
  readonly cause: ErasureCause;
}

export const erasureEvent: PersonalDataErased['type'] = 'PersonalDataErased';

/** A state of a stream that has personal data. */
export interface Erasable {
  /** Since then nothing that was sealed can be opened. */
  readonly erasedAt?: string;
  /** In the form of `Date.toISOString`; when `DueErasures` erases it. Absent = never by itself. */
  readonly eraseAt?: string;
}

/** Once is enough. */
export function erasePersonalData({ erasedAt }: Erasable, cause: ErasureCause, now: Date): PersonalDataErased[] {
  return erasedAt === undefined ? [{ type: 'PersonalDataErased', erasedAt: now.toISOString(), cause }] : [];
}
