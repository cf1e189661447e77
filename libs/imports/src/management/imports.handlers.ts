import { notePersonalData } from '@app/access';
import { Settings } from '@app/config';
import {
  DueErasures,
  type ErasureCause,
  erasePersonalData,
  EventStore,
  InvalidCursorError,
  type Page,
  type Repository,
  SQL_DRIVER,
  type SqlDriver,
} from '@app/event-store';
import { assertConditions, type Conditions, currentPrincipal, type PageQuery, versionConflict } from '@app/http';
import { ForgetSubmission } from '@app/issuance';
import { Housekeeping } from '@app/operation';
import { Problem } from '@app/primitives/problems';
import { Tenants } from '@app/primitives/context';
import { GetConfigurationOfTemplate, type IssuableConfiguration } from '@app/templates';
import { Inject, type OnModuleInit } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  ICommandHandler,
  IQueryHandler,
  Query,
  QueryBus,
  QueryHandler,
} from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import {
  assertCorrectable,
  cancelImport,
  type Import,
  importAggregate,
  type ImportEvent,
  IMPORTS,
  mapColumns,
  pauseImport,
  receiveImport,
  resumeImport,
  rowOfCredential,
  startImport,
} from '../import';
import { ImportRecords, type StoredImport } from '../import-records';
import { faultIn, type Mapping } from '../mapping/mapping';
import { type Target, targetsOf } from '../mapping/targets';
import { ImportFiles } from '../rows/import-files';
import { ImportRows, type RowCounts, type RowState, type StoredRow } from '../rows/import-rows';
import { type ImportColumns, type ImportSeal, ImportSeals, type RowContent } from '../rows/import-seals';
import { corrected, RowChecks } from '../rows/row-checks';
import { ImportWork } from '../work/import-work';

const partSize = 1024 * 1024;
const day = 24 * 60 * 60 * 1000;

/** An import with what became of its rows. */
export interface ImportView extends StoredImport {
  readonly counts: RowCounts;
}

/** A row that was opened. */
export interface OpenedRow extends Omit<StoredRow, 'sealed'>, RowContent {
  readonly importId: string;
  readonly headers: readonly string[];
}

export interface ColumnsView {
  readonly stored: StoredImport;
  readonly columns: ImportColumns;
  readonly targets: readonly Target[];
}

/** Takes a file in; what is in it is read afterwards. Throws `template-not-found` and `template-not-published`. */
export class ReceiveImport extends Command<ImportView> {
  constructor(
    readonly templateId: string,
    readonly file: Buffer,
  ) {
    super();
  }
}

