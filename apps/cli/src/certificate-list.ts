import { type CertificateInUse, certificateUses, isValidAt, warnedBefore } from '@app/identity';
import { subjectOf } from '@app/credentials';
import type { CertificateKey, KeyRing } from '@app/keys';
import { wholeSeconds } from '@app/primitives/time';
import { X509Certificate } from 'node:crypto';
import { withTables } from './database';
import { openOwnCertificates } from './own-certificates';
import { table } from './table';

/** One line for each certificate, those in use first; on stderr a warning for each that ends soon. */
export function listCertificates(): Promise<void> {
  return withTables(async (driver, settings) => {
    const now = new Date();
    const { own, keys, ring } = await openOwnCertificates(driver, settings);
    const inUse = own.inUse(now);
    const others = keys.all().filter((key) => isListed(key, inUse, ring));
    const rows = [...inUse.map((signer) => rowOf(signer, now)), ...others.map(otherRow)];
    process.stdout.write(table(['USE', 'STATE', 'EXPIRES', 'KID', 'SUBJECT'], rows));
    for (const signer of inUse) process.stderr.write(warningOf(signer, now));
  });
}

function rowOf(signer: CertificateInUse, now: Date): string[] {
  const { use, keyId, notAfter, subject } = signer;
  return [use, isValidAt(now)(signer) ? 'active' : 'expired', wholeSeconds(notAfter), keyId, subject];
}

/** What was made for a certificate and is not in use; a key that signs credentials now is listed with "keys list". */
function isListed({ kid, kind }: CertificateKey, inUse: readonly CertificateInUse[], ring: KeyRing): boolean {
  const isOfUse = certificateUses.some((use) => use === kind);
  return isOfUse && !inUse.some(({ keyId }) => keyId === kid) && !ring.knows(kid);
}

function otherRow({ kind, status, kid, chain }: CertificateKey): string[] {
  const leaf = chain === undefined ? undefined : new X509Certificate(chain);
  const state = status === 'revoked' ? 'revoked' : leaf ? 'replaced' : 'requested';
  const expires = leaf ? wholeSeconds(new Date(leaf.validTo)) : '-';
  return [kind, state, expires, kid, leaf ? subjectOf(leaf) : ''];
}

function warningOf(signer: CertificateInUse, now: Date): string {
  const { use, notAfter, isDevelopment } = signer;
  if (isDevelopment || now < warnedBefore(signer)) return '';
  const verb = now < notAfter ? 'ends' : 'ended';
  return `The certificate for ${use} ${verb} ${wholeSeconds(notAfter)}: run "sealwright certificates request --use ${use}".\n`;
}
