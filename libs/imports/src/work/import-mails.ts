import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { QueueMails, StopMails } from '@app/mail';
import { ofTenant } from '@app/primitives/context';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { createHash } from 'node:crypto';
import { allMailsQueued, credentialIdOf, type Mailing, mailsQueued } from '../import';
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
    const mails = await this.next(importId, mailing);
    const last = mails.at(-1);
    if (!last) {
      await this.records.decide(importId, (now, at) => allMailsQueued(now, mailing, at));
      return;
    }
    const counts: Record<string, number> = {};
    for (const outcome of await this.commands.execute(new QueueMails(mails, mailing.locale))) {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    const after = await this.records.decide(importId, (now) => mailsQueued(now, mailing, last.row, counts));
    // Who has stopped it did not see these.
    if (after?.mailing?.isStopped === true && after.mailing.round === mailing.round) await this.stop(mails);
  }

  /** Of what was stopped: the process that queued the next ones meanwhile may have ended before it saw that. */
  async stopLeft({ importId, found: { mailing } }: StoredImport): Promise<void> {
    if (mailing?.isStopped === true) await this.stop(await this.next(importId, mailing));
  }

  private async next(importId: string, { round, upTo }: Mailing) {
    const rows = await this.rows.list(importId, 'created', upTo, queuedAtOnce);
    return rows.map(({ row }) => {
      const offerId = credentialIdOf(importId, row);
      return { row, offerId, deliveryId: idOf(offerId, round) };
    });
  }

  private async stop(mails: readonly { readonly deliveryId: string }[]): Promise<void> {
    if (mails.length > 0) await this.commands.execute(new StopMails(mails.map(({ deliveryId }) => deliveryId)));
  }
}

function idOf(offerId: string, round: number): string {
  return createHash('sha256')
    .update(JSON.stringify([ofTenant('mails'), offerId, round]))
    .digest('base64url');
}
