import { createHmac } from 'node:crypto';
import type { Received, Variant } from './presenter';
import {
  disclosure,
  foreignSdJwt,
  type JwtChanges,
  presentSdJwt,
  type SdJwtChanges,
  type SdJwtPresentationChanges,
} from './credentials';
import { idCard } from './holdings';
import { newHolder } from '../wallets/key-proofs';
import type { Json } from '../http/requests';

/** A word that occurs in presented claims only. */
export const canary = 'Zwergspitzmaus';
export const issuer = newHolder('ES256', 'did:jwk');
export const edIssuer = newHolder('EdDSA', 'did:jwk');
export const holder = newHolder('ES256', 'did:jwk');
export const stranger = newHolder('ES256', 'did:jwk');
const claims = { given_name: canary, level: 3 };

export const issuedSdJwt = (changes: SdJwtChanges = {}, by = issuer): string =>
  foreignSdJwt(by, holder, { claims, ...changes });
export const sdJwtQuery = { ...idCard, claims: [{ path: ['given_name'], values: [canary] }] };

/** One presentation that is refused by the check named. */
export interface SdJwtRefusal {
  readonly what: string;
  readonly check: string;
  readonly variant?: Variant;
  readonly query?: Json;
  /** The presentation; a valid one changed in one place. */
  readonly token: (received: Received) => string;
}

// What a row changes: the credential, its presentation, the key binding JWT, or a disclosure it adds.
export const credential = (changes: SdJwtChanges, by = issuer) => ({
  token: (received: Received) => presentSdJwt(issuedSdJwt(changes, by), holder, received),
});
export const presentation = (changes: SdJwtPresentationChanges) => ({
  token: (received: Received) => presentSdJwt(issuedSdJwt(), holder, received, changes),
});
export const keyBinding = (changes: JwtChanges) => presentation({ keyBinding: changes });
export const bound = (payload: (received: Received) => Json, variant?: Variant) => ({
  ...(variant && { variant }),
  token: (received: Received) =>
    presentSdJwt(issuedSdJwt(), holder, received, { keyBinding: { payload: payload(received) } }),
});
export const hidden = (...content: unknown[]) => credential({ disclosures: [disclosure(...content)] });
export const noSignature = () => Buffer.alloc(0);
export const byPublicKey = (input: string) => createHmac('sha256', JSON.stringify(issuer.jwk)).update(input).digest();
