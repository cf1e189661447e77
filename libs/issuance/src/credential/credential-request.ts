import type { AttestedBy, VerifiedKeyProof } from '@app/credentials';
import type { GrantName } from '@app/offers';
import type { SealedPlace, Sealer } from '@app/keys';
import type { Awaitable } from '@app/primitives/awaitable';
import type { DeferredRequest } from '@app/openid4vc';
import type { Credential, Wait } from './credential';
import type { ProvenHolderKey } from './named-holder';

/** A key that a credential is bound to. */
export type ProvenHolder = Pick<VerifiedKeyProof, 'thumbprint' | 'holder'>;

export function provenKeys(holders: readonly ProvenHolder[]): ProvenHolderKey[] {
  return holders.map(({ thumbprint, holder }) => ({ thumbprint, did: holder.did }));
}

/** What is sealed of the request of a wallet that waits. */
export interface WaitingRequest {
  /** base64url of the grant's name: another wallet may ask by the new link of a reopened offer. */
  readonly grant: string;
  readonly request: DeferredRequest;
  readonly holders: readonly ProvenHolder[];
  readonly attestedBy?: readonly AttestedBy[];
}

export function waitingRequest(asking: {
  readonly grant: GrantName;
  readonly request: DeferredRequest;
  readonly holders: readonly ProvenHolder[];
  readonly attestedBy?: readonly AttestedBy[];
}): WaitingRequest {
  const { requestClass, endpoint, named } = asking.request;
  const attested = asking.attestedBy && { attestedBy: asking.attestedBy };
  const holders = asking.holders.map(({ thumbprint, holder }) => ({ thumbprint, holder }));
  return {
    grant: asking.grant.hash.toString('base64url'),
    request: { requestClass, endpoint, named },
    holders,
    ...attested,
  };
}

/** `undefined` when it was erased. Throws `SealBrokenError` when the stored text was tampered with. */
export function openWaitingRequest(
  sealer: Sealer,
  credentialId: string,
  wait: Wait,
  wrappedKey: Buffer,
): Awaitable<WaitingRequest | undefined> {
  const request = sealer.openJson(wait.sealedRequest, wrappedKey, placeOfRequest(credentialId));
  return request as Awaitable<WaitingRequest | undefined>;
}

/** Whether this grant has waited. */
export function isOfGrant({ grant }: WaitingRequest, { hash }: GrantName): boolean {
  return grant === hash.toString('base64url');
}

export function placeOfRequest(credentialId: string): SealedPlace {
  return { streamId: `credential-${credentialId}`, event: 'CredentialRequested' };
}

/** Why a portal denied a credential; `undefined` when it was erased. Throws `SealBrokenError`. */
export function openReason(sealer: Sealer, credential: Denied, wrappedKey: Buffer): Awaitable<string | undefined> {
  const { sealedReason, credentialId } = credential;
  return sealer.openJson(sealedReason, wrappedKey, placeOfReason(credentialId)) as Awaitable<string | undefined>;
}

type Denied = Extract<Credential, { status: 'Denied' }>;

export function placeOfReason(credentialId: string): SealedPlace {
  return { streamId: `credential-${credentialId}`, event: 'CredentialDenied' };
}
