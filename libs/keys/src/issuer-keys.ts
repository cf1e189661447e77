import { inTenant, type Tenant, type Tenants } from '@app/primitives/context';
import { Logger } from '@nestjs/common';
import { EncryptionKeys } from './encryption/encryption-keys';
import type { ProofKeys } from './proofs/proof-keys';
import { ProvenKeys } from './proofs/proven-keys';
import type { RootKeys } from './root/root-keys';
import { CertificateKeys } from './signing/certificate-keys';
import { KeyRing } from './signing/key-ring';
import type { Observers } from './signing/observed-key';
import type { SigningPolicy } from './signing/providers/provided-key';
import type { KeyStore } from './store/key-store';

/** The keys of one issuer. */
export interface KeysOfIssuer {
  readonly ring: KeyRing;
  readonly certificates: CertificateKeys;
  readonly encryption: EncryptionKeys;
}

/** Milliseconds between two looks whether keys of a tenant at providers sign. */
const probeEvery = 10_000;

/** Injection token of the `KeysOfIssuer` of the issuer at hand. */
export const ISSUER_KEYS = Symbol('ISSUER_KEYS');

/** Opens the keys of the issuer of the settings, and of each tenant before it is worked for, and makes what is missing. */
export async function issuerKeys(
  own: ProvenKeys,
  store: KeyStore,
  roots: RootKeys,
  proofs: ProofKeys,
  policy: SigningPolicy,
  tenants: Tenants,
): Promise<KeysOfIssuer> {
  const ofRing: Observers = {};
  const ofCertificates: Observers = {};
  const open = async (rows: ProvenKeys): Promise<KeysOfIssuer> => {
    const ring = await KeyRing.open(rows, roots, policy, ofRing);
    const certificates = await CertificateKeys.open(rows, roots, policy, ofCertificates);
    ring.provided.include(() => certificates.providedInUse());
    return { ring, certificates, encryption: await EncryptionKeys.open(rows, roots) };
  };
  const keys = tenants.opened(await open(own), ({ mark }) => open(new ProvenKeys(store, roots, proofs, mark)));
  const seen = new WeakMap<Tenant, string>();
  const probed = new WeakMap<Tenant, number>();
  /** One tenant at a time: a signer has as many calls however many tenants there are. */
  const probe = (tenants: readonly Tenant[]): void => {
    const now = performance.now();
    const at = (tenant: Tenant): number => probed.get(tenant) ?? -Infinity;
    const [first] = tenants.filter((one) => now - at(one) >= probeEvery).sort((one, other) => at(one) - at(other));
    if (!first) return;
    probed.set(first, now);
    void inTenant(first, () => keys.ring.provided.look());
  };
  tenants.keepUp(async (asked) => {
    const states = await store.statesOf(asked.map(({ mark }) => mark));
    const read: Tenant[] = [];
    for (const tenant of asked) {
      const state = states.get(tenant.mark) ?? '';
      const isSeen = seen.get(tenant) === state;
      if (!(await inTenant(tenant, () => keptUp(keys, isSeen)))) continue;
      seen.set(tenant, state);
      read.push(tenant);
    }
    if (policy.providers.size > 0) probe(read);
    return read;
  });
  return keys;
}

const logger = new Logger('TenantKeys');

/** Keys that cannot be read are no failure of other tenants. @returns whether they were read */
async function keptUp({ ring, encryption }: KeysOfIssuer, isSeen: boolean): Promise<boolean> {
  try {
    if (!isSeen) await ring.refresh();
    const now = new Date();
    if (encryption.hasWork(now)) await encryption.keepUp(now);
    return true;
  } catch (error) {
    logger.warn({ event: 'keys.refresh-failed', reason: error instanceof Error ? error.name : 'unknown' });
    return false;
  }
}
