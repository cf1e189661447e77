import type { PublicJwk } from '@app/primitives/jose';
import { CheckingTime } from '@app/templates';
import { KeySearch } from './key-search';

/** What one request may use to prepare credentials; all credentials of a batch share it. */
export class PreparationLimits {
  /** For checks of claims. */
  readonly time = new CheckingTime();
  /** For the keys of those who signed credentials elsewhere. */
  readonly search = new KeySearch<PublicJwk>();
}
