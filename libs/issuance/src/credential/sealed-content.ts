import { type IssuedCredential, keyInDid, readIssuedCredential, type UnsignedContent } from '@app/credentials';
import { notePersonalData } from '@app/access';
import type { Loaded, Repository } from '@app/event-store';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { parsePublicJwk, PublicJwkError, thumbprint } from '@app/primitives/jose';
import { isJsonObject, type JsonValue } from '@app/primitives/json';
import type { SealedPlace, Sealer } from '@app/keys';
import type { IssuableConfiguration } from '@app/templates';
import type { CredentialEvent, CredentialTerms, Credential, SubmittedCredential } from './credential';
import type { NamedHolder } from './named-holder';

/** A credential that was signed elsewhere; it is issued unchanged. */
export interface SignedContent {
  readonly signed: string;
}

/** What is sealed of a credential. */
export type CredentialContent = (UnsignedContent | SignedContent) & {
  /** The portal's own, such as a file number; never in the credential. */
  readonly reference?: string;
};

/** The holder in what a portal submitted; `undefined` when it names none that a wallet has to prove. */
export function namedHolderIn(
  content: CredentialContent,
  { subject }: Pick<IssuableConfiguration, 'subject'>,
): NamedHolder | undefined {
  if (!('signed' in content)) return subject === 'thing' ? undefined : ofDid(content.claims['id']);
  const credential = readIssuedCredential(content.signed);
  if ('fault' in credential) return undefined;
  const named = boundTo(credential) ?? (subject === 'thing' ? undefined : ofDid(credential.subject));
  return named && { ...named, isOneCopy: true };
}

/** RFC 7800 §3. */
function boundTo({ jws }: IssuedCredential): NamedHolder | undefined {
  const { cnf } = jws.payload;
  if (!isJsonObject(cnf)) return undefined;
  if (cnf['jwk'] !== undefined) return ofKey(cnf['jwk']);
  const { kid } = cnf;
  return typeof kid === 'string' ? ofDid(kid.replace(/#.*$/s, '')) : undefined;
}

function ofKey(jwk: JsonValue): NamedHolder {
  try {
    return { thumbprint: thumbprint(parsePublicJwk(jwk)) };
  } catch (error) {
    // A key of which the service accepts no proof.
    if (error instanceof PublicJwkError) return {};
    throw error;
  }
}

function ofDid(id: JsonValue | undefined): NamedHolder | undefined {
  if (typeof id !== 'string' || !/^did:/i.test(id)) return undefined;
  const key = keyInDid(id);
  return { did: id, ...(key && { thumbprint: thumbprint(key) }) };
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
export function openContent(
  sealer: Sealer,
  { credentialId, sealedContent }: Pick<CredentialTerms, 'credentialId' | 'sealedContent'>,
  wrappedKey: Buffer,
): Awaitable<CredentialContent | undefined> {
  notePersonalData();
  // Only sealContent seals under this place.
  return sealer.openJson(sealedContent, wrappedKey, placeOf(credentialId)) as Awaitable<CredentialContent | undefined>;
}

/** What was submitted of a credential; `undefined` before that, and when it was erased. Throws `SealBrokenError`. */
export function submittedContent(
  sealer: Sealer,
  credentials: Pick<Repository<Credential, CredentialEvent>, 'events'>,
  { state, dataKey }: Pick<Loaded<Credential>, 'state' | 'dataKey'>,
): Awaitable<CredentialContent | undefined> {
  if (!state || !dataKey || !('expiresAt' in state)) return undefined;
  return whenThere(sealedContentOf(credentials, state), (prepared) => openContent(sealer, prepared, dataKey));
}

/** The sealed content of a credential; one that was issued before costs a read of its events. */
function sealedContentOf(
  credentials: Pick<Repository<Credential, CredentialEvent>, 'events'>,
  credential: SubmittedCredential,
): Awaitable<Pick<CredentialTerms, 'credentialId' | 'sealedContent'>> {
  if (credential.status === 'Prepared') return credential;
  return credentials.events(credential.credentialId).then((history) => {
    for (const { event } of history) {
      if (event.type === 'CredentialPrepared') return event;
    }
    throw new Error('a credential without its preparation');
  });
}

function placeOf(credentialId: string): SealedPlace {
  return { streamId: `credential-${credentialId}`, event: 'CredentialPrepared' };
}
