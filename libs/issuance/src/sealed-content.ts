import type { UnsignedContent } from '@app/credentials';
import { notePersonalData } from '@app/audit';
import type { Repository } from '@app/event-store';
import type { SealedPlace, Sealer } from '@app/keys';
import type { IssuableConfiguration } from '@app/templates';
import type { Credential, CredentialEvent, CredentialTerms } from './credential';

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
  { credentialId, sealedContent }: Pick<CredentialTerms, 'credentialId' | 'sealedContent'>,
  wrappedKey: Buffer,
): CredentialContent {
  notePersonalData();
  // Only sealContent seals under this place.
  return sealer.openJson(sealedContent, wrappedKey, placeOf(credentialId)) as CredentialContent;
}

/** The sealed content of a credential; one that was issued before costs a read of its events. */
export async function sealedContentOf(
  credentials: Pick<Repository<Credential, CredentialEvent>, 'events'>,
  credential: Credential,
): Promise<Pick<CredentialTerms, 'credentialId' | 'sealedContent'>> {
  if (credential.status === 'Prepared') return credential;
  for (const { event } of await credentials.events(credential.credentialId)) {
    if (event.type === 'CredentialPrepared') return event;
  }
  throw new Error('a credential without its preparation');
}

function placeOf(credentialId: string): SealedPlace {
  return { streamId: `credential-${credentialId}`, event: 'CredentialPrepared' };
}
