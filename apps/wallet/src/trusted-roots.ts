import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { WalletFailure } from './failure';
import { fetchInTime } from './issuance-client';

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates of all PEM files or http(s) addresses in `places`. A service in the development profile publishes
 * its root at /certificates/development-root.pem.
 */
export async function readRoots(places: readonly string[]): Promise<X509Certificate[]> {
  const roots: X509Certificate[] = [];
  for (const place of places) {
    const found = ((await textAt(place)).match(pemCertificate) ?? []).flatMap(certificate);
    if (found.length === 0) throw new WalletFailure(`There is no certificate in PEM at ${place}.`);
    roots.push(...found);
  }
  return roots;
}

async function textAt(place: string): Promise<string> {
  if (!/^https?:\/\//.test(place)) {
    return readFile(place, 'utf8').catch((error: unknown) => {
      throw new WalletFailure(
        `The wallet cannot read the root ${place} (${String((error as { code?: unknown }).code)}).`,
      );
    });
  }
  const response = await fetchInTime(place);
  if (!response.ok) throw new WalletFailure(`${place} answered ${response.status} instead of a root.`);
  return response.text();
}

function certificate(pem: string): X509Certificate[] {
  try {
    return [new X509Certificate(pem)];
  } catch {
    return [];
  }
}