export class MapImport extends Command<ImportView> {
  constructor(
    readonly importId: string,
    readonly mapping: Mapping,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

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

const moves = { pause: pauseImport, resume: resumeImport, cancel: cancelImport };

/** A change of the state alone. */
export class MoveImport extends Command<ImportView> {
  constructor(
    readonly importId: string,
    readonly move: keyof typeof moves,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

/** Begins to make offers of the rows that are ready. Throws `conflict`, also when the rows have to be checked again first. */
export class StartImport extends Command<ImportView> {
  constructor(
    readonly importId: string,
    readonly conditions: Conditions,
    /** Who has decided it. */
    readonly by: string | undefined = currentPrincipal()?.id,
  ) {
    super();
  }
}

export class EraseImport extends Command<void> {
  constructor(
    readonly importId: string,
    readonly cause: ErasureCause,
  ) {
    super();
  }
}

export class GetImport extends Query<ImportView> {
  constructor(readonly importId: string) {
    super();
  }
}

export class ListImports extends Query<Page<Import>> {
  constructor(readonly page: PageQuery) {
    super();
  }
}

export class GetColumns extends Query<ColumnsView> {
  constructor(readonly importId: string) {
    super();
  }
}

export class ListRows extends Query<{ readonly items: readonly OpenedRow[]; readonly nextCursor: string | null }> {
  constructor(
    readonly importId: string,
    readonly page: PageQuery,
    readonly state: RowState | undefined,
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

/** What a column can be in a file for this template. Throws `template-not-found` and `template-not-published`. */
export class FindTargets extends Query<readonly Target[]> {
  constructor(readonly templateId: string) {
    super();
  }
}

@CommandHandler(ReceiveImport)
export class ReceiveImportHandler implements ICommandHandler<ReceiveImport> {
  private readonly files: ImportFiles;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
    private readonly seals: ImportSeals,
    private readonly store: EventStore,
    private readonly settings: Settings,
    private readonly queries: QueryBus,
    private readonly work: ImportWork,
  ) {
    this.files = new ImportFiles(driver);
  }

  async execute({ templateId, file }: ReceiveImport): Promise<ImportView> {
    await this.queries.execute(new GetConfigurationOfTemplate(templateId));
    const importId = randomUUID();
    const { wrapped } = await this.seals.withNewKey(importId, async (seal) => {
      // Its parts leave room for the statements of others.
      for (let part = 0; part * partSize < file.length; part++) {
        const bytes = file.subarray(part * partSize, (part + 1) * partSize);
        await this.files.addPart(importId, part, seal.sealPart(part, bytes));
      }
    });
    await this.files.wake(importId);
    const now = this.store.clock();
    const { id: by } = currentPrincipal() ?? {};
    const eraseAt = new Date(now.getTime() + this.settings.imports.retentionDays * day).toISOString();
    const terms = { templateId, createdAt: now.toISOString(), eraseAt, ...(by !== undefined && { by }) };
    const stored = await this.records.create(importId, receiveImport(terms), wrapped);
    this.work.wake();
    return { ...stored, counts: {} };
  }
}

/** Common to all that changes an import. */
abstract class ImportHandler {
  protected readonly rows: ImportRows;
  private readonly files: ImportFiles;

  constructor(
    driver: SqlDriver,
    protected readonly records: ImportRecords,
    private readonly work: ImportWork,
  ) {
    this.files = new ImportFiles(driver);
    this.rows = new ImportRows(driver);
  }

  /** Has it looked after as well. */
  protected async change(
    importId: string,
    conditions: Conditions,
    decide: (found: Import, now: Date) => readonly ImportEvent[],
  ): Promise<ImportView> {
    await this.records.find(importId);
    // Before what there is to do is stored.
    await this.files.wake(importId);
    const stored = await this.records.change(importId, conditions, decide);
    this.work.wake();
    return { ...stored, counts: await this.rows.counts(importId) };
  }
}

@CommandHandler(MapImport)
export class MapImportHandler extends ImportHandler implements ICommandHandler<MapImport> {
  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    records: ImportRecords,
    work: ImportWork,
    private readonly seals: ImportSeals,
    private readonly queries: QueryBus,
  ) {
    super(driver, records, work);
  }

  async execute({ importId, mapping, conditions }: MapImport): Promise<ImportView> {
    const stored = await this.records.find(importId);
    const { found, dataKey } = stored;
    const configuration = await this.queries.execute(new GetConfigurationOfTemplate(found.templateId));
    const sealed = await this.seals.withKey(importId, dataKey, (seal) => {
      const { headers } = columnsOf(found, seal);
      const fault = faultIn(mapping, headers, targetsOf(configuration));
      if (fault !== undefined) throw new Problem('validation-failed', fault);
      const columns = headers.map((_, index) => mapping.columns[index] ?? null);
      return seal.sealColumns({ ...mapping, headers, columns });
    });
    if (sealed === undefined) throw erased(importId);
    return this.change(importId, conditions, (now) => mapColumns(now, sealed));
  }
}

@CommandHandler(MoveImport)
export class MoveImportHandler extends ImportHandler implements ICommandHandler<MoveImport> {
  constructor(@Inject(SQL_DRIVER) driver: SqlDriver, records: ImportRecords, work: ImportWork) {
    super(driver, records, work);
  }

  execute({ importId, move, conditions }: MoveImport): Promise<ImportView> {
    return this.change(importId, conditions, moves[move]);
  }
}

@CommandHandler(StartImport)
export class StartImportHandler extends ImportHandler implements ICommandHandler<StartImport> {
  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    records: ImportRecords,
    work: ImportWork,
    private readonly queries: QueryBus,
  ) {
    super(driver, records, work);
  }

  async execute({ importId, conditions, by }: StartImport): Promise<ImportView> {
    const { found } = await this.records.find(importId);
    const configuration = await this.queries.execute(new GetConfigurationOfTemplate(found.templateId));
    const { contentVersion = 0 } = configuration;
    const started = await this.change(importId, conditions, (now, at) => startImport(now, contentVersion, by, at));
    if (started.found.status === 'Running') return started;
    throw new Problem(
      'conflict',
      'The template has changed since the rows were checked. They are being checked again: look at them, and start then.',
    );
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
  ) {
    this.rows = new ImportRows(driver);
  }

  async execute({ importId, row, values, conditions }: CorrectRow): Promise<OpenedRow> {
    const { found, dataKey } = await this.records.find(importId);
    const before = await existing(this.rows, importId, row);
    assertConditions(conditions, before.version);
    assertCorrectable(found);
    const configuration = await this.queries.execute(new GetConfigurationOfTemplate(found.templateId));
    notePersonalData();
    const changed = await this.seals.withKey(importId, dataKey, async (seal) => {
      const columns = columnsOf(found, seal);
      const beyond = [...values.keys()].find((column) => column > columns.headers.length);
      if (beyond !== undefined) throw new Problem('validation-failed', `The file has ${columns.headers.length} columns.`);
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

@CommandHandler(EraseImport)
export class EraseImportHandler implements ICommandHandler<EraseImport>, OnModuleInit {
  private readonly rows: ImportRows;
  private readonly files: ImportFiles;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    @Inject(IMPORTS) private readonly imports: Repository<Import, ImportEvent>,
    private readonly store: EventStore,
    private readonly due: DueErasures,
    private readonly housekeeping: Housekeeping,
    private readonly settings: Settings,
    tenants: Tenants,
  ) {
    this.rows = new ImportRows(driver);
    this.files = new ImportFiles(driver);
    tenants.endWith(() => this.files.removeAll());
  }

  onModuleInit(): void {
    this.due.add(importAggregate.category, (id) => this.execute(new EraseImport(id, 'retention')));
    this.housekeeping.alsoRemove(() => this.files.removeOld(this.settings.imports.retentionDays + 1));
  }

  async execute({ importId, cause }: EraseImport): Promise<void> {
    await this.store.transact(async () => {
      await this.imports.update(importId, ({ state, now }) => (state ? erasePersonalData(state, cause, now) : []));
      await this.store.destroyDataKey(importAggregate.category, importId);
    });
    await this.rows.remove(importId);
    await this.files.removeFile(importId);
    await this.files.remove(importId);
  }
}

@CommandHandler(ForgetSubmission)
export class ForgetSubmissionHandler implements ICommandHandler<ForgetSubmission> {
  private readonly rows: ImportRows;

  constructor(@Inject(SQL_DRIVER) driver: SqlDriver) {
    this.rows = new ImportRows(driver);
  }

  async execute({ credentialId }: ForgetSubmission): Promise<void> {
    const origin = rowOfCredential(credentialId);
    if (origin) await this.rows.forget(origin.importId, origin.row);
  }
}

@QueryHandler(GetImport)
export class GetImportHandler implements IQueryHandler<GetImport> {
  private readonly rows: ImportRows;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
  ) {
    this.rows = new ImportRows(driver);
  }

  async execute({ importId }: GetImport): Promise<ImportView> {
    const stored = await this.records.find(importId);
    return { ...stored, counts: await this.rows.counts(importId) };
  }
}

@QueryHandler(ListImports)
export class ListImportsHandler implements IQueryHandler<ListImports> {
  constructor(private readonly records: ImportRecords) {}

  execute({ page }: ListImports): Promise<Page<Import>> {
    return this.records.list(page);
  }
}

@QueryHandler(GetColumns)
export class GetColumnsHandler implements IQueryHandler<GetColumns> {
  constructor(
    private readonly records: ImportRecords,
    private readonly seals: ImportSeals,
    private readonly queries: QueryBus,
  ) {}

  async execute({ importId }: GetColumns): Promise<ColumnsView> {
    const stored = await this.records.find(importId);
    const { found, dataKey } = stored;
    const configuration = await this.queries.execute(new GetConfigurationOfTemplate(found.templateId));
    // The first row of a file without names of columns is somebody's.
    notePersonalData();
    const columns = await this.seals.withKey(importId, dataKey, (seal) => columnsOf(found, seal));
    if (!columns) throw erased(importId);
    return { stored, columns, targets: targetsOf(configuration) };
  }
}

@QueryHandler(ListRows)
export class ListRowsHandler implements IQueryHandler<ListRows> {
  private readonly rows: ImportRows;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
    private readonly seals: ImportSeals,
  ) {
    this.rows = new ImportRows(driver);
  }

  async execute({ importId, page: { limit, cursor }, state }: ListRows) {
    if (cursor !== undefined && !/^[1-9]\d{0,7}$/.test(cursor)) throw new InvalidCursorError();
    const { found, dataKey } = await this.records.find(importId);
    notePersonalData();
    const rows = await this.rows.list(importId, state, Number(cursor ?? 0), limit + 1);
    const items = await this.seals.withKey(importId, dataKey, (seal) => {
      const headers = headersOf(found, seal);
      return rows.slice(0, limit).map((row) => openedOf(importId, row, seal, headers));
    });
    const last = items?.at(-1)?.row;
    return { items: items ?? [], nextCursor: rows.length > limit && last !== undefined ? String(last) : null };
  }
}

@QueryHandler(GetRow)
export class GetRowHandler implements IQueryHandler<GetRow> {
  private readonly rows: ImportRows;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
    private readonly seals: ImportSeals,
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
    return opened;
  }
}

@QueryHandler(FindTargets)
export class FindTargetsHandler implements IQueryHandler<FindTargets> {
  constructor(private readonly queries: QueryBus) {}

  async execute({ templateId }: FindTargets): Promise<readonly Target[]> {
    const configuration: IssuableConfiguration = await this.queries.execute(new GetConfigurationOfTemplate(templateId));
    return targetsOf(configuration);
  }
}

function openedOf(importId: string, stored: StoredRow, seal: ImportSeal, headers: readonly string[]): OpenedRow {
  const { sealed, ...row } = stored;
  return { ...row, ...seal.openRow(row.row, sealed), importId, headers };
}

function headersOf({ sealedColumns }: Import, seal: ImportSeal): readonly string[] {
  return sealedColumns === undefined ? [] : seal.openColumns(sealedColumns).headers;
}

function columnsOf(found: Import, seal: ImportSeal): ImportColumns {
  if (found.sealedColumns !== undefined) return seal.openColumns(found.sealedColumns);
  throw new Problem('conflict', `The import is ${found.status}, and its columns are not known.`);
}

async function existing(rows: ImportRows, importId: string, row: number): Promise<StoredRow> {
  const found = await rows.find(importId, row);
  if (!found) throw new Problem('not-found', `The import has no row ${row} with data.`);
  return found;
}

function erased(importId: string): Problem {
  return new Problem('conflict', `What the import ${importId} was made of is erased.`);
}
