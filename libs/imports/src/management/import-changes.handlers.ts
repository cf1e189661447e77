import type { SqlDriver } from '@app/event-store';
import type { Conditions } from '@app/http';
import type { Awaitable } from '@app/primitives/awaitable';
import type { Import, ImportEvent } from '../import';
import { ImportRecords, type StoredImport } from '../import-records';
import { ImportFiles } from '../rows/import-files';
import { ImportRows, type RowCounts } from '../rows/import-rows';
import { ImportWork } from '../work/import-work';

/** An import with what became of its rows. */
export interface ImportView extends StoredImport {
  readonly counts: RowCounts;
}

/** Common to all that changes an import. */
export abstract class ImportHandler {
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
    decide: (found: Import, now: Date) => Awaitable<readonly ImportEvent[]>,
  ): Promise<ImportView> {
    await this.records.find(importId);
    // Before what there is to do is stored.
    await this.files.wake(importId);
    const stored = await this.records.change(importId, conditions, decide);
    this.work.wake();
    return { ...stored, counts: await this.rows.counts(importId) };
  }
}
