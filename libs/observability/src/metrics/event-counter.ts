/** The labels of one series, all words of the code. */
export type Labels = Readonly<Record<string, string>>;

/** What a module of the business has counted: one counter, and what each event of its streams adds to it. */
export interface EventCounter {
  /** Of the streams in the event store. */
  readonly category: string;
  /** Without the prefix that all metrics of the service have: `offers_total`. */
  readonly name: string;
  readonly help: string;
  /** Every series there can be. They exist from the start, so that `rate()` sees the first increase. */
  readonly series: readonly Labels[];
  /** The series that an event adds to; `undefined` when it counts as nothing. */
  seriesOf(eventType: string, state: unknown): Labels | undefined;
}
