import { Problem } from '@app/primitives/problems';

/** Milliseconds that the checks of one request may take together. Ordinary ones take a tenth of one each. */
const longestRequest = 1000;

/** What is left of the time that one request has for checks of claims in threads; all its checks share one. */
export class CheckingTime {
  private left = longestRequest;

  get isLeft(): boolean {
    return this.left > 0;
  }

  /** @param milliseconds what a check has taken */
  use(milliseconds: number): void {
    this.left -= milliseconds;
  }

  usedUp(): Problem {
    return new Problem(
      'claims-not-checked',
      `The checks of this request have taken ${longestRequest} ms together, so these claims were not checked. ` +
        'Send this credential again in a separate request.',
      [],
      { 'Retry-After': '1' },
    );
  }
}
