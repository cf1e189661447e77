import type { FileMutants } from './mutant';

/** What people do in the console: sign in, import files, approve. */
export const consoleMutants: readonly FileMutants[] = [
  {
    file: 'libs/imports/src/import.ts',
    tests: ['test/imports/resuming.test.ts'],
    mutants: [
      {
        noticed: 'rows are offered twice when a process dies',
        original: 'return `${beginningOf(importId)}${row}`;',
        replacement: 'return `${beginningOf(importId)}${row}${Date.now() % 10}`;',
      },
    ],
  },
  {
    file: 'libs/imports/src/rows/row-runs.ts',
    tests: ['test/imports/resuming.test.ts'],
    mutants: [
      {
        noticed: 'rows that a dead process has offered are said to have failed',
        original: "if (error.slug === 'conflict') return",
        replacement: "if (error.slug === 'not-found') return",
      },
    ],
  },
  {
    file: 'libs/imports/src/work/import-rounds.ts',
    tests: ['test/imports/imports.test.ts'],
    mutants: [
      {
        noticed: 'rows are offered by a template that they were not checked by',
        original: 'rowsChecked(now, found.checks, configuration.contentVersion ?? 0)',
        replacement: 'rowsChecked(now, found.checks, (configuration.contentVersion ?? 0) + 1)',
      },
    ],
  },
  {
    file: 'libs/imports/src/import.ts',
    tests: ['test/imports/mailing-processes.test.ts'],
    mutants: [
      {
        noticed: 'mails that two processes queue are counted twice',
        original: ' && found.mailing.upTo === upTo',
      },
    ],
  },
  {
    file: 'libs/imports/src/work/import-mails.ts',
    tests: ['test/imports/mailing-processes.test.ts'],
    mutants: [
      {
        noticed: 'mails go out that were queued while somebody stopped them',
        original:
          'if (after?.mailing?.isStopped === true && after.mailing.round === mailing.round) await this.stop(mails);',
      },
      {
        noticed: 'a process that comes late stops the mails that another one has queued',
        original: 'after?.mailing?.isStopped === true &&',
        replacement: 'after?.mailing?.endedAt !== undefined &&',
      },
      {
        noticed: 'mails go out that were stopped when the process died that queued them',
        original: 'if (mailing?.isStopped === true) await this.stop(await this.next(importId, mailing));',
      },
    ],
  },
  {
    file: 'libs/imports/src/rows/import-rows.ts',
    tests: ['test/imports/imports.test.ts'],
    mutants: [
      {
        noticed: 'a clerk undoes what another one has corrected',
        original: 'and r.n = s.n and r.version = s.version returning',
        replacement: 'and r.n = s.n returning',
      },
    ],
  },
  {
    file: 'libs/imports/src/management/csv-output.ts',
    tests: ['libs/imports/src/management/csv-output.spec.ts'],
    mutants: [
      {
        noticed: 'a name that begins with = is calculated by the spreadsheet of whoever opens the result',
        original: "risky.test(text) ? `'${text}` : text",
        replacement: 'text',
      },
    ],
  },
  {
    file: 'libs/imports/src/reading/zip-limits.ts',
    tests: ['libs/imports/src/reading/read-table.spec.ts'],
    mutants: [
      {
        noticed: 'a small file takes all memory of the service',
        original: 'Math.min(left, Math.max(smallPart, packed * largestRatio))',
        replacement: 'mostBytes',
      },
    ],
  },
  {
    file: 'libs/approvals/src/approval.ts',
    tests: ['libs/approvals/src/approval.spec.ts'],
    mutants: [
      {
        noticed: 'whoever asks approves it themselves',
        original: "if (verdict === 'approve' && isSame(approval.requestedBy, by)) {",
        replacement: "if (verdict === 'reject' && isSame(approval.requestedBy, by)) {",
      },
      {
        noticed: 'one person with two keys is two persons',
        original: ' || (one.client === other.client && isKey(one) && isKey(other))',
      },
      {
        noticed: 'what was asked for last year is approved',
        original: "now.getTime() >= Date.parse(expiresAt) ? 'expired'",
        replacement: "now.getTime() < 0 ? 'expired'",
      },
      {
        noticed: 'what was decided in time expires as well',
        original: "return status === 'open' && stateOf(approval, now) === 'expired' ?",
        replacement: 'return now.getTime() >= Date.parse(expiresAt) ?',
      },
    ],
  },
  {
    file: 'libs/approvals/src/approvals.handlers.ts',
    tests: ['test/approvals/people.test.ts'],
    mutants: [
      {
        noticed: 'what somebody asked for before they lost their role is done in their name',
        original: 'await this.people.allows(principal, scope, templateId)',
        replacement: 'true',
      },
    ],
  },
  {
    file: 'libs/imports/src/management/imports.handlers.ts',
    tests: ['test/approvals/approvals.test.ts'],
    mutants: [
      {
        noticed: 'rows that nobody has approved are offered',
        original: ' || (await this.rows.revision(object)) !== revision',
      },
    ],
  },
  {
    file: 'libs/imports/src/management/rows.handlers.ts',
    tests: ['test/approvals/people.test.ts'],
    mutants: [
      {
        noticed: 'rows change after two have agreed on them',
        original: 'if (bulkOver !== undefined)',
        replacement: 'if (bulkOver === 0)',
      },
    ],
  },
  {
    file: 'libs/sessions/src/sessions.ts',
    tests: ['test/approvals/people.test.ts'],
    mutants: [
      {
        noticed: 'who went to another department still revokes what is of the former one',
        original: ' && templates.get(scope)?.has(templateId) !== false',
      },
    ],
  },
  {
    file: 'libs/sessions/src/session.ts',
    tests: ['test/console/sign-in.test.ts'],
    mutants: [
      {
        noticed: 'whoever writes into the database makes themselves an administrator',
        original: "if (!session.isProven) return 'altered';",
      },
      {
        noticed: 'a browser that was left open is good for ever',
        original: "return session.seenAt.getTime() + idleFor <= at ? 'idle' : undefined;",
        replacement: 'return undefined;',
      },
    ],
  },
  {
    file: 'libs/sessions/src/sign-ins.ts',
    tests: ['test/console/sign-in.test.ts'],
    mutants: [
      {
        noticed: 'somebody else confirms in the name of the one who is signed in',
        original: "if (before.subject !== subject) throw this.noted('other-person');",
      },
      {
        noticed: 'a stranger signs somebody in as themselves',
        original: "isSame(new URLSearchParams(query).get('state') ?? '', binding.state)",
        replacement: 'true',
      },
      {
        noticed: 'the address that a browser came back to leads in again',
        original: 'await this.useUp(flow, new Date(Number(ends)));',
      },
    ],
  },
  {
    file: 'libs/http/src/contract/template-limits.ts',
    tests: ['test/console/template-limits.test.ts'],
    mutants: [
      {
        noticed: 'a clerk reads the credentials of another department',
        original: 'found && isWithin(found, allowed) ? id',
        replacement: 'found ? id',
      },
      {
        noticed: 'a clerk lists what is of other departments',
        original: 'if (found.some((templates) => !isWithin(templates, allowed))) return false;',
      },
    ],
  },
  {
    file: 'libs/http/src/contract/input.ts',
    tests: ['test/console/template-limits.test.ts'],
    mutants: [
      {
        noticed: 'a clerk imports into the template of another department by a form',
        original: 'return { ...query, ...file?.fields };',
        replacement: 'return { ...file?.fields, ...query };',
      },
    ],
  },
];
