import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { QueueMails, StopMails } from '@app/mail';
import { ofTenant } from '@app/primitives/context';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { createHash } from 'node:crypto';
import { beginningOf, credentialIdOf, endMails, isMailing, mailsQueued } from '../import';
import { ImportRecords, type StoredImport } from '../import-records';
import { ImportRows } from '../rows/import-rows';

const queuedAtOnce = 200;

/** Queues the mails of the offers of an import, some rows at a time. Each step can be done again. */
@Injectable()
export class ImportMails {
  private readonly rows: ImportRows;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
    private readonly commands: CommandBus,
  ) {
    this.rows = new ImportRows(driver);
  }

  async queueSome({ importId, found: { mailing } }: StoredImport): Promise<void> {
    if (!mailing) return;
    const { round, upTo, locale } = mailing;
    const rows = await this.rows.list(importId, 'created', upTo, queuedAtOnce);
    const last = rows.at(-1);
    if (!last) {
      await this.records.decide(importId, (now, at) => endMails(now, false, at));
      return;
    }
    const mails = rows.map(({ row }) => {
      const offerId = credentialIdOf(importId, row);
      return { offerId, deliveryId: idOf(offerId, round) };
    });
    const counts: Record<string, number> = {};
    for (const outcome of await this.commands.execute(new QueueMails(mails, locale))) {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    const after = await this.records.decide(importId, (now) => mailsQueued(now, round, last.row, counts));
    // Who has stopped it did not see these.
    if (!after || !isMailing(after)) await this.commands.execute(new StopMails(beginningOf(importId)));
  }
}

function idOf(offerId: string, round: number): string {
  return createHash('sha256')
    .update(JSON.stringify([ofTenant('mails'), offerId, round]))
    .digest('base64url');
}
