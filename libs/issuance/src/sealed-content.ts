import type { UnsignedContent } from '@app/credentials';
import { notePersonalData } from '@app/audit';
import type { Loaded, Repository } from '@app/event-store';
import type { SealedPlace, Sealer } from '@app/keys';
import type { IssuableConfiguration } from '@app/templates';
import type { CredentialEvent, CredentialTerms, Credential, SubmittedCredential } from './credential';

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

/** The same under the data key that a credential has since its wallet asked for it; `undefined` when that was erased. */
export function sealContentUnder(sealer: Sealer, credentialId: string, content: CredentialContent, wrappedKey: Buffer) {
  return sealer.sealJsonUnder(content, wrappedKey, placeOf(credentialId));
}

/** `undefined` when the content was erased. Throws `SealBrokenError` when the stored text was tampered with. */
export async function openContent(
  sealer: Sealer,
  { credentialId, sealedContent }: Pick<CredentialTerms, 'credentialId' | 'sealedContent'>,
  wrappedKey: Buffer,
): Promise<CredentialContent | undefined> {
  notePersonalData();
  // Only sealContent seals under this place.
  const content = await sealer.openJson(sealedContent, wrappedKey, placeOf(credentialId));
  return content as CredentialContent | undefined;
}

/** What was submitted of a credential; `undefined` before that, and when it was erased. Throws `SealBrokenError`. */
export async function contentOf(
  sealer: Sealer,
  credentials: Pick<Repository<Credential, CredentialEvent>, 'events'>,
  { state, dataKey }: Pick<Loaded<Credential>, 'state' | 'dataKey'>,
): Promise<CredentialContent | undefined> {
  if (!state || !dataKey || !('expiresAt' in state)) return undefined;
  return openContent(sealer, await sealedContentOf(credentials, state), dataKey);
}

/** The sealed content of a credential; one that was issued before costs a read of its events. */
async function sealedContentOf(
  credentials: Pick<Repository<Credential, CredentialEvent>, 'events'>,
  credential: SubmittedCredential,
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
