import { isDuration, lastsAtMost, plusDuration } from '@app/primitives/time';

/** How long the claims of a credential are kept: until it is issued, or for an ISO 8601 duration after that. */
export type Retention = 'untilIssued' | { readonly after: string };

const mostDays = 36_600;
/** A wallet that lost the answer to its request may repeat it for as long. */
const toleratedLoss = 'PT10M';

export const templateRetentionMessage = `must be keep, untilIssued or an ISO 8601 duration of at most ${mostDays} days, for example P90D`;

/** `undefined` for `keep`, and for what is no retention. */
export function parseRetention(text: unknown): Retention | undefined {
  if (text === 'untilIssued') return text;
  return isDuration(text) && lastsAtMost(text, mostDays) ? { after: text } : undefined;
}

export function isTemplateRetention(text: unknown): boolean {
  return text === 'keep' || parseRetention(text) !== undefined;
}

/** The text a portal wrote, back from its parsed form. */
export function retentionText(retention: Retention | undefined): string {
  if (retention === undefined) return 'keep';
  return retention === 'untilIssued' ? retention : retention.after;
}

/** When the claims of a credential are to be erased that is issued now. */
export function erasureAfterIssue(retention: Retention, issuedAt: Date): Date {
  return plusDuration(issuedAt, retention === 'untilIssued' ? toleratedLoss : retention.after);
}
