import { notePersonalData } from '@app/audit';
import type { SealedPlace, Sealer } from '@app/keys';
import type { CredentialContent } from './build-credential';
import type { Credential } from './credential';

/** Seals the personal content of a credential under a data key of its own, bound to the place it is stored in. */
export function sealContent(sealer: Sealer, credentialId: string, content: CredentialContent) {
  return sealer.sealJson(content, placeOf(credentialId));
}

/** Throws `SealBrokenError` when the stored text was tampered with. */
export function openContent(
  sealer: Sealer,
  credential: Pick<Credential, 'credentialId' | 'sealedContent'>,
  wrappedKey: Buffer,
): CredentialContent {
  notePersonalData();
  const { credentialId, sealedContent } = credential;
  // Only sealContent seals under this place.
  return sealer.openJson(sealedContent, wrappedKey, placeOf(credentialId)) as CredentialContent;
}

function placeOf(credentialId: string): SealedPlace {
  return { streamId: `credential-${credentialId}`, event: 'CredentialPrepared' };
}
