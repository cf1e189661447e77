import { Problem } from '@app/primitives/problems';
import { isWithoutData, type Offer, type OfferEvent, publicState } from './offer';

export interface Attachment {
  readonly configurationId: string;
  /** The id that the portal has chosen for the credential. */
  readonly chosenId: string | undefined;
  /** The id it gets otherwise. */
  readonly newId: string;
}

export interface Attached {
  readonly credentialId: string;
  /** Whether a wallet has asked for it, so that a credential with this id exists already. */
  readonly isAwaited: boolean;
}

/** Adds a person's data: to the configuration that waits for it, or as a further one. */
export function attachCredential(
  offer: Offer,
  { configurationId, chosenId, newId }: Attachment,
  now: Date,
): { readonly events: OfferEvent[]; readonly attached: Attached } {
  const { offerId } = offer;
  const place = offer.credentials.find((one) => one.configurationId === configurationId);
  const state = publicState(offer, now);
  const waitsAfterRedemption = isWaitingClaim(offer) || (isWaitingGrant(offer) && place !== undefined);
  if (state !== 'Open' && !waitsAfterRedemption) {
    throw new Problem('conflict', `The offer ${offerId} is ${state} and takes no further credential.`);
  }
  const { credentialId = chosenId ?? newId, isAwaited = false } = place ?? {};
  if (isAwaited && chosenId !== undefined && chosenId !== credentialId) {
    throw new Problem(
      'conflict',
      `A wallet waits for the credential of ${configurationId} in the offer ${offerId}: its id is ${credentialId}. Send that id, or none.`,
    );
  }
  if (place?.credentialId !== undefined && !isAwaited) {
    // A wallet asks for a configuration, not for one of several credentials of it.
    throw new Problem(
      'conflict',
      `The offer ${offerId} already holds a credential of ${configurationId}; use another offer.`,
    );
  }
  return {
    events: [{ type: 'CredentialAttached', configurationId, credentialId }],
    attached: { credentialId, isAwaited },
  };
}

/**
 * Notes that a wallet waits for the data of a credential.
 * @param newId of the credential, unless its data was submitted or a wallet has asked for it before
 * @returns the id that counts; `undefined` when the grant of the wallet is void
 */
export function awaitCredential(
  offer: Offer,
  configurationId: string,
  newId: string,
): { readonly events: OfferEvent[]; readonly credentialId: string | undefined } {
  if (!isWaitingGrant(offer)) return { events: [], credentialId: undefined };
  const place = offer.credentials.find((one) => one.configurationId === configurationId);
  if (place?.credentialId !== undefined) return { events: [], credentialId: place.credentialId };
  return { events: [{ type: 'CredentialAwaited', configurationId, credentialId: newId }], credentialId: newId };
}

/** The claim of a public offer gets its credential when its wallet asks for it, unless the data is that of whoever agreed. */
function isWaitingClaim(offer: Offer): boolean {
  return offer.claimOf !== undefined && offer.status === 'redeemed' && !isWithoutData(offer);
}

/** A wallet may wait for the data of what it was granted. */
function isWaitingGrant(offer: Offer): boolean {
  return offer.isDeferred === true && offer.status === 'redeemed';
}
