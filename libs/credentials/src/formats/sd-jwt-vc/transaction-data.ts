import type { DecodedJws } from '@app/primitives/jose';
import { TRANSACTION_DATA_HASH } from '@app/openid4vc';
import { hash } from 'node:crypto';
import { demand } from '../../presentation-check';
import type { ExpectedPresentation, ExpectedTransactionData } from '../../presentation/expected-presentation';

/** Whether there is anything to check: transaction data that was asked for, or hashes of something. */
export function saysTransactionData({ payload }: DecodedJws, { transactionData = [] }: ExpectedPresentation): boolean {
  return transactionData.length > 0 || payload['transaction_data_hashes'] !== undefined;
}

/**
 * Which of the transaction data a key binding JWT confirms (OpenID4VP 1.0 appendix B.3.3.1): its hashes are those of entries
 * that name this credential, in the order of the request. An entry that names several credentials is confirmed by one of them,
 * so an entry may be missing here. Throws `Refusal`.
 */
export function confirmedData(
  { payload }: DecodedJws,
  asked: readonly ExpectedTransactionData[] = [],
): readonly string[] {
  const { transaction_data_hashes: hashes = [], transaction_data_hashes_alg: algorithm } = payload;
  demand(Array.isArray(hashes), 'the transaction_data_hashes of the key binding JWT are not a list');
  if (hashes.length === 0) return [];
  demand(
    algorithm === undefined || algorithm === TRANSACTION_DATA_HASH,
    `the transaction_data_hashes_alg of the key binding JWT is not ${TRANSACTION_DATA_HASH}`,
  );
  const places = new Map<unknown, number>(asked.map(({ encoded }, place) => [hashOf(encoded), place]));
  let last = -1;
  return hashes.map((found) => {
    const place = places.get(found);
    const entry = place === undefined ? undefined : asked[place];
    demand(
      place !== undefined && entry !== undefined,
      'a hash of the key binding JWT is not of transaction data that names this credential',
    );
    demand(place > last, 'the transaction_data_hashes of the key binding JWT are not in the order of the request');
    demand(
      !entry.listsAlgorithms || algorithm !== undefined,
      'the key binding JWT lacks transaction_data_hashes_alg, although the request lists algorithms',
    );
    last = place;
    return entry.encoded;
  });
}

/** Of the text as it was sent: what it decodes to can be written in many ways. */
function hashOf(encoded: string): string {
  return hash('sha256', encoded, 'base64url');
}
