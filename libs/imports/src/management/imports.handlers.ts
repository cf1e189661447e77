import { type CarriedOut, CarryOutImport, type OpenedApproval, RequestApproval } from '@app/approvals';
import { Settings } from '@app/config';
import { EventStore, type Page, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { type Conditions, currentPrincipal, type PageQuery } from '@app/http';
import { Problem } from '@app/primitives/problems';
import { FindFourEyes, GetConfigurationOfTemplate, type IssuableConfiguration } from '@app/templates';
import { Inject } from '@nestjs/common';
import {
  Command,
  CommandBus,
  CommandHandler,
  ICommandHandler,
  IQueryHandler,
  Query,
  QueryBus,
  QueryHandler,
} from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import {
  askApproval,
  cancelImport,
  type Import,
  pauseImport,
  receiveImport,
  resumeImport,
  startImport,
} from '../import';
import { ImportRecords } from '../import-records';
import { type ColumnTarget, targetsOf } from '../mapping/targets';
import { ImportFiles } from '../rows/import-files';
import { ImportRows } from '../rows/import-rows';
import { ImportSeals } from '../rows/import-seals';
import { ImportWork } from '../work/import-work';
import { ImportHandler, type ImportView } from './import-changes.handlers';

const partSize = 1024 * 1024;
const day = 24 * 60 * 60 * 1000;

/** Takes a file in; what is in it is read afterwards. Throws `template-not-found` and `template-not-published`. */
export class ReceiveImport extends Command<ImportView> {
  constructor(
    readonly templateId: string,
    readonly file: Buffer,
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

/** An import, and the approval that its start awaits, if any. */
export interface StartedImport extends ImportView {
  readonly approval?: OpenedApproval | undefined;
}

/** Begins to make offers of the rows that are ready. Throws `conflict`, also when the rows have to be checked again first. */
export class StartImport extends Command<StartedImport> {
  constructor(
    readonly importId: string,
    readonly conditions: Conditions,
    /** Who has decided it. */
    readonly by: string | undefined = currentPrincipal()?.id,
    readonly isApproved = false,
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

/** What a column can be in a file for this template. Throws `template-not-found` and `template-not-published`. */
export class FindTargets extends Query<readonly ColumnTarget[]> {
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
    private readonly commands: CommandBus,
  ) {
    super(driver, records, work);
  }

  async execute({ importId, conditions, by, isApproved }: StartImport): Promise<StartedImport> {
    const { found } = await this.records.find(importId);
    const configuration = await this.queries.execute(new GetConfigurationOfTemplate(found.templateId));
    const { contentVersion = 0 } = configuration;
    const isOfTwo = !isApproved && (await this.isOfTwo(importId, found.templateId));
    let approval: OpenedApproval | undefined;
    const started = await this.change(importId, conditions, async (now, at) => {
      const events = startImport(now, contentVersion, by, at);
      if (!isOfTwo || events.some(({ type }) => type !== 'ImportStarted')) return events;
      approval = await this.askedFor(importId, now.templateId, by);
      return askApproval(now, approval.approval.approvalId);
    });
    if (approval || started.found.status === 'Running') return { ...started, approval };
    throw new Problem(
      'conflict',
      'The template has changed since the rows were checked. They are being checked again: look at them, and start then.',
    );
  }

  private async isOfTwo(importId: string, templateId: string): Promise<boolean> {
    const { bulkOver } = await this.queries.execute(new FindFourEyes(templateId));
    return bulkOver !== undefined && ((await this.rows.counts(importId)).ready ?? 0) > bulkOver;
  }

  private async askedFor(importId: string, templateId: string, by: string | undefined): Promise<OpenedApproval> {
    const { ready: rows = 0 } = await this.rows.counts(importId);
    const details = { rows, revision: await this.rows.revision(importId), ...(by !== undefined && { by }) };
    return this.commands.execute(
      new RequestApproval({ action: 'import.start', object: importId, templateId, details }),
    );
  }
}

@CommandHandler(CarryOutImport)
export class CarryOutImportHandler implements ICommandHandler<CarryOutImport> {
  private readonly rows: ImportRows;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
    private readonly queries: QueryBus,
    private readonly commands: CommandBus,
  ) {
    this.rows = new ImportRows(driver);
  }

  /** The import has to be what the one who asked has seen. */
  async execute({ object, details: { revision, by } }: CarryOutImport): Promise<CarriedOut> {
    const { found, version } = await this.records.find(object);
    if (found.status !== 'Checked' || (await this.rows.revision(object)) !== revision)
      return { reason: 'import-changed' };
    const { contentVersion = 0 } = await this.queries.execute(new GetConfigurationOfTemplate(found.templateId));
    if (contentVersion !== found.contentVersion) return { reason: 'template-changed' };
    const asker = typeof by === 'string' ? by : undefined;
    await this.commands.execute(new StartImport(object, { match: [version] }, asker, true));
    return undefined;
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

@QueryHandler(FindTargets)
export class FindTargetsHandler implements IQueryHandler<FindTargets> {
  constructor(private readonly queries: QueryBus) {}

  async execute({ templateId }: FindTargets): Promise<readonly ColumnTarget[]> {
    const configuration: IssuableConfiguration = await this.queries.execute(new GetConfigurationOfTemplate(templateId));
    return targetsOf(configuration);
  }
}
