import { notePersonalData } from '@app/access';
import { InvalidCursorError, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { assertConditions, type Conditions, type PageQuery, versionConflict } from '@app/http';
import { Problem } from '@app/primitives/problems';
import { FindFourEyes, GetConfigurationOfTemplate } from '@app/templates';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { assertCorrectable, type Import } from '../import';
import { ImportRecords } from '../import-records';
import { ImportRows, type RowState, type StoredRow } from '../rows/import-rows';
import { type ImportSeal, ImportSeals, type RowContent } from '../rows/import-seals';
import { corrected, RowChecks } from '../rows/row-checks';
import { type RowHandover, RowHandovers } from '../rows/row-handovers';
import { ImportWork } from '../work/import-work';
import { columnsOf, erased } from './opened-columns';

/** A row that was opened. */
export interface OpenedRow extends Omit<StoredRow, 'sealed'>, RowContent {
  readonly importId: string;
  /** Of one that is offered. */
  readonly handover?: RowHandover | undefined;
  readonly headers: readonly string[];
}

interface RowPage {
  readonly rows: readonly StoredRow[];
  readonly handovers: ReadonlyMap<number, RowHandover>;
  /** Where the next page begins; `undefined` after the last one. */
  readonly next: number | undefined;
}

/** Rows of which a page by what was taken is made. */
const mostLooked = 2_000;
const lookedAtOnce = 200;

/** Changes cells of a row, by the places of their columns from 1, and checks it. */
export class CorrectRow extends Command<OpenedRow> {
  constructor(
    readonly importId: string,
    readonly row: number,
    readonly values: ReadonlyMap<number, string>,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class ListRows extends Query<{ readonly items: readonly OpenedRow[]; readonly nextCursor: string | null }> {
  constructor(
    readonly importId: string,
    readonly page: PageQuery,
    readonly state: RowState | undefined,
    /** Of rows that are offered: whether a wallet has taken theirs. */
    readonly isTaken: boolean | undefined,
  ) {
    super();
  }
}

export class GetRow extends Query<OpenedRow> {
  constructor(
    readonly importId: string,
    readonly row: number,
  ) {
    super();
  }
}

@CommandHandler(CorrectRow)
export class CorrectRowHandler implements ICommandHandler<CorrectRow> {
  private readonly rows: ImportRows;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
    private readonly seals: ImportSeals,
    private readonly checks: RowChecks,
    private readonly queries: QueryBus,
    private readonly work: ImportWork,
  ) {
    this.rows = new ImportRows(driver);
  }

  async execute(correction: CorrectRow): Promise<OpenedRow> {
    const { importId } = correction;
    const { found } = await this.records.find(importId);
    // After a pause the batch under way goes on with what its rows said.
    return found.status === 'Paused'
      ? this.work.atRest(importId, () => this.correct(correction))
      : this.correct(correction);
  }

  private async correct({ importId, row, values, conditions }: CorrectRow): Promise<OpenedRow> {
    const { found, dataKey } = await this.records.find(importId);
    const before = await existing(this.rows, importId, row);
    assertConditions(conditions, before.version);
    assertCorrectable(found);
    if (found.status === 'Paused') {
      const { bulkOver } = await this.queries.execute(new FindFourEyes(found.templateId));
      if (bulkOver !== undefined)
        throw new Problem(
          'conflict',
          'By fourEyes of its template, rows are corrected before the start only: send them in another file.',
        );
    }
    const configuration = await this.queries.execute(new GetConfigurationOfTemplate(found.templateId));
    notePersonalData();
    const changed = await this.seals.withKey(importId, dataKey, async (seal) => {
      const columns = columnsOf(found, seal);
      const beyond = [...values.keys()].find((column) => column > columns.headers.length);
      if (beyond !== undefined) throw new Problem('conflict', `The file has ${columns.headers.length} columns.`);
      const { cells = [] } = seal.openRow(row, before.sealed);
      const sealed = seal.sealRow(row, { cells: corrected(cells, values) });
      const plan = { importId, configuration, columns, seal };
      const [result] = await this.checks.check([{ ...before, sealed }], plan);
      if (!result) throw new Error('a row without a result');
      if (before.state === 'created') throw new Problem('conflict', `Row ${row} has been offered already.`);
      const settled = await this.rows.settle(importId, found.checks, [result]);
      if (!settled.has(row)) throw versionConflict();
      // Those that were the same as before may be ready now.
      await this.rows.markDuplicates(importId);
      return openedOf(importId, await existing(this.rows, importId, row), seal, columns.headers);
    });
    if (!changed) throw erased(importId);
    return changed;
  }
}

@QueryHandler(ListRows)
export class ListRowsHandler implements IQueryHandler<ListRows> {
  private readonly rows: ImportRows;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
    private readonly seals: ImportSeals,
    private readonly handovers: RowHandovers,
  ) {
    this.rows = new ImportRows(driver);
  }

  async execute({ importId, page: { limit, cursor }, state, isTaken }: ListRows) {
    if (cursor !== undefined && !/^[1-9]\d{0,7}$/.test(cursor)) throw new InvalidCursorError();
    const { found, dataKey } = await this.records.find(importId);
    notePersonalData();
    const after = Number(cursor ?? 0);
    const { rows, handovers, next } =
      isTaken === undefined
        ? await this.page(importId, state, after, limit)
        : await this.byTaken(importId, state, after, limit, isTaken);
    const items = await this.seals.withKey(importId, dataKey, (seal) => {
      const headers = headersOf(found, seal);
      return rows.map((row) => ({
        ...openedOf(importId, row, seal, headers),
        handover: handovers.get(row.row),
      }));
    });
    return { items: items ?? [], nextCursor: items && next !== undefined ? String(next) : null };
  }

  private async page(importId: string, state: RowState | undefined, after: number, limit: number): Promise<RowPage> {
    const found = await this.rows.list(importId, state, after, limit + 1);
    const rows = found.slice(0, limit);
    const next = found.length > limit ? rows.at(-1)?.row : undefined;
    return { rows, handovers: await this.handovers.of(importId, rows), next };
  }

  /** A page may have fewer rows than there could be, so that none takes long. */
  private async byTaken(
    importId: string,
    state: RowState | undefined,
    from: number,
    limit: number,
    isTaken: boolean,
  ): Promise<RowPage> {
    const rows: StoredRow[] = [];
    const handovers = new Map<number, RowHandover>();
    if (state !== undefined && state !== 'created') return { rows, handovers, next: undefined };
    let after = from;
    for (let looked = 0; looked < mostLooked; looked += lookedAtOnce) {
      const some = await this.rows.list(importId, 'created', after, lookedAtOnce);
      const found = await this.handovers.of(importId, some);
      for (const row of some) {
        after = row.row;
        const handover = found.get(row.row);
        if ((handover?.offerState === 'Redeemed') !== isTaken) continue;
        rows.push(row);
        if (handover) handovers.set(row.row, handover);
        if (rows.length === limit) return { rows, handovers, next: after };
      }
      if (some.length < lookedAtOnce) return { rows, handovers, next: undefined };
    }
    return { rows, handovers, next: after };
  }
}

@QueryHandler(GetRow)
export class GetRowHandler implements IQueryHandler<GetRow> {
  private readonly rows: ImportRows;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
    private readonly seals: ImportSeals,
    private readonly handovers: RowHandovers,
  ) {
    this.rows = new ImportRows(driver);
  }

  async execute({ importId, row }: GetRow): Promise<OpenedRow> {
    const { found, dataKey } = await this.records.find(importId);
    const stored = await existing(this.rows, importId, row);
    notePersonalData();
    const opened = await this.seals.withKey(importId, dataKey, (seal) =>
      openedOf(importId, stored, seal, headersOf(found, seal)),
    );
    if (!opened) throw erased(importId);
    return { ...opened, handover: (await this.handovers.of(importId, [stored])).get(row) };
  }
}

function openedOf(importId: string, stored: StoredRow, seal: ImportSeal, headers: readonly string[]): OpenedRow {
  const { sealed, ...row } = stored;
  return { ...row, ...seal.openRow(row.row, sealed), importId, headers };
}

function headersOf({ sealedColumns }: Import, seal: ImportSeal): readonly string[] {
  return sealedColumns === undefined ? [] : seal.openColumns(sealedColumns).headers;
}

async function existing(rows: ImportRows, importId: string, row: number): Promise<StoredRow> {
  const found = await rows.find(importId, row);
  if (!found) throw new Problem('not-found', `The import has no row ${row} with data.`);
  return found;
}
