import {
  type ClientIdPrefix,
  type DcqlQuery,
  type ResponseMode,
  outlineOf,
  type ResponseType,
  type VerifierInfo,
  vouchedBy,
} from '@app/openid4vc';
import type { TrustAnchor, TrustPurpose } from '@app/identity';
import { confirmationWarnings } from './transaction-data';
import type { AskedTransaction } from '../request/request-terms';
import type { GivenText } from '../request/translated-text';

/** What a relying party asks wallets for. */
export interface PresentationInput {
  /** The relying party's name for the request; chosen here when absent. */
  readonly requestId?: string | undefined;
  /** Absent: an ID Token only (SIOPv2). */
  readonly query?: DcqlQuery | undefined;
  /** What the person confirms by presenting; absent when there is nothing. */
  readonly transactionData?: readonly AskedTransaction[] | undefined;
  /** For every variant; another one for each when absent. */
  readonly nonce?: string | undefined;
  readonly responseType: ResponseType;
  readonly responseMode: ResponseMode;
  readonly clientIdPrefix: ClientIdPrefix;
  /** Of the pages that may ask over the Digital Credentials API; absent when the response mode is another one. */
  readonly expectedOrigins?: readonly string[] | undefined;
  /** What others attest about the relying party; passed on to wallets as it is. */
  readonly verifierInfo?: readonly VerifierInfo[] | undefined;
  /** Whether the relying party brought a registration certificate of its own in it. */
  readonly bringsRegistration?: boolean | undefined;
  /** By the name that a registration certificate gives it; chosen by the query when absent. */
  readonly intendedUseId?: string | undefined;
  /** ISO 8601 duration. */
  readonly expiresIn: string;
  /** ISO 8601 duration after the end of the request; absent = kept. */
  readonly retention?: string | undefined;
  /** Where a wallet on the same device sends the person afterwards. */
  readonly redirectUri?: string | undefined;
  /** Whether it sends them to the page of the request first, where the browser proves that it began there. */
  readonly returnToPage?: boolean | undefined;
  /** Whether a page of this service asks: as in the terms of the request. */
  readonly isAskedInPage?: boolean | undefined;
  /** Why, in words for the person who is asked. */
  readonly purpose?: GivenText | undefined;
}

/**
 * What works as it was asked but may surprise: a nonce outside the final specification, authorities that no credential can
 * meet, documents that nobody vouches for, transaction data that wallets may leave unconfirmed.
 * @param trusted the trust anchors with a purpose, and whether anybody is trusted for documents of a type
 */
export function warningsOf(
  { nonce, query, transactionData }: PresentationInput,
  trusted: {
    readonly find: (purpose: TrustPurpose) => readonly Pick<TrustAnchor, 'list'>[];
    readonly mayTrustDocuments: (type: string) => boolean;
  },
): string[] {
  const warnings = confirmationWarnings(query, transactionData);
  const asked = query
    ? outlineOf({ credentials: query.credentials }).flatMap(({ alternatives }) => alternatives.flat())
    : [];
  const unvouched = asked.find(
    ({ query: { format }, types }) =>
      vouchedBy(format) === 'document' && !types.some((type) => trusted.mayTrustDocuments(type)),
  )?.query;
  if (unvouched) {
    warnings.push(
      `dcql_query: no trust anchor here with the purpose document is for its type, so no answer to '${unvouched.id}' is accepted`,
    );
  }
  if (nonce !== undefined && !/^[A-Za-z0-9\-._~]+$/.test(nonce)) {
    warnings.push('nonce: OpenID4VP 1.0 wallets may refuse a nonce with characters other than A-Z a-z 0-9 - . _ ~');
  }
  const limited = query?.credentials.filter((asked) => asked.trusted_authorities) ?? [];
  const authorities = limited.flatMap((asked) => asked.trusted_authorities ?? []);
  const anchors = [...new Set(limited.map(({ format }) => vouchedBy(format)))].flatMap((purpose) =>
    trusted.find(purpose),
  );
  if (authorities.length > 0 && anchors.length === 0) {
    const who = authorities.some(({ type }) => type === 'aki') ? 'only credentials of this service' : 'no credential';
    warnings.push(`trusted_authorities: no trust anchors are configured here, so ${who} can meet them`);
    return warnings;
  }
  const lists = authorities.filter(({ type }) => type === 'etsi_tl').flatMap(({ values }) => values);
  const unknown = lists.filter((list) => !anchors.some((anchor) => anchor.list === list));
  if (unknown.length > 0) {
    warnings.push(
      `trusted_authorities: no trust anchor here names ${unknown.join(', ')}, so no credential can meet it`,
    );
  }
  return warnings;
}
