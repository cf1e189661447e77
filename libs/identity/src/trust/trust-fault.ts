/**
 * Why a source of anchors cannot be read. `found` names at most a member and a value of a YAML file, never what a file of
 * certificates holds: it may be a key.
 */
export class TrustFault extends Error {
  override readonly name = 'TrustFault';

  constructor(
    readonly found: string,
    readonly remedy: string,
    /** Where it is, when not in the source itself: the name of the file beside it. */
    readonly file?: string,
  ) {
    super(`${found}; ${remedy}`);
  }
}

/** A fault and where it is: the name of a file, or the URL of a list. */
export interface SourceFault {
  readonly source: string;
  readonly found: string;
  readonly remedy: string;
}
