import { currentStanding } from '@app/http';
import { currentMark, Turns } from '@app/primitives/context';
import { SQL_DRIVER, type SqlDriver, type SqlSession, takeLock, releaseLock } from '@app/event-store';
import { Problem } from '@app/primitives/problems';
import { GetConfigurationOfTemplate, type IssuableConfiguration } from '@app/templates';
import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  checkAgain,
  fileFailed,
  fileRead,
  finishImport,
  holdImport,
  type Import,
  type HoldReason,
  isMailing,
  rowsChecked,
} from '../import';
import { ImportRecords, type StoredImport } from '../import-records';
import { matched } from '../mapping/mapping';
import { targetsOf } from '../mapping/targets';
import { type FileInReading, readInThread } from '../reading/reading-thread';
import { UnreadableFileError } from '../reading/table';
import { ImportFiles } from '../rows/import-files';
import { ImportRows } from '../rows/import-rows';
import { type ImportSeal, ImportSeals } from '../rows/import-seals';
import { type CheckPlan, RowChecks } from '../rows/row-checks';
import { RowRuns } from '../rows/row-runs';
import { ImportMails } from './import-mails';

/** Rows of a round. */
const checkedAtOnce = 200;
const madeAtOnce = 100;
/** Milliseconds until the lock of another process is asked for again. */
const lookAgain = 200;
/** Milliseconds of a pause after a batch: the longest, and by which part of the time that the batch took. */
const longestPause = 2_000;
const pausedPart = 1;

/** What may be done next with an import. */
export type Outcome = 'go-on' | 'rest';

