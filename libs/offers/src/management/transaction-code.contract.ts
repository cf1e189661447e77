import { is } from '@app/http';
import type { TransactionCodeOptions } from '../offer/offer-secrets';

const codeLengths: readonly unknown[] = Array.from({ length: 13 }, (_, index) => index + 4);

export class TransactionCodeBody implements TransactionCodeOptions {
  @is.Optional(
    'The number of characters.',
    is.Check('isCodeLength', 'must be a whole number from 4 to 16', (value) => codeLengths.includes(value)),
    is.Shown({ type: 'integer', minimum: 4, maximum: 16, default: 6 }),
  )
  readonly length: number = 6;
  @is.Optional('Digits, or letters and digits.', is.OneOf(['numeric', 'text']), is.Shown({ default: 'numeric' }))
  readonly inputMode: 'numeric' | 'text' = 'numeric';
  // OpenID4VCI 1.0 §4.1.1: not more than 300 characters.
  @is.Optional('The text that the wallet shows to the person.', is.Text(0, 300))
  readonly description?: string;
}

/** The transaction code that a body asks for: six digits unless it says more. */
export function transactionCodeOf(
  txCode: boolean | TransactionCodeBody | undefined,
): TransactionCodeOptions | undefined {
  if (txCode === undefined || txCode === false) return undefined;
  return txCode === true ? new TransactionCodeBody() : txCode;
}
