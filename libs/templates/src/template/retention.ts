import { plusDuration, retentionRule } from '@app/primitives/time';

/** How long the claims of a credential are kept: until it is issued, or for an ISO 8601 duration after that. */
export type Retention = 'untilIssued' | { readonly after: string };

/** A wallet that lost the answer to its request may repeat it for as long. */
const toleratedLoss = 'PT10M';

export const claimsRetention = retentionRule(['keep', 'untilIssued'], 'P90D');

/** @param text that {@link claimsRetention} allows, or nothing @returns `undefined` for `keep` */
export function parseRetention(text: string | null | undefined): Retention | undefined {
  if (text == null || text === 'keep') return undefined;
  return text === 'untilIssued' ? text : { after: text };
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
