import type { PublicJwk } from './public-jwk';

export type VerificationRelationship = 'authentication' | 'assertionMethod';

export type VerificationMethod = {
  /** Absolute DID URL. */
  readonly id: string;
  readonly jwk: PublicJwk;
  readonly relationships: ReadonlySet<VerificationRelationship>;
};

export type DidDocument = { readonly id: string; readonly verificationMethods: readonly VerificationMethod[] };

/** Fetches a did:web document; in the service `(url) => outbound.get(url, { accept: DID_DOCUMENT_TYPES })`. */
export type FetchDocument = (url: string) => Promise<{ readonly status: number; readonly body: Uint8Array }>;

export const DID_DOCUMENT_TYPES = [
  'application/did+json',
  'application/did+ld+json',
  'application/did',
  'application/json',
];

export type DidResolverOptions = {
  readonly fetchDocument: FetchDocument;
  /** Hosts (`host[:port]`) whose did:web documents are fetched over http: development and tests only. */
  readonly plainHttpHosts?: readonly string[];
};

export type DidErrorReason =
  'malformed' | 'unsupported-method' | 'unsupported-key' | 'not-found' | 'invalid-document' | 'key-not-listed';

export class DidError extends Error {
  override readonly name = 'DidError';

  constructor(
    readonly reason: DidErrorReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The did:jwk of a public key. Its one key is `<did>#0`. */
export function didJwk(_jwk: PublicJwk): string {
  throw new Error('not built yet');
}

/** Resolves did:jwk, did:key and did:web. Throws `DidError`. */
export class DidResolver {
  constructor(readonly options: DidResolverOptions) {}

  /** All verification methods of a DID. */
  resolve(_did: string): Promise<DidDocument> {
    throw new Error('not built yet');
  }

  /** The key a DID URL (`did#fragment`) names, if it is listed for the relationship. */
  resolveKey(_didUrl: string, _relationship: VerificationRelationship): Promise<PublicJwk> {
    throw new Error('not built yet');
  }
}
