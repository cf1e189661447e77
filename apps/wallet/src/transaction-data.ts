import { createHash } from 'node:crypto';
import { WalletFailure } from './failure';

/** One entry of `transaction_data` (OpenID4VP 1.0 §5.1): what the person confirms by presenting. */
export interface TransactionData {
  /** As the verifier sent it, base64url: the confirmation is a hash of exactly this text. */
  readonly encoded: string;
  readonly type: string;
  /** Ids of the query; one of these credentials confirms the entry. */
  readonly credentialIds: readonly string[];
  /** Everything else in it, for people. */
  readonly details: Readonly<Record<string, unknown>>;
}

const algorithm = 'sha-256';

/**
 * Reads `transaction_data` of a request. Of a type the wallet knows nothing: the developer at the keyboard reads the
 * entry as it is. Throws a WalletFailure for an entry that the specification does not allow.
 */
export function readTransactionData(input: unknown): TransactionData[] {
  if (input === undefined) return [];
  if (!Array.isArray(input) || input.length === 0)
    throw new WalletFailure('transaction_data is not a list of entries.');
  return input.map((entry: unknown, index) => {
    const name = `transaction_data[${index}]`;
    const { type, credential_ids: ids, transaction_data_hashes_alg: algorithms, ...details } = decoded(entry, name);
    if (typeof type !== 'string') throw new WalletFailure(`${name} has no type.`);
    if (!isTexts(ids)) throw new WalletFailure(`${name} has no credential_ids.`);
    if (algorithms !== undefined && !(isTexts(algorithms) && algorithms.includes(algorithm))) {
      throw new WalletFailure(`${name} wants another hash than ${algorithm}, the only one of this wallet.`);
    }
    return { encoded: entry as string, type, credentialIds: ids, details };
  });
}

/** The members of a key binding JWT that confirm these entries (OpenID4VP 1.0 appendix B.3.3.1); none for no entry. */
export function confirmation(entries: readonly TransactionData[]): Record<string, unknown> {
  if (entries.length === 0) return {};
  const hashes = entries.map(({ encoded }) => createHash('sha256').update(encoded, 'ascii').digest('base64url'));
  return { transaction_data_hashes: hashes, transaction_data_hashes_alg: algorithm };
}

/**
 * Which credential confirms which entries, by the ids of the query: of several that an entry names the first that is
 * presented, and only that one (§5.1). Throws when an entry names none of `presented`.
 */
export function assignTransactionData(
  entries: readonly TransactionData[],
  presented: readonly string[],
): ReadonlyMap<string, readonly TransactionData[]> {
  const assigned = new Map<string, TransactionData[]>();
  for (const entry of entries) {
    const id = presented.find((one) => entry.credentialIds.includes(one));
    if (id === undefined) {
      const names = entry.credentialIds.join(' or ');
      throw new WalletFailure(
        `The transaction of type ${entry.type} needs the credential ${names}, which is not presented.`,
      );
    }
    assigned.set(id, [...(assigned.get(id) ?? []), entry]);
  }
  return assigned;
}

/** `payment {"amount":"12.50 EUR"}` */
export function transactionText({ type, details }: TransactionData): string {
  return `${type} ${JSON.stringify(details)}`;
}

function decoded(entry: unknown, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(String(entry), 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Falls through to the one message for everything that is not an entry.
  }
  throw new WalletFailure(`${name} is not a JSON object in base64url.`);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}
