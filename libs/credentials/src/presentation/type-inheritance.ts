import type { JsonValue } from '@app/primitives/json';

/** A type, and what whoever refers to it states of its metadata. */
export interface TypeReference {
  readonly type: string;
  /** The hash that goes with the reference, as it came; absent: none is stated. */
  readonly integrity?: JsonValue | undefined;
}

/** What types extend, as their publishers say. Whether a publisher may say so is for the caller to judge: anyone can extend any type. */
export interface TypeInheritance {
  /**
   * The types from which a type inherits, the nearest first; each is looked up when it is asked for. Throws `Refusal`, whose
   * message goes on after a comma, or `FetchPostponed`.
   */
  extendedBy(type: TypeReference, now: Date): AsyncIterable<string>;
}
