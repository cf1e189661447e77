import type { Aggregate, Erasable, PersonalDataErased } from '@app/event-store';
import type { SkipReason } from '@app/mail';
import type { Language } from '@app/pages';
import { Problem } from '@app/primitives/problems';

export const importStates = ['Reading', 'Checked', 'Running', 'Paused', 'Done', 'Cancelled', 'Failed'] as const;
/**
 * `Reading`: the file is read, and its rows are checked; `Checked`: somebody can look at them, correct them and start; `Running`: offers
 * are made; `Failed`: the file could not be read.
 */
export type ImportState = (typeof importStates)[number];

export const holdReasons = ['requested', 'suspended', 'template'] as const;
/** `suspended`: the tenant may not issue; `template`: its template cannot be issued now. */
export type HoldReason = (typeof holdReasons)[number];

export type ImportEvent =
  | {
      readonly type: 'ImportReceived';
      readonly templateId: string;
      /** The principal. */
      readonly by?: string;
      /** RFC 3339 */
      readonly createdAt: string;
      /** In the form of `Date.toISOString`. */
      readonly eraseAt: string;
    }
  | { readonly type: 'ImportRead'; readonly rows: number; readonly readAs: string; readonly sealedColumns: string }
  | { readonly type: 'ImportMapped'; readonly sealedColumns: string }
  /** Of a template with this content. */
  | { readonly type: 'ImportChecked'; readonly contentVersion: number }
  /** The template has changed since. */
  | { readonly type: 'ImportCheckedAgain' }
  /** Its start waits for somebody else. */
  | { readonly type: 'ImportApprovalAsked'; readonly approvalId: string }
  | { readonly type: 'ImportStarted'; readonly by?: string; readonly startedAt: string }
  | { readonly type: 'ImportPaused'; readonly reason: HoldReason }
  | { readonly type: 'ImportResumed' }
  | { readonly type: 'ImportDone'; readonly endedAt: string }
  | { readonly type: 'ImportCancelled'; readonly endedAt: string }
  | { readonly type: 'ImportFailed'; readonly endedAt: string; readonly words: string }
  | { readonly type: 'ImportMailsAsked'; readonly by?: string; readonly locale?: Language; readonly askedAt: string }
  /** Of the rows up to one. */
  | { readonly type: 'ImportMailsQueued'; readonly upTo: number; readonly counts: MailCounts }
  | { readonly type: 'ImportMailsEnded'; readonly endedAt: string; readonly isStopped: boolean }
  | PersonalDataErased;

/** What became of rows whose offers are to be mailed. */
export type MailCounts = Readonly<Partial<Record<'queued' | SkipReason, number>>>;

/** The queueing of mails that was asked for last. */
export interface Mailing {
  /** Rises each time that it is asked for. */
  readonly round: number;
  readonly locale?: Language;
  readonly askedAt: string;
  readonly upTo: number;
  readonly counts: MailCounts;
  readonly endedAt?: string;
  readonly isStopped?: boolean;
}

export interface Import extends Erasable {
  readonly status: ImportState;
  readonly templateId: string;
  readonly by?: string;
  readonly createdAt: string;
  readonly eraseAt: string;
  /** Raised when all rows have to be checked again. */
  readonly checks: number;
  readonly rows?: number;
  readonly readAs?: string;
  /** The names of the columns and what each is, sealed under the data key of the stream. */
  readonly sealedColumns?: string;
  readonly contentVersion?: number;
  /** Of the approval of its start that was asked for last. */
  readonly approvalId?: string;
  readonly startedBy?: string;
  readonly startedAt?: string;
  readonly pausedFor?: HoldReason;
  readonly endedAt?: string;
  /** Why the file could not be read. */
  readonly words?: string;
  readonly mailing?: Mailing;
}

const changeable: readonly ImportState[] = ['Checked', 'Paused'];
const open: readonly ImportState[] = ['Reading', 'Checked', 'Running', 'Paused'];

export function receiveImport(event: Omit<Extract<ImportEvent, { type: 'ImportReceived' }>, 'type'>): ImportEvent[] {
  return [{ type: 'ImportReceived', ...event }];
}

/** Nothing when it was read, or ended, meanwhile. */
export function fileRead(
  found: Import,
  read: Omit<Extract<ImportEvent, { type: 'ImportRead' }>, 'type'>,
): ImportEvent[] {
  return found.status === 'Reading' && found.rows === undefined ? [{ type: 'ImportRead', ...read }] : [];
}

