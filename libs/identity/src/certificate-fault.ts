/**
 * Why certificates of this service, or those that it trusts, cannot be used. `found` and `remedy` hold no secrets: they name at most a
 * member and a value of a YAML file, never what else a file of certificates holds, which may be a key.
 */
export class CertificateFault extends Error {
  override readonly name = 'CertificateFault';

  constructor(
    readonly found: string,
    readonly remedy: string,
    /** Where it is, when not in the source itself: the name of the file beside it. */
    readonly file?: string,
  ) {
    super(`${found}; ${remedy}`);
  }
}

export function demandOfCertificate(condition: boolean, found: string, remedy: string): asserts condition {
  if (!condition) throw new CertificateFault(found, remedy);
}

/** A fault and where it is: the name of a file, or the URL of a list. */
export interface SourceFault {
  readonly source: string;
  readonly found: string;
  readonly remedy: string;
}
