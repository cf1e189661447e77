import {
  type PresentationCheck,
  type PresentedAnchor,
  type PresentedTo,
  satisfiesCredentialSets,
  type VerifiedCredential,
  verifyIdToken,
  verifyPresentation,
} from '@app/credentials';
import { digitalCredentialAudience, type LinkVariant, type PresentationResponse } from '@app/openid4vc';
import { parsePublicJwk } from '@app/primitives/jose';
import { Injectable } from '@nestjs/common';
import type { Failure } from '../request/request-record';
import { RequestClients } from '../rendering/request-clients';
import type { RequestTerms, VariantTerms } from '../request/request-terms';
import { verifiedAlgorithms } from '../question/verified-algorithms';
import { confirmableBy, confirmationsOf, type ConfirmedTransaction } from '../question/transaction-data';
import { VerifyingPolicy } from './verifying-policy';

/** What a relying party learns about one presented credential. */
export interface AcceptedCredential {
  /** The id in the query. */
  readonly id: string;
  readonly format: string;
  readonly issuer: string;
  /** The vct, or the most specific types of `vc`. */
  readonly type: readonly string[];
  /** The type of the query that it answers, and who says that it is one; absent when that is its own. */
  readonly acceptedAs?: VerifiedCredential['acceptedAs'];
  readonly claims: VerifiedCredential['claims'];
  readonly holder: VerifiedCredential['holder'] | null;
  readonly status: VerifiedCredential['status'];
  readonly trust: VerifiedCredential['trust'];
  /** Whose certificate vouches for the issuer; absent when it is trusted by its name. */
  readonly trustAnchor?: PresentedAnchor;
  readonly issuedAt?: string;
  readonly expiresAt?: string;
}

/** Everything that was accepted; sealed before it is stored. */
export interface AcceptedResponse {
  readonly vpToken: Readonly<Record<string, readonly string[]>> | null;
  readonly idToken: string | null;
  readonly subject: string | null;
  readonly credentials: readonly AcceptedCredential[];
  /** Absent when the request had none. */
  readonly transactionData?: readonly ConfirmedTransaction[];
}

/** The variant that was answered; over the Digital Credentials API also the origin of the page that got the answer. */
export type AnsweredTerms = VariantTerms<LinkVariant> | (VariantTerms<'dc-api'> & { readonly origin: string });

export type Verdict =
  | { readonly accepted: AcceptedResponse; readonly checks: readonly PresentationCheck[] }
  | { readonly failure: Failure };

/** Verifies everything a wallet sent against what was asked. */
@Injectable()
export class ResponseVerifier {
  constructor(
    private readonly clients: RequestClients,
    private readonly verifying: VerifyingPolicy,
  ) {}

  async verify(
    request: RequestTerms,
    terms: AnsweredTerms,
    received: PresentationResponse,
    now: Date,
  ): Promise<Verdict> {
    const presentedTo = this.presentedTo(request, terms);
    const expected = { nonce: terms.nonce, presentedTo, now };
    const checks: PresentationCheck[] = [];
    const credentials: AcceptedCredential[] = [];
    const confirmed = new Map<string, string[]>();
    for (const [queryId, tokens] of Object.entries(received.byQueryId)) {
      const query = request.query?.credentials.find(({ id }) => id === queryId);
      if (!query) throw new Error('unreachable: the parser rejects unknown ids');
      const transactionData = confirmableBy(request, queryId);
      const ofThis: string[] = [];
      confirmed.set(queryId, ofThis);
      for (const { token, credentialIndex } of tokens) {
        const result = await verifyPresentation(
          token,
          { ...expected, query, transactionData, ...(credentialIndex !== undefined && { credentialIndex }) },
          this.verifying.policy,
        );
        if (!result.verified) return { failure: { ...result.failure, credentialId: queryId } };
        checks.push(...result.checks);
        credentials.push(acceptedCredential(queryId, result.credential));
        ofThis.push(...(result.credential.confirmed ?? []));
      }
    }
    // A query may make everything optional; still, an answer that presents nothing verifies nothing.
    if (request.query && credentials.length === 0) {
      return { failure: { check: 'query', reason: 'the answer presents no credential' } };
    }
    const answered = credentials.map(({ id }) => id);
    if (request.query && !satisfiesCredentialSets(request.query, answered)) {
      return { failure: { check: 'query', reason: 'the answer lacks a credential that the query requires' } };
    }
    const transactions = confirmationsOf(request, confirmed);
    if ('failure' in transactions) return transactions;
    const subject = await this.verifySubject(received.idToken, { ...expected, audience: presentedTo.clientId });
    if (subject && 'failure' in subject) return subject;
    if (subject) checks.push(...subject.checks);
    return {
      checks,
      accepted: {
        vpToken: request.query ? tokensById(received) : null,
        idToken: received.idToken ?? null,
        subject: subject?.sub ?? null,
        credentials,
        ...(request.transactionData && { transactionData: transactions.confirmations }),
      },
    };
  }

  /** What a wallet signs its presentation for. */
  private presentedTo(request: RequestTerms, terms: AnsweredTerms): PresentedTo {
    // Given: the answer was encrypted to it, or it was refused when it was read.
    const encryptionKey = request.encryptionKey ? parsePublicJwk(request.encryptionKey.jwk) : null;
    if (terms.variant === 'dc-api') {
      const { origin } = terms;
      return { clientId: digitalCredentialAudience(origin), origin, encryptionKey };
    }
    const { variant } = terms;
    const responseUri = this.clients.responseUri(request, variant);
    return { clientId: this.clients.clientId(request, variant), responseUri, encryptionKey };
  }

  private async verifySubject(
    idToken: string | undefined,
    expected: { readonly nonce: string; readonly audience: string; readonly now: Date },
  ): Promise<
    { readonly sub: string; readonly checks: readonly PresentationCheck[] } | { readonly failure: Failure } | undefined
  > {
    if (idToken === undefined) return undefined;
    const { dids } = this.verifying.policy;
    const result = await verifyIdToken(idToken, { ...expected, dids, algorithms: verifiedAlgorithms });
    return result.verified ? { sub: result.subject.sub, checks: result.checks } : { failure: result.failure };
  }
}

function tokensById({ byQueryId }: PresentationResponse): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(byQueryId).map(([id, tokens]) => [id, tokens.map(({ token }) => token)]));
}

function acceptedCredential(id: string, credential: VerifiedCredential): AcceptedCredential {
  const { format, issuer, types, acceptedAs, claims, holder, status, trust, trustAnchor, issuedAt, expiresAt } =
    credential;
  return {
    id,
    format,
    issuer,
    type: types,
    ...(acceptedAs && { acceptedAs }),
    claims,
    holder: holder ?? null,
    status,
    trust,
    ...(trustAnchor && { trustAnchor }),
    ...(issuedAt && { issuedAt: issuedAt.toISOString() }),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
  };
}
