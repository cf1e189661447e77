import { decodeBase64Url } from '@app/primitives/jose';
import { openBytes, sealBytes, UNDER_LATER_ROOT } from './envelope';
import { SealBrokenError } from '../errors';
import type { RootKey } from './root-key';

/** The first byte, and the generation of the root key. */
const HEADER = 2;

/**
 * Seals bytes under a key that a root key gives for the purpose. Under the first root key that is an envelope as
 * `sealBytes` makes it; under later ones the generation stands before it and is authenticated.
 */
export function sealUnderRoot(root: RootKey, purpose: string, plaintext: Buffer, additionalData: string): Buffer {
  const { generation } = root;
  if (generation === 1) return sealBytes(root.derive(purpose), plaintext, additionalData);
  const envelope = sealBytes(root.derive(purpose), plaintext, authenticated(generation, additionalData));
  return Buffer.concat([Buffer.of(UNDER_LATER_ROOT, generation), envelope]);
}

/** The generation of the root key that something was sealed under. */
export function rootGenerationOf(sealed: Buffer): number {
  return sealed[0] === UNDER_LATER_ROOT ? (sealed[1] ?? 0) : 1;
}

/** @param root of the generation that `rootGenerationOf` returns. Throws `SealBrokenError`. */
export function openUnderRoot(root: RootKey, purpose: string, sealed: Buffer, additionalData: string): Buffer {
  const { generation } = root;
  if (rootGenerationOf(sealed) !== generation) throw new SealBrokenError();
  if (generation === 1) return openBytes(root.derive(purpose), sealed, additionalData);
  return openBytes(root.derive(purpose), sealed.subarray(HEADER), authenticated(generation, additionalData));
}

function authenticated(generation: number, additionalData: string): string {
  return `${generation}/${additionalData}`;
}

/** Throws `SealBrokenError` for what is not base64url. */
export function envelopeOf(sealed: string): Buffer {
  const envelope = decodeBase64Url(sealed);
  if (!envelope) throw new SealBrokenError();
  return envelope;
}
