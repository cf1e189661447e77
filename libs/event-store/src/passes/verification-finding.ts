/** Something that is not as this service has stored it. */
export interface Finding {
  /** A stream, an event, a used value or a checkpoint, by its name. */
  readonly subject: string;
  readonly fault: string;
}

/** Follows long work. */
export interface Watch {
  finding(finding: Finding): void;
  /** @param of how many there are to do altogether, roughly; `undefined` when unknown */
  progress(what: string, done: number, of: number | undefined): void;
}
