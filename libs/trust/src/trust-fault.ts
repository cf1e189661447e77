/** Why a source of anchors cannot be read. `found` and `remedy` hold no content of the source. */
export class TrustFault extends Error {
  override readonly name = 'TrustFault';

  constructor(
    readonly found: string,
    readonly remedy: string,
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
