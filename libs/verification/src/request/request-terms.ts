import type {
  ClientIdPrefix,
  DcqlQuery,
  LinkVariant,
  RequestVariant,
  ResponseEncryptionKey,
  ResponseMode,
  ResponseType,
  VerifierInfo,
} from '@app/openid4vc';

/** The same question for one generation of wallets. */
export interface VariantTerms<V extends RequestVariant = RequestVariant> {
  readonly variant: V;
  /** The client's own nonce, or a fresh one for each variant. */
  readonly nonce: string;
}

/** One entry of a request for people to confirm (OpenID4VP 1.0 §5.1). */
export interface AskedTransaction {
  /** As it is sent: wallets hash this text. */
  readonly encoded: string;
  /** What is confirmed, in words for the person; not sent. */
  readonly shownAs?: string;
  /** The same in several languages, by their tags. */
  readonly shownIn?: Readonly<Record<string, string>>;
}

export function isLinked(terms: VariantTerms): terms is VariantTerms<LinkVariant> {
  return terms.variant !== 'dc-api';
}

/** What may say something about the person who is asked: the values of a query, the address of a basket, a reason. */
export interface PrivateTerms {
  /** Absent: the wallet is asked for an ID Token only (SIOPv2). */
  readonly query?: DcqlQuery;
  /** What the person confirms by presenting, in the order in which it is sent. */
  readonly transactionData?: readonly AskedTransaction[];
  /** Where a wallet on the same device sends the person afterwards. */
  readonly redirectUri?: string;
  /** Why, in words for the person. */
  readonly purpose?: string;
  /** The same in several languages, by their tags. */
  readonly purposeIn?: Readonly<Record<string, string>>;
  /** What others attest about the relying party, for wallets. */
  readonly verifierInfo?: readonly VerifierInfo[];
  /** How many entries of it, the first ones, are of the registration of this service: they go to wallets while that is valid. */
  readonly ownEntries?: number;
  /** Why a variant could not be derived from the query. */
  readonly unavailable: Readonly<Partial<Record<LinkVariant, string>>>;
}

interface OpenTerms {
  /** The request's id, chosen by the relying party and called `state` in the management API; no wallet ever sees it. */
  readonly state: string;
  /** The public handle is derived from this random value and a key, as with offers. */
  readonly handleSalt: string;
  readonly responseType: ResponseType;
  readonly responseMode: ResponseMode;
  /** Of OpenID4VP 1.0; drafts and SIOPv2 ask in the name of our DID, and HAIP in that of the certificate. */
  readonly clientIdPrefix: ClientIdPrefix;
  /** Which certificate names the service, as the hash of `x509_hash`; absent when no variant is named by one. */
  readonly certificate?: string;
  readonly variants: readonly VariantTerms[];
  /** For responses that are encrypted: the key responses are encrypted to, used for this request alone. */
  readonly encryptionKey?: ResponseEncryptionKey;
  /** Its private half, sealed under this request's own data key. */
  readonly sealedDecryptionKey?: string;
  /** Of pages that may ask over the Digital Credentials API; absent when none may. */
  readonly expectedOrigins?: readonly string[];
  readonly expiresAt: string;
  /** The wallet returns the person to the page of the request, and the browser that comes back has to be that of the link. */
  readonly returnToPage?: true;
  /** A page of this service asks that knows its browser: the answer is for it alone, and the request has no page of its own. */
  readonly isAskedInPage?: true;
  /** ISO 8601 duration after its end for which it is kept what was asked and presented; absent = until somebody erases it. */
  readonly retention?: string;
}

/** What was asked, fixed when the request is made. */
export type RequestTerms = OpenTerms &
  PrivateTerms & {
    /** With `returnToPage`: the session of the browser whose page has the link. In no stored request: links are made for it. */
    readonly session?: string;
  };

/** The same as it is stored: `PrivateTerms` are sealed. */
export type StoredTerms = OpenTerms & { readonly sealedTerms: string };
