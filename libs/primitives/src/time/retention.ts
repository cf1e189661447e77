import { isDuration, lastsAtMost } from './duration';

const mostDays = 36_600;

/** How long something is kept: an ISO 8601 duration, or one of the words that say it in another way. */
export interface RetentionRule {
  /** What is said of any other value. */
  readonly message: string;
  readonly allows: (value: unknown) => boolean;
}

/** @param example of a duration */
export function retentionRule(words: readonly string[], example: string): RetentionRule {
  return {
    message: `must be ${words.join(', ')} or an ISO 8601 duration of at most ${mostDays} days, for example ${example}`,
    allows: (value) => words.some((word) => word === value) || (isDuration(value) && lastsAtMost(value, mostDays)),
  };
}
