import { type DcqlCredentialQuery, formatOf } from '../formats/registry';

/** One entry of `transaction_data` (OpenID4VP 1.0 §5.1): what a person confirms by presenting. */
export interface TransactionData {
  /** Says what the further members mean. */
  readonly type: string;
  /** Ids of the query: one of these credentials confirms the entry. */
  readonly credential_ids: readonly string[];
  /** When present, the answer has to name the algorithm of its hashes (appendix B.3.3.1). */
  readonly transaction_data_hashes_alg?: readonly string[];
  readonly [member: string]: unknown;
}

/** The algorithm that every wallet knows, and the only one that is verified; used also when a request lists none. */
export const TRANSACTION_DATA_HASH = 'sha-256';

/** As it stands in a request. Wallets hash this text and not what it means, so it has to be kept as it was sent. */
export function encodeTransactionData(entry: TransactionData): string {
  return Buffer.from(JSON.stringify(entry)).toString('base64url');
}

/** @param encoded by {@link encodeTransactionData} */
export function decodeTransactionData(encoded: string): TransactionData {
  return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) as TransactionData;
}

/** Why no answer to this credential query can confirm transaction data; `undefined` when it can. */
export function whyUnableToConfirm(query: DcqlCredentialQuery): string | undefined {
  const { confirmsTransactionData, id } = formatOf(query.format);
  if (!confirmsTransactionData) return `presentations of the format ${id} have no place for transaction data`;
  if (query.require_cryptographic_holder_binding !== false) return undefined;
  return 'a credential that is presented without holder binding confirms nothing';
}
