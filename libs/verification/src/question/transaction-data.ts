import type { ExpectedTransactionData } from '@app/credentials';
import { type DcqlQuery, decodeTransactionData } from '@app/openid4vc';
import type { Failure } from '../request/request-record';
import type { AskedTransaction, RequestTerms } from '../request/request-terms';

/** What a relying party learns about one entry, in the order of the request. */
export interface ConfirmedTransaction {
  readonly type: string;
  /** The id in the query. */
  readonly confirmedBy: string;
}

/** What a relying party may not expect: entries that a complete answer need not confirm, and results that do not say enough. */
export function confirmationWarnings(
  query: DcqlQuery | undefined,
  entries: readonly AskedTransaction[] | undefined = [],
): string[] {
  if (!query) return [];
  return entries.flatMap(({ encoded }, index) => {
    const { credential_ids: ids } = decodeTransactionData(encoded);
    const several = query.credentials.find(({ id, multiple }) => multiple === true && ids.includes(id));
    const reasons = [
      ...(isAnswerableWithout(query, ids)
        ? ['the query can be answered without any of its credentialIds; such an answer is rejected']
        : []),
      ...(several
        ? [
            `wallets may present several credentials for ${several.id} (multiple); the result does not say which one confirms it`,
          ]
        : []),
    ];
    return reasons.map((reason) => `transactionData/${index}: ${reason}`);
  });
}

/** Whether an alternative of every set that is required, and so a complete answer, has none of these credentials. */
function isAnswerableWithout({ credential_sets: sets }: DcqlQuery, ids: readonly string[]): boolean {
  const isWithout = (option: readonly string[]): boolean => !option.some((id) => ids.includes(id));
  return sets?.every(({ options, required }) => required === false || options.some(isWithout)) ?? false;
}

/** The entries as a request has them. */
export function sentTransactionData({ transactionData }: RequestTerms): { transactionData?: readonly string[] } {
  return transactionData ? { transactionData: transactionData.map(({ encoded }) => encoded) } : {};
}

/** The entries that a credential may confirm. @param queryId of the credential */
export function confirmableBy({ transactionData = [] }: RequestTerms, queryId: string): ExpectedTransactionData[] {
  return transactionData.flatMap(({ encoded }) => {
    const { credential_ids: ids, transaction_data_hashes_alg: algorithms } = decodeTransactionData(encoded);
    return ids.includes(queryId) ? [{ encoded, listsAlgorithms: algorithms !== undefined }] : [];
  });
}

/**
 * Which credential confirms each entry. A wallet uses exactly one of those that an entry names (OpenID4VP 1.0 §5.1).
 * @param confirmed the entries that verified presentations confirm, as they were sent, by the id in the query; an entry that
 * several presentations of one id confirm is there several times
 */
export function confirmationsOf(
  { transactionData = [] }: RequestTerms,
  confirmed: ReadonlyMap<string, readonly string[]>,
): { readonly confirmations: readonly ConfirmedTransaction[] } | { readonly failure: Failure } {
  const confirmations: ConfirmedTransaction[] = [];
  for (const [index, { encoded }] of transactionData.entries()) {
    const { type, credential_ids: ids } = decodeTransactionData(encoded);
    const [confirmedBy, ...others] = ids.flatMap((id) =>
      (confirmed.get(id) ?? []).filter((one) => one === encoded).map(() => id),
    );
    if (confirmedBy === undefined) return failed(`no credential confirms entry ${index} of the transaction data`, ids);
    if (others.length > 0) {
      return failed(`more than one credential confirms entry ${index} of the transaction data`, []);
    }
    confirmations.push({ type, confirmedBy });
  }
  return { confirmations };
}

/** @param named where the fault is, if there is one place for it */
function failed(reason: string, named: readonly string[]): { readonly failure: Failure } {
  const [credentialId, ...others] = named;
  const isOfOne = credentialId !== undefined && others.length === 0;
  return { failure: { check: 'transaction-data', reason, ...(isOfOne && { credentialId }) } };
}
