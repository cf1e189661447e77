import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { outsideRequest } from '@app/http';
import { FindOfferLinks } from '@app/offers';
import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Readable } from 'node:stream';
import { credentialIdOf } from '../import';
import type { StoredImport } from '../import-records';
import type { Cell } from '../reading/table';
import { ImportRows, type StoredRow } from '../rows/import-rows';
import { type ImportColumns, type ImportSeal, ImportSeals } from '../rows/import-seals';
import { faultText } from '../rows/row-checks';
import { byteOrderMark, csvLine } from './csv-output';

const pageSize = 500;

interface Wanted {
  readonly separator: string;
  readonly withLinks: boolean;
}

/** What became of the rows of an import, as CSV. */
@Injectable()
export class ImportResults {
  private readonly rows: ImportRows;

  constructor(
    @Inject(SQL_DRIVER) driver: SqlDriver,
    private readonly seals: ImportSeals,
    private readonly queries: QueryBus,
  ) {
    this.rows = new ImportRows(driver);
  }

  /** Read as it is sent, for as long as that takes. */
  read(stored: StoredImport, wanted: Wanted): Readable {
    return outsideRequest(() => Readable.from(this.pages(stored, wanted)));
  }

  private async *pages(stored: StoredImport, wanted: Wanted): AsyncGenerator<string> {
    const { separator, withLinks } = wanted;
    yield byteOrderMark + csvLine(['Row', 'Reference', 'State', 'Reason', ...(withLinks ? ['Link'] : [])], separator);
    for (let after = 0; ;) {
      const rows = await this.rows.list(stored.importId, undefined, after, pageSize);
      const last = rows.at(-1);
      if (!last) return;
      after = last.row;
      yield await this.page(stored, rows, wanted);
    }
  }

  private async page(stored: StoredImport, rows: readonly StoredRow[], wanted: Wanted): Promise<string> {
    const { importId, found, dataKey } = stored;
    const links = wanted.withLinks ? await this.linksOf(importId, rows) : new Map<number, string>();
    const text = await this.seals.withKey(importId, dataKey, (seal) => {
      const columns = found.sealedColumns === undefined ? undefined : seal.openColumns(found.sealedColumns);
      return rows
        .map((row) => {
          const cells = lineOf(row, seal, columns);
          return csvLine([...cells, ...(wanted.withLinks ? [links.get(row.row) ?? ''] : [])], wanted.separator);
        })
        .join('');
    });
    return text ?? '';
  }

  /** Of offers that are open. */
  private async linksOf(importId: string, rows: readonly StoredRow[]): Promise<ReadonlyMap<number, string>> {
    const made = rows.filter(({ state }) => state === 'created').map(({ row }) => row);
    const offers = await this.queries.execute(new FindOfferLinks(made.map((row) => credentialIdOf(importId, row))));
    return new Map(
      made.flatMap((row, at) => {
        const offer = offers[at];
        return offer?.isOpen === true ? [[row, offer.links.links.page] as const] : [];
      }),
    );
  }
}

function lineOf(row: StoredRow, seal: ImportSeal, columns: ImportColumns | undefined): string[] {
  const { cells = [], faults = [], reference } = seal.openRow(row.row, row.sealed);
  const reason = faults.map((fault) => faultText(row.row, fault, columns?.headers ?? [])).join('; ');
  const twin = row.twin === null ? '' : `The same as row ${row.twin}`;
  return [String(row.row), reference ?? referenceIn(cells, columns), row.state, reason === '' ? twin : reason];
}

function referenceIn(cells: readonly Cell[], columns: ImportColumns | undefined): string {
  const at = columns?.columns.indexOf('reference') ?? -1;
  return at === -1 ? '' : String(cells[at] ?? '').trim();
}
