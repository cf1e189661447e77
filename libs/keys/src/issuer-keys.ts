import type { Tenants } from '@app/primitives/context';
import { EncryptionKeys } from './encryption/encryption-keys';
import type { ProofKeys } from './proofs/proof-keys';
import { ProvenKeys } from './proofs/proven-keys';
import type { RootKeys } from './root/root-keys';
import { CertificateKeys } from './signing/certificate-keys';
import { KeyRing } from './signing/key-ring';
import type { SigningPolicy } from './signing/providers/provided-key';
import type { KeyStore } from './store/key-store';

/** The keys of one issuer. */
export interface KeysOfIssuer {
  readonly ring: KeyRing;
  readonly certificates: CertificateKeys;
  readonly encryption: EncryptionKeys;
}

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
  const open = async (rows: ProvenKeys): Promise<KeysOfIssuer> => {
    const ring = await KeyRing.open(rows, roots, policy);
    const certificates = await CertificateKeys.open(rows, roots, policy);
    ring.provided.include(() => certificates.providedInUse());
    return { ring, certificates, encryption: await EncryptionKeys.open(rows, roots) };
  };
  const keys = tenants.opened(await open(own), ({ mark }) => open(new ProvenKeys(store, roots, proofs, mark)));
  tenants.keepUp(() => keys.ring.refresh());
  return keys;
}
