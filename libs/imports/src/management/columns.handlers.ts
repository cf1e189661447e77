import { notePersonalData } from '@app/access';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { assertConditions, type Conditions } from '@app/http';
import { Problem } from '@app/primitives/problems';
import { GetConfigurationOfTemplate } from '@app/templates';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { mapColumns } from '../import';
import { ImportRecords, type StoredImport } from '../import-records';
import { faultIn, type Mapping } from '../mapping/mapping';
import { type ColumnTarget, targetsOf } from '../mapping/targets';
import { type ImportColumns, ImportSeals } from '../rows/import-seals';
import { ImportWork } from '../work/import-work';
import { ImportHandler, type ImportView } from './import-changes.handlers';
import { columnsOf, erased } from './opened-columns';

export interface ColumnsView {
  readonly stored: StoredImport;
  readonly columns: ImportColumns;
  readonly targets: readonly ColumnTarget[];
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

export class GetColumns extends Query<ColumnsView> {
  constructor(readonly importId: string) {
    super();
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
    const { found, dataKey, version } = stored;
    assertConditions(conditions, version);
    const configuration = await this.queries.execute(new GetConfigurationOfTemplate(found.templateId));
    const sealed = await this.seals.withKey(importId, dataKey, (seal) => {
      const { headers } = columnsOf(found, seal);
      const fault = faultIn(mapping, headers, targetsOf(configuration));
      if (fault !== undefined) throw new Problem('conflict', fault);
      const columns = headers.map((_, index) => mapping.columns[index] ?? null);
      return seal.sealColumns({ ...mapping, headers, columns });
    });
    if (sealed === undefined) throw erased(importId);
    return this.change(importId, conditions, (now) => mapColumns(now, sealed));
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
