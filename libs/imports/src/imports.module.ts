import { EventStore } from '@app/event-store';
import { TemplateLimits } from '@app/http';
import { OperationModule } from '@app/operation';
import { Module, type OnModuleInit } from '@nestjs/common';
import { importAggregate, IMPORTS } from './import';
import { ImportRecords } from './import-records';
import { ImportResults } from './management/import-results';
import { ImportsController } from './management/imports.controller';
import { GetColumnsHandler, MapImportHandler } from './management/columns.handlers';
import { ForgetSubmissionHandler, ImportErasure } from './management/import-erasure.handlers';
import {
  CarryOutImportHandler,
  FindTargetsHandler,
  GetImportHandler,
  ListImportsHandler,
  MoveImportHandler,
  ReceiveImportHandler,
  StartImportHandler,
} from './management/imports.handlers';
import { CountHandoversHandler, MailImportHandler, StopImportMailsHandler } from './management/import-mails.handlers';
import { CorrectRowHandler, GetRowHandler, ListRowsHandler } from './management/rows.handlers';
import { ImportSeals } from './rows/import-seals';
import { RowChecks } from './rows/row-checks';
import { RowHandovers } from './rows/row-handovers';
import { RowRuns } from './rows/row-runs';
import { ImportMails } from './work/import-mails';
import { ImportRounds } from './work/import-rounds';
import { ImportWork } from './work/import-work';

@Module({
  imports: [OperationModule],
  controllers: [ImportsController],
  providers: [
    { provide: IMPORTS, inject: [EventStore], useFactory: (store: EventStore) => store.repository(importAggregate) },
    ImportRecords,
    ImportSeals,
    RowChecks,
    RowRuns,
    RowHandovers,
    ImportMails,
    ImportRounds,
    ImportWork,
    ImportResults,
    ReceiveImportHandler,
    MapImportHandler,
    CorrectRowHandler,
    StartImportHandler,
    CarryOutImportHandler,
    MoveImportHandler,
    MailImportHandler,
    StopImportMailsHandler,
    CountHandoversHandler,
    ImportErasure,
    ForgetSubmissionHandler,
    GetImportHandler,
    ListImportsHandler,
    GetColumnsHandler,
    ListRowsHandler,
    GetRowHandler,
    FindTargetsHandler,
  ],
})
export class ImportsModule implements OnModuleInit {
  constructor(
    private readonly limits: TemplateLimits,
    private readonly records: ImportRecords,
  ) {}

  onModuleInit(): void {
    this.limits.knows('importId', async (id) => {
      const stored = await this.records.present(id);
      return stored && [stored.found.templateId];
    });
  }
}
