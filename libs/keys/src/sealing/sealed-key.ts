import { SealBrokenError } from '../errors';
import { envelopeOf, openUnderRoot, sealUnderRoot } from '../root/root-envelope';
import type { RootKey } from '../root/root-key';
import type { RootKeys } from '../root/root-keys';

/** What the keys of the store are for; each purpose is sealed under its own key. */
const keyPurposes = ['signing', 'proof', 'checkpoint', 'certificate', 'encryption', 'tenant'] as const;
type KeyPurposeOfAll = (typeof keyPurposes)[number];
/** Behind a tilde the mark of the tenant whose key it is. */
export type KeyPurpose = KeyPurposeOfAll | `${KeyPurposeOfAll}~${string}`;

export function isKeyPurpose(purpose: string): purpose is KeyPurpose {
  return keyPurposes.some((known) => known === ofAll(purpose));
}

function ofAll(purpose: string): string {
  return purpose.split('~', 1)[0] ?? purpose;
}

/** The row of `key_store` a sealed key belongs to. */
export interface KeyPlace {
  readonly id: string;
  readonly purpose: KeyPurpose;
}

/** Seals a key for its row: it opens under its own id and purpose only. Returns base64url text. */
export function sealKey(root: RootKey, place: KeyPlace, key: Buffer): string {
  return sealUnderRoot(root, `${ofAll(place.purpose)}-key`, key, additionalData(place)).toString('base64url');
}

/** Throws `SealBrokenError`. */
export function openKey(roots: RootKeys, place: KeyPlace, sealed: string): Buffer {
  try {
    const envelope = envelopeOf(sealed);
    return openUnderRoot(roots.opening(envelope), `${ofAll(place.purpose)}-key`, envelope, additionalData(place));
  } catch {
    throw new SealBrokenError(`The key ${place.id}`);
  }
}

function additionalData({ id, purpose }: KeyPlace): string {
  return JSON.stringify([id, purpose]);
}