/** One step with an import at a time: reading, checking, making, mailing. Each can be done again. */
@Injectable()
export class ImportRounds {
  private readonly files: ImportFiles;
  private readonly rows: ImportRows;
  /** In this process, one batch at a time is made. */
  private readonly turns = new Turns();

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly records: ImportRecords,
    private readonly seals: ImportSeals,
    private readonly queries: QueryBus,
    private readonly checks: RowChecks,
    private readonly runs: RowRuns,
    private readonly mails: ImportMails,
  ) {
    this.files = new ImportFiles(driver);
    this.rows = new ImportRows(driver);
  }

  /** @param session the one that has the lock of the import */
  async next(importId: string, session: SqlSession, signal: AbortSignal): Promise<Outcome> {
    const stored = await this.records.present(importId);
    if (!stored) return 'rest';
    const { found, dataKey } = stored;
    const work = await this.seals.withKey(importId, dataKey, (seal) => {
      if (found.status === 'Reading') return this.prepare(stored, seal);
      if (found.status === 'Running') return this.make(stored, seal, session, signal);
      return isMailing(found) ? this.paced(signal, () => this.mail(stored)) : this.rest(stored);
    });
    return work ?? 'rest';
  }

  private prepare(stored: StoredImport, seal: ImportSeal): Promise<Outcome> {
    return stored.found.rows === undefined ? this.read(stored, seal) : this.check(stored, seal);
  }

  private async read({ importId, found }: StoredImport, seal: ImportSeal): Promise<Outcome> {
    const parts: Buffer[] = [];
    for (let part = 0; ; part++) {
      const sealed = await this.files.part(importId, part);
      if (!sealed) break;
      parts.push(seal.openPart(part, sealed));
    }
    try {
      const file = await readInThread(Buffer.concat(parts));
      try {
        await this.keep(importId, found, file, seal);
      } finally {
        await file.end();
      }
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      await this.rows.remove(importId);
      await this.records.decide(importId, (now, at) => fileFailed(now, error.message, at));
    }
    await this.files.removeFile(importId);
    return 'go-on';
  }

  private async keep(importId: string, found: Import, file: FileInReading, seal: ImportSeal): Promise<void> {
    // A process may have ended in the middle of it.
    await this.rows.remove(importId);
    for (let page = await file.next(); page.length > 0; page = await file.next()) {
      await this.rows.add(
        importId,
        page.map(({ row, cells }) => ({ row, sealed: seal.sealRow(row, { cells }) })),
      );
    }
    const configuration = await this.configurationOf(found);
    const targets = configuration ? targetsOf(configuration) : [];
    const sealedColumns = seal.sealColumns({ headers: file.headers, ...matched(file.headers, targets) });
    await this.records.decide(importId, (now) =>
      fileRead(now, { rows: file.count, readAs: file.readAs, sealedColumns }),
    );
  }

  private async check({ importId, found }: StoredImport, seal: ImportSeal): Promise<Outcome> {
    const configuration = await this.configurationOf(found);
    if (!configuration) {
      await this.records.decide(importId, (now, at) =>
        fileFailed(now, 'The template cannot be issued any more: publish it, and send the file again.', at),
      );
      return 'go-on';
    }
    const rows = await this.rows.toCheck(importId, found.checks, checkedAtOnce);
    if (rows.length > 0) {
      const results = await this.checks.check(rows, this.plan(importId, found, configuration, seal));
      await this.rows.settle(importId, found.checks, results);
      return 'go-on';
    }
    await this.rows.markDuplicates(importId);
    await this.records.decide(importId, (now) => rowsChecked(now, found.checks, configuration.contentVersion ?? 0));
    return 'go-on';
  }

  private make(stored: StoredImport, seal: ImportSeal, session: SqlSession, signal: AbortSignal): Promise<Outcome> {
    return this.paced(signal, () => this.alone(session, signal, () => this.batch(stored, seal)));
  }

  private async mail(stored: StoredImport): Promise<Outcome> {
    await this.mails.queueSome(stored);
    return 'go-on';
  }

  private async rest(stored: StoredImport): Promise<Outcome> {
    await this.mails.stopLeft(stored);
    return 'rest';
  }

  private async paced(signal: AbortSignal, work: () => Promise<Outcome>): Promise<Outcome> {
    const begin = performance.now();
    const outcome = await this.turns.take(work);
    if (outcome === 'go-on') {
      // Requests of wallets and portals are not held up.
      const pause = Math.min(longestPause, pausedPart * (performance.now() - begin));
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
    return outcome;
  }

  private async batch({ importId, found }: StoredImport, seal: ImportSeal): Promise<Outcome> {
    const reason = currentStanding()?.suspended === undefined ? undefined : 'suspended';
    const configuration = reason === undefined ? await this.configurationOf(found) : undefined;
    if (!configuration) return this.hold(importId, reason ?? 'template');
    if ((configuration.contentVersion ?? 0) !== found.contentVersion) {
      await this.records.decide(importId, checkAgain);
      return 'go-on';
    }
    const rows = await this.rows.list(importId, 'ready', 0, madeAtOnce);
    if (rows.length === 0) {
      await this.records.decide(importId, finishImport);
      return 'go-on';
    }
    const results = await this.runs.run(rows, this.plan(importId, found, configuration, seal));
    await this.rows.settle(importId, found.checks, results);
    return 'go-on';
  }

  private async hold(importId: string, reason: HoldReason): Promise<Outcome> {
    await this.records.decide(importId, (now) => holdImport(now, reason));
    return 'go-on';
  }

  /**
   * One batch of a tenant at a time over all processes: of two imports of one file, the second sees what the first has made.
   * @param session the lock ends with it
   */
  private async alone(session: SqlSession, signal: AbortSignal, work: () => Promise<Outcome>): Promise<Outcome> {
    const name = `imports ${currentMark()}`;
    while (!(await takeLock(session, name))) {
      if (signal.aborted) return 'rest';
      await delay(lookAgain, undefined, { signal }).catch(() => undefined);
    }
    try {
      return await work();
    } finally {
      if (session.isAlive()) await releaseLock(session, name).catch(() => undefined);
    }
  }

  /** `undefined` when it cannot be issued now. */
  private async configurationOf({ templateId }: Import): Promise<IssuableConfiguration | undefined> {
    try {
      return await this.queries.execute(new GetConfigurationOfTemplate(templateId));
    } catch (error) {
      if (error instanceof Problem && /^template-/.test(error.slug)) return undefined;
      throw error;
    }
  }

  private plan(importId: string, found: Import, configuration: IssuableConfiguration, seal: ImportSeal): CheckPlan {
    if (found.sealedColumns === undefined) throw new Error('an import without columns');
    return { importId, configuration, seal, columns: seal.openColumns(found.sealedColumns) };
  }
}
