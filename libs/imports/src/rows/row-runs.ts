import { PrepareCredential } from '@app/issuance';
import { inLanes } from '@app/primitives/awaitable';
import { Problem, type ProblemSlug } from '@app/primitives/problems';
import { FindStandings } from '@app/offers';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { credentialIdOf } from '../import';
import type { RowSubmission } from '../mapping/submission';
import type { RowResult, StoredRow } from './import-rows';
import { type CheckPlan, rowInputOf, resultOf, RowChecks } from './row-checks';

/** Credentials that are made at the same time; their units of work share statements. */
const lanes = 8;
/** Refusals that say nothing of the row: what comes and goes, and what its template is refused with. */
const others: ReadonlySet<ProblemSlug> = new Set([
  'unavailable',
  'outcome-unknown',
  'claims-not-checked',
  'template-not-found',
  'template-not-published',
  'no-credential-configuration-found',
]);

/** Makes credentials and offers of rows. */
@Injectable()
export class RowRuns {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly checks: RowChecks,
  ) {}

  /** What came of rows that are ready. A row that has a credential already gets no other. Throws what is not about a row. */
  async run(rows: readonly StoredRow[], plan: CheckPlan): Promise<readonly RowResult[]> {
    const read = rows.map((row) => ({ row, ...this.checks.read(row, plan) }));
    const asked = read.map(({ row, submission }) => ({ row: row.row, reference: submission.reference }));
    const known = await this.checks.knownAs(asked, plan);
    const results: RowResult[] = [];
    await inLanes(read.entries(), lanes, async ([at, { row, cells, submission }]) => {
      const state = known.get(row.row);
      results[at] =
        state === undefined
          ? await this.create(row, submission, plan)
          : resultOf(row, state, { cells }, submission, plan.seal);
    });
    return results;
  }

  private async create(row: StoredRow, submission: RowSubmission, plan: CheckPlan): Promise<RowResult> {
    const { reference } = submission;
    const made = () => resultOf(row, 'created', reference === undefined ? {} : { reference }, submission, plan.seal);
    const bare = () => ({ ...made(), same: null, sealed: '' });
    try {
      await this.commands.execute(
        new PrepareCredential(rowInputOf(plan.importId, row.row, submission, plan.configuration)),
      );
      return made();
    } catch (error) {
      if (!(error instanceof Problem) || others.has(error.slug)) throw error;
      // A process that ended before it could say so has made it; it may have been taken, or erased, since.
      if (error.slug === 'conflict') return (await this.isErased(plan.importId, row.row)) ? bare() : made();
      const faults = [{ message: error.detail }];
      const { cells } = plan.seal.openRow(row.row, row.sealed);
      return resultOf(row, 'failed', { ...(cells && { cells }), faults }, submission, plan.seal);
    }
  }

  /** No one else makes credentials with such an id. */
  private async isErased(importId: string, row: number): Promise<boolean> {
    const [standing] = await this.queries.execute(new FindStandings([credentialIdOf(importId, row)]));
    return standing === 'erased';
  }
}
