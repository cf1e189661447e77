import { Settings } from '@app/config';
import {
  DueErasures,
  type ErasureCause,
  erasePersonalData,
  EventStore,
  type Repository,
  SQL_DRIVER,
  type SqlDriver,
} from '@app/event-store';
import { ForgetSubmission } from '@app/issuance';
import { Housekeeping } from '@app/operation';
import { Tenants } from '@app/primitives/context';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { type Import, importAggregate, type ImportEvent, IMPORTS, rowOfCredential } from '../import';
import { ImportFiles } from '../rows/import-files';
import { ImportRows } from '../rows/import-rows';

/** Erases what comes from a file when its time has come. */
@Injectable()
export class ImportErasure implements OnModuleInit {
  private readonly rows: ImportRows;
  private readonly files: ImportFiles;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    @Inject(IMPORTS) private readonly imports: Repository<Import, ImportEvent>,
    private readonly store: EventStore,
    private readonly due: DueErasures,
    private readonly housekeeping: Housekeeping,
    private readonly settings: Settings,
    private readonly tenants: Tenants,
  ) {
    this.rows = new ImportRows(driver);
    this.files = new ImportFiles(driver);
    tenants.endWith(() => this.files.removeAll());
  }

  onModuleInit(): void {
    this.due.add(importAggregate.category, (id) => this.erase(id, 'retention'));
    this.housekeeping.alsoRemove(() => this.removeOld());
  }

  /** Again, too, when it was erased. */
  private async erase(importId: string, cause: ErasureCause): Promise<void> {
    await this.store.transact(async () => {
      await this.imports.update(importId, ({ state, now }) => (state ? erasePersonalData(state, cause, now) : []));
      await this.store.destroyDataKey(importAggregate.category, importId);
    });
    await this.removeRows(importId);
  }

  private async removeRows(importId: string): Promise<void> {
    await this.rows.remove(importId);
    await this.files.removeFile(importId);
    await this.files.remove(importId);
  }

  private async removeOld(): Promise<void> {
    for (const { importId, tenant } of await this.files.old(this.settings.imports.retentionDays + 1)) {
      await this.tenants.as(tenant, () => this.removeRows(importId));
    }
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
