import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { outsideRequest } from '@app/http';
import { Inject, Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import type { StoredImport } from '../import-records';
import type { Cell } from '../reading/table';
import { ImportRows, type StoredRow } from '../rows/import-rows';
import { type ImportColumns, type ImportSeal, ImportSeals } from '../rows/import-seals';
import { faultText } from '../rows/row-checks';
import { type RowHandover, RowHandovers } from '../rows/row-handovers';
import { byteOrderMark, csvLine } from './csv-output';

const pageSize = 500;
const names = ['Row', 'Reference', 'State', 'Reason', 'Offer', 'Mail'];

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
    private readonly handovers: RowHandovers,
  ) {
    this.rows = new ImportRows(driver);
  }

  /** Read as it is sent, for as long as that takes. */
  read(stored: StoredImport, wanted: Wanted): Readable {
    return outsideRequest(() => Readable.from(this.pages(stored, wanted)));
  }

  private async *pages(stored: StoredImport, wanted: Wanted): AsyncGenerator<string> {
    const { separator, withLinks } = wanted;
    yield byteOrderMark + csvLine([...names, ...(withLinks ? ['Link'] : [])], separator);
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
    const handovers = await this.handovers.of(importId, rows);
    const text = await this.seals.withKey(importId, dataKey, (seal) => {
      const columns = found.sealedColumns === undefined ? undefined : seal.openColumns(found.sealedColumns);
      return rows
        .map((row) => {
          const cells = [...lineOf(row, seal, columns), ...cellsOf(handovers.get(row.row), wanted.withLinks)];
          return csvLine(cells, wanted.separator);
        })
        .join('');
    });
    return text ?? '';
  }
}

/** The link as long as the offer is open. */
function cellsOf(handover: RowHandover | undefined, withLinks: boolean): string[] {
  const { offerState = '', mail, page = '' } = handover ?? {};
  const status = [mail?.status ?? '', mail?.status === 'Sent' ? '' : (mail?.reason ?? '')].join(' ').trim();
  return [offerState, status, ...(withLinks ? [offerState === 'Open' ? page : ''] : [])];
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
