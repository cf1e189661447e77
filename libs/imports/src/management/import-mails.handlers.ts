import { noteSending } from '@app/access';
import { Settings } from '@app/config';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { currentPrincipal } from '@app/http';
import { assertRelay, StopMails } from '@app/mail';
import type { Language } from '@app/pages';
import { Inject } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { askMails, beginningOf, endMails } from '../import';
import { ImportRecords } from '../import-records';
import { type HandoverCounts, RowHandovers } from '../rows/row-handovers';
import { ImportWork } from '../work/import-work';
import { ImportHandler, type ImportView } from './import-changes.handlers';

/** Has the mails of its offers queued. Throws `conflict` and `setting-missing`. */
export class MailImport extends Command<ImportView> {
  constructor(
    readonly importId: string,
    readonly locale: Language | undefined,
  ) {
    super();
  }
}

/** Queues no more of its mails, and stops those that are queued. @returns how many were */
export class StopImportMails extends Command<number> {
  constructor(readonly importId: string) {
    super();
  }
}

export class CountHandovers extends Query<HandoverCounts> {
  constructor(readonly importId: string) {
    super();
  }
}

@CommandHandler(MailImport)
export class MailImportHandler extends ImportHandler implements ICommandHandler<MailImport> {
  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    records: ImportRecords,
    work: ImportWork,
    private readonly settings: Settings,
  ) {
    super(driver, records, work);
  }

  execute({ importId, locale }: MailImport): Promise<ImportView> {
    assertRelay(this.settings.mail);
    noteSending(importId);
    const { id: by } = currentPrincipal() ?? {};
    const asked = { ...(by !== undefined && { by }), ...(locale !== undefined && { locale }) };
    return this.change(importId, {}, (found, now) => askMails(found, asked, now));
  }
}

@CommandHandler(StopImportMails)
export class StopImportMailsHandler extends ImportHandler implements ICommandHandler<StopImportMails> {
  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    records: ImportRecords,
    work: ImportWork,
    private readonly commands: CommandBus,
  ) {
    super(driver, records, work);
  }

  async execute({ importId }: StopImportMails): Promise<number> {
    noteSending(importId);
    // What is being queued meanwhile is stopped by whoever queues it.
    await this.change(importId, {}, (found, now) => endMails(found, true, now));
    return this.commands.execute(new StopMails(beginningOf(importId)));
  }
}

@QueryHandler(CountHandovers)
export class CountHandoversHandler implements IQueryHandler<CountHandovers> {
  constructor(private readonly handovers: RowHandovers) {}

  execute({ importId }: CountHandovers): Promise<HandoverCounts> {
    return this.handovers.counts(importId);
  }
}
