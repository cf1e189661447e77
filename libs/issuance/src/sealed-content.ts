import type { UnsignedContent } from '@app/credentials';
import { notePersonalData } from '@app/audit';
import type { SealedPlace, Sealer } from '@app/keys';
import type { IssuableConfiguration } from '@app/templates';
import type { Credential } from './credential';

/** A credential that was signed elsewhere; it is issued unchanged. */
export interface SignedContent {
  readonly signed: string;
}

/** What is sealed of a credential. */
export type CredentialContent = UnsignedContent | SignedContent;

/** The DID of the holder in what a portal submitted, when the subject is the holder and is named by DID. */
export function holderDidIn(content: CredentialContent, { subject }: IssuableConfiguration): string | undefined {
  if ('signed' in content || subject === 'thing') return undefined;
  const { id } = content.claims;
  return typeof id === 'string' && id.startsWith('did:') ? id : undefined;
}

/** Seals the personal content of a credential under a separate data key, bound to the place it is stored in. */
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