export function fileFailed(found: Import, words: string, now: Date): ImportEvent[] {
  return found.status === 'Reading' ? [{ type: 'ImportFailed', words, endedAt: now.toISOString() }] : [];
}

/** @param checks which ones are done */
export function rowsChecked(found: Import, checks: number, contentVersion: number): ImportEvent[] {
  return found.status === 'Reading' && found.checks === checks ? [{ type: 'ImportChecked', contentVersion }] : [];
}

/** Throws `conflict`. */
export function mapColumns(found: Import, sealedColumns: string): ImportEvent[] {
  if (found.rows === undefined || !['Reading', 'Checked'].includes(found.status)) {
    throw refused(found, 'Its columns can be matched once it is read, and not while it is running.');
  }
  return [{ type: 'ImportMapped', sealedColumns }];
}

/** Rows can be corrected. Throws `conflict`. */
export function assertCorrectable(found: Import): void {
  if (!changeable.includes(found.status))
    throw refused(found, 'Its rows can be corrected once they are checked, before they are offered.');
}

/** @param contentVersion of the template now. Throws `conflict` */
export function startImport(found: Import, contentVersion: number, by: string | undefined, now: Date): ImportEvent[] {
  if (found.status !== 'Checked') throw refused(found, 'Only one that is Checked can be started.');
  if (found.contentVersion !== contentVersion) return [{ type: 'ImportCheckedAgain' }];
  return [{ type: 'ImportStarted', startedAt: now.toISOString(), ...(by !== undefined && { by }) }];
}

/** In place of its start. */
export function askApproval({ approvalId: before }: Import, approvalId: string): ImportEvent[] {
  return approvalId === before ? [] : [{ type: 'ImportApprovalAsked', approvalId }];
}

/** Throws `conflict`. */
export function pauseImport(found: Import): ImportEvent[] {
  if (found.status === 'Paused') return [];
  if (found.status !== 'Running') throw refused(found, 'Only one that is Running can be paused.');
  return [{ type: 'ImportPaused', reason: 'requested' }];
}

/** Throws `conflict`. */
export function resumeImport(found: Import): ImportEvent[] {
  if (found.status === 'Running') return [];
  if (found.status !== 'Paused') throw refused(found, 'Only one that is Paused can be resumed.');
  return [{ type: 'ImportResumed' }];
}

/** What was offered stays offered. Throws `conflict`. */
export function cancelImport(found: Import, now: Date): ImportEvent[] {
  if (found.status === 'Cancelled') return [];
  if (!open.includes(found.status)) throw refused(found, 'It has ended.');
  return [{ type: 'ImportCancelled', endedAt: now.toISOString() }];
}

/** The service itself stops. */
export function holdImport(found: Import, reason: HoldReason): ImportEvent[] {
  return found.status === 'Running' ? [{ type: 'ImportPaused', reason }] : [];
}

export function checkAgain(found: Import): ImportEvent[] {
  return found.status === 'Running' ? [{ type: 'ImportCheckedAgain' }] : [];
}

export function finishImport(found: Import, now: Date): ImportEvent[] {
  return found.status === 'Running' ? [{ type: 'ImportDone', endedAt: now.toISOString() }] : [];
}

/** Nothing while it is done already. Throws `conflict`. */
export function askMails(
  found: Import,
  asked: Omit<Extract<ImportEvent, { type: 'ImportMailsAsked' }>, 'type' | 'askedAt'>,
  now: Date,
): ImportEvent[] {
  if (found.startedAt === undefined) throw refused(found, 'Mails are sent once its rows are offered: start it first.');
  if (found.erasedAt !== undefined)
    throw refused(
      found,
      'Its rows are erased: send the mails of its offers one by one, by POST /v0/offers/{offerId}/deliveries.',
    );
  return isMailing(found) ? [] : [{ type: 'ImportMailsAsked', ...asked, askedAt: now.toISOString() }];
}

export function isMailing({ mailing }: Import): boolean {
  return mailing !== undefined && mailing.endedAt === undefined;
}

/** Nothing when it was stopped meanwhile, or somebody else has gone on with it. @param before as they were found */
export function mailsQueued(found: Import, before: Mailing, upTo: number, counts: MailCounts): ImportEvent[] {
  return isUnchanged(found, before) ? [{ type: 'ImportMailsQueued', upTo, counts }] : [];
}

/** The same. */
export function allMailsQueued(found: Import, before: Mailing, now: Date): ImportEvent[] {
  return isUnchanged(found, before) ? endMails(found, false, now) : [];
}

