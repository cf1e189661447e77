import { type LinkVariant } from '../wire/request-variant';

/** How a verifier identifies itself to wallets of OpenID4VP 1.0 (§5.9.3); the first one is the usual. */
export const CLIENT_ID_PREFIXES = ['decentralized_identifier', 'x509_hash', 'x509_san_dns', 'redirect_uri'] as const;
export type ClientIdPrefix = (typeof CLIENT_ID_PREFIXES)[number];

/** Whether a certificate names the client. */
export function isByCertificate(prefix: ClientIdPrefix): boolean {
  return prefix === 'x509_hash' || prefix === 'x509_san_dns';
}

/** A prefix with what follows it: our DID, the hash or a DNS name of our certificate, or the response URI. */
export interface PrefixedClient {
  readonly prefix: ClientIdPrefix;
  readonly name: string;
}

/** What the client identifier of a request follows from. */
export type ClientTerms =
  | { readonly variant: FinalVariant; readonly client: PrefixedClient }
  | { readonly variant: Exclude<LinkVariant, FinalVariant>; readonly did: string };

/** The variants whose request is the one of OpenID4VP 1.0; `haip` differs in the scheme of the link. */
export type FinalVariant = Extract<LinkVariant, 'final' | 'haip'>;

export function isFinal(variant: LinkVariant): variant is FinalVariant {
  return variant === 'final' || variant === 'haip';
}

/**
 * The whole client identifier, as in the link and in the request. It is also the only audience of what is presented:
 * with the prefix in 1.0, without one before (OpenID4VP 1.0 §14.8).
 */
export function clientIdOf(request: ClientTerms): string {
  return 'client' in request ? `${request.client.prefix}:${request.client.name}` : request.did;
}

/** OpenID4VP 1.0 §5.9.3: a wallet has no key to check a `redirect_uri` client with. */
export function isSignedRequest(request: ClientTerms): boolean {
  return !('client' in request) || request.client.prefix !== 'redirect_uri';
}
