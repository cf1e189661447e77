import { decodeBase64Url } from '@app/credentials';
import { openBytes, sealBytes } from './envelope';
import { SealBrokenError } from './errors';
import type { RootKey } from './root-key';

/** What the keys of the store are for; each purpose is sealed under a key of its own. */
const keyPurposes = ['signing', 'proof', 'checkpoint'] as const;
export type KeyPurpose = (typeof keyPurposes)[number];

export function isKeyPurpose(purpose: string): purpose is KeyPurpose {
  return keyPurposes.some((known) => known === purpose);
}

/** The row of `key_store` a sealed key belongs to. */
export interface KeyPlace {
  readonly id: string;
  readonly purpose: KeyPurpose;
}

/** Seals a key for its row: it opens under its own id and purpose only. Returns base64url text. */
export function sealKey(root: RootKey, place: KeyPlace, key: Buffer): string {
  return sealBytes(sealingKey(root, place), key, additionalData(place)).toString('base64url');
}

/** Throws `SealBrokenError`. */
export function openKey(root: RootKey, place: KeyPlace, sealed: string): Buffer {
  const envelope = decodeBase64Url(sealed);
  if (!envelope) throw new SealBrokenError(`The key ${place.id}`);
  try {
    return openBytes(sealingKey(root, place), envelope, additionalData(place));
  } catch {
    throw new SealBrokenError(`The key ${place.id}`);
  }
}

/** The number of the key within its purpose and algorithm, counted from one. */
export function generationOf({ id }: { readonly id: string }): number {
  return Number(id.split(':').at(-1));
}

function sealingKey(root: RootKey, { purpose }: KeyPlace): ReturnType<RootKey['derive']> {
  return root.derive(`${purpose}-key`);
}

function additionalData({ id, purpose }: KeyPlace): string {
  return JSON.stringify([id, purpose]);
}