function isUnchanged(found: Import, { round, upTo }: Mailing): boolean {
  return isMailing(found) && found.mailing?.round === round && found.mailing.upTo === upTo;
}

export function endMails(found: Import, isStopped: boolean, now: Date): ImportEvent[] {
  return isMailing(found) ? [{ type: 'ImportMailsEnded', isStopped, endedAt: now.toISOString() }] : [];
}

function refused({ status }: Import, words: string): Problem {
  return new Problem('conflict', `The import is ${status}. ${words}`);
}

export function evolveImport(before: Import | undefined, event: ImportEvent): Import {
  if (event.type === 'ImportReceived') {
    const { type: _type, ...received } = event;
    return { ...received, status: 'Reading', checks: 1 };
  }
  if (!before) throw new Error(`an import that is not there: ${event.type}`);
  const { pausedFor: _reason, approvalId: _asked, ...found } = before;
  switch (event.type) {
    case 'ImportRead':
      return { ...found, rows: event.rows, readAs: event.readAs, sealedColumns: event.sealedColumns };
    case 'ImportMapped':
      return { ...found, status: 'Reading', checks: found.checks + 1, sealedColumns: event.sealedColumns };
    case 'ImportChecked':
      return { ...found, status: 'Checked', contentVersion: event.contentVersion };
    case 'ImportCheckedAgain':
      return { ...found, status: 'Reading', checks: found.checks + 1 };
    case 'ImportApprovalAsked':
      return { ...found, approvalId: event.approvalId };
    case 'ImportStarted':
      return {
        ...found,
        status: 'Running',
        startedAt: event.startedAt,
        ...(event.by !== undefined && { startedBy: event.by }),
      };
    case 'ImportPaused':
      return { ...found, status: 'Paused', pausedFor: event.reason };
    case 'ImportResumed':
      return { ...found, status: 'Running' };
    case 'ImportDone':
      return { ...found, status: 'Done', endedAt: event.endedAt };
    case 'ImportCancelled':
      return { ...found, status: 'Cancelled', endedAt: event.endedAt };
    case 'ImportFailed':
      return { ...found, status: 'Failed', endedAt: event.endedAt, words: event.words };
    case 'ImportMailsAsked': {
      const { type: _type, by: _by, ...asked } = event;
      return { ...found, mailing: { ...asked, round: (found.mailing?.round ?? 0) + 1, upTo: 0, counts: {} } };
    }
    case 'ImportMailsQueued':
      return withMailing(found, ({ counts }) => ({ upTo: event.upTo, counts: sumOf(counts, event.counts) }));
    case 'ImportMailsEnded':
      return withMailing(found, () => ({ endedAt: event.endedAt, isStopped: event.isStopped }));
    case 'PersonalDataErased': {
      const { sealedColumns: _sealed, ...rest } = found;
      const endedAt = event.erasedAt;
      const ended = open.includes(rest.status) ? { status: 'Cancelled' as const, endedAt } : {};
      const left = isMailing(rest) ? withMailing(rest, () => ({ endedAt, isStopped: true })) : rest;
      return { ...left, ...ended, erasedAt: endedAt };
    }
  }
}

function withMailing(found: Import, change: (before: Mailing) => Partial<Mailing>): Import {
  return found.mailing ? { ...found, mailing: { ...found.mailing, ...change(found.mailing) } } : found;
}

function sumOf(one: MailCounts, other: MailCounts): MailCounts {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])] as (keyof MailCounts)[];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

/** The first release to know imports is later than 0.2.0. */
export const importAggregate: Aggregate<Import, ImportEvent> = {
  category: 'import',
  evolve: evolveImport,
  eventVersion: 2,
};

/** Injection token of the imports' repository. */
export const IMPORTS = Symbol('IMPORTS');

/** The id of the credential of a row, and of its offer: the same whoever makes it, and however often. */
export function credentialIdOf(importId: string, row: number): string {
  return `${beginningOf(importId)}${row}`;
}

/** Of the ids of all its offers. */
export function beginningOf(importId: string): string {
  return `import.${importId}.`;
}

/** The row that a credential was made of; `undefined` when it was made otherwise. */
export function rowOfCredential(credentialId: string): { readonly importId: string; readonly row: number } | undefined {
  const [, importId, row] = /^import\.([0-9a-f-]{36})\.(\d{1,7})$/.exec(credentialId) ?? [];
  return importId === undefined ? undefined : { importId, row: Number(row) };
}
