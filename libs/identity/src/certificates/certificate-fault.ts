/** Why a certificate cannot be requested or installed. `found` and `remedy` hold no secrets. */
export class CertificateFault extends Error {
  override readonly name = 'CertificateFault';

  constructor(
    readonly found: string,
    readonly remedy: string,
  ) {
    super(`${found}; ${remedy}`);
  }
}

export function demandOfCertificate(condition: boolean, found: string, remedy: string): asserts condition {
  if (!condition) throw new CertificateFault(found, remedy);
}
