import { parsePublicJwk, type PublicJwk } from '@app/primitives/jose';
import type { X509Certificate } from 'node:crypto';

/** Whether `above` has issued the certificate. `checkIssued` compares names, key identifiers and key usage; the signature is another question. */
export function isIssuedBy(certificate: X509Certificate, above: X509Certificate): boolean {
  try {
    return certificate.checkIssued(above) && certificate.verify(above.publicKey);
  } catch {
    return false; // a key of a kind that OpenSSL does not know
  }
}

/** The key of a certificate; `undefined` for other keys than P-256, P-384 and Ed25519: Node has an error of its own for each kind. */
export function publicJwkOf({ publicKey }: X509Certificate): PublicJwk | undefined {
  try {
    return parsePublicJwk(publicKey.export({ format: 'jwk' }));
  } catch {
    return undefined;
  }
}

/** The subject on one line, such as `CN=PID root, O=Example`; '' for an empty name, which Node leaves out against its types. */
export function subjectOf({ subject = '' }: { readonly subject?: string }): string {
  return subject.split('\n').reverse().join(', ');
}

/** Where the holder of a certificate is. */
export interface CertifiedPlace {
  /** C */
  readonly country?: string;
  /** ST */
  readonly stateOrProvince?: string;
}

/** @param name a subject or issuer as Node gives it */
export function placeOf(name: string): CertifiedPlace {
  const [country, stateOrProvince] = [attributeOf(name, 'C'), attributeOf(name, 'ST')];
  return { ...(country !== undefined && { country }), ...(stateOrProvince !== undefined && { stateOrProvince }) };
}

/** An attribute of a name as Node gives it; undefined when it has none, or several. @param type such as `C` */
export function attributeOf(name: string | undefined, type: string): string | undefined {
  const values = (name ?? '').split('\n').filter((line) => line.startsWith(`${type}=`));
  if (values.length !== 1) return undefined;
  // OpenSSL escapes as RFC 2253 has it; a line feed is escaped as well, so that a value makes no line of its own.
  return values[0]?.slice(type.length + 1).replace(/\\([0-9A-F]{2}|.)/g, (_, escaped: string) => {
    return escaped.length === 2 ? String.fromCharCode(Number.parseInt(escaped, 16)) : escaped;
  });
}

/**
 * The identifier under which a party is registered (ETSI EN 319 412-1), such as `VATDE-123456789`: the organizationIdentifier of
 * a legal person, the serialNumber of a natural one; undefined when the subject has none, or several.
 */
export function partyIdentifier({ subject }: { readonly subject?: string }): string | undefined {
  return attributeOf(subject, 'organizationIdentifier') ?? attributeOf(subject, 'serialNumber');
}
