import { refusalReason, verifyCertificatePath } from '@app/credentials';
import { CertificateFault, type OwnCertificates, type TrustAnchor } from '@app/identity';
import { verifyCertifiedJws } from '@app/primitives/jose';
import { readCertificate, type RegistrationCertificate } from './registration-certificate';

/** The identifiers in the access certificates of this service, by what these sign; absent where there is none. */
export interface OwnIdentifiers {
  readonly requests?: string | undefined;
  readonly metadata?: string | undefined;
}

export function identifiersOf(own: Pick<OwnCertificates, 'party'>, now: Date): OwnIdentifiers {
  return { requests: own.party('requests', now), metadata: own.party('metadata', now) };
}

/** A certificate of a registrar that this service trusts. */
export interface VerifiedRegistration extends RegistrationCertificate {
  /** What vouches for the registrar. */
  readonly anchor: TrustAnchor;
}

/** @param registrars the authorities of those who may sign it. Throws `CertificateFault`; times and party are other questions */
export function verifiedCertificate(
  given: string,
  registrars: readonly TrustAnchor[],
  now: Date,
): VerifiedRegistration {
  const { certificate, jws } = readCertificate(given);
  try {
    const { leaf, anchor } = verifyCertificatePath(jws.header['x5c'] ?? null, registrars, now);
    verifyCertifiedJws(jws, leaf.x509.publicKey);
    return { ...certificate, anchor };
  } catch (error) {
    const reason = refusalReason(error);
    if (reason === undefined) throw error;
    const remedy =
      registrars.length === 0
        ? 'give the certificate authority of the registrar as a trust anchor with the purpose registrar'
        : 'compare it with what the registrar handed out, and its authority with the trust anchors with the purpose registrar';
    throw new CertificateFault(reason, remedy);
  }
}

/** Whether it lists credentials to ask for. */
export function isOfVerifier({ credentials }: RegistrationCertificate): boolean {
  return credentials.length > 0;
}

export function isOfIssuer({ attestations, entitlements }: RegistrationCertificate): boolean {
  return attestations.length > 0 || entitlements.some((uri) => /(PID|EAA)_Provider$/.test(uri));
}

/** Why it is not about the party that the access certificates name. What cannot be compared is a fault. */
export function faultOfParty(
  certificate: RegistrationCertificate,
  { requests, metadata }: OwnIdentifiers,
): CertificateFault | undefined {
  const party = certificate.intermediary ?? certificate.subject;
  const uses = [
    ...(isOfVerifier(certificate) || !isOfIssuer(certificate) ? [{ use: 'requests', identifier: requests }] : []),
    ...(isOfIssuer(certificate) ? [{ use: 'metadata', identifier: metadata }] : []),
  ];
  const other = uses.find(({ identifier }) => identifier !== party);
  if (!other) return undefined;
  if (other.identifier === undefined) {
    return new CertificateFault(
      `no access certificate for ${other.use} that names a party`,
      'install the access certificate with the organizationIdentifier that is registered',
    );
  }
  return new CertificateFault(
    `another party, ${party.slice(0, 80)}, than the access certificate for ${other.use}`,
    `use certificates of one party: the access certificate has ${other.identifier.slice(0, 80)}`,
  );
}
