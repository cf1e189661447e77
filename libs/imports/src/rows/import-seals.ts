import { additionalDataOf, Sealer } from '@app/keys';
import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { importAggregate } from '../import';
import type { Mapping } from '../mapping/mapping';
import type { RowFault } from '../mapping/submission';
import type { Cell } from '../reading/table';

/** What of a row is sealed. */
export interface RowContent {
  /** Absent once there is a credential of it. */
  readonly cells?: readonly Cell[];
  readonly faults?: readonly RowFault[];
  readonly reference?: string;
}

/** The columns of a file. */
export interface ImportColumns extends Mapping {
  readonly headers: readonly string[];
}

/** Seals and opens what comes from one file. `open…` throws `SealBrokenError`. */
export interface ImportSeal {
  sealRow(row: number, content: RowContent): string;
  openRow(row: number, sealed: string): RowContent;
  sealColumns(columns: ImportColumns): string;
  openColumns(sealed: string): ImportColumns;
  sealPart(part: number, bytes: Buffer): Buffer;
  openPart(part: number, sealed: Buffer): Buffer;
  /** The same for the same text, and says nothing of it. */
  nameOf(text: string): string;
}

/** The data keys of imports: without its key, nothing of a file can be read. */
@Injectable()
export class ImportSeals {
  constructor(private readonly sealer: Sealer) {}

  /** @returns the new key as it is stored, with what the work made */
  async withNewKey<T>(
    importId: string,
    work: (seal: ImportSeal) => Promise<T>,
  ): Promise<{ readonly wrapped: Buffer; readonly made: T }> {
    const { dataKey, wrapped } = await this.sealer.newDataKey(streamOf(importId));
    return { wrapped, made: await this.using(importId, dataKey, work) };
  }

  /** @param wrapped the key as it is stored. @returns undefined when it was destroyed */
  async withKey<T>(
    importId: string,
    wrapped: Buffer | undefined,
    work: (seal: ImportSeal) => T | Promise<T>,
  ): Promise<T | undefined> {
    const dataKey = wrapped && (await this.sealer.unwrap(wrapped, streamOf(importId)));
    return dataKey && this.using(importId, dataKey, work);
  }

  private async using<T>(importId: string, dataKey: Buffer, work: (seal: ImportSeal) => T | Promise<T>): Promise<T> {
    const { sealer } = this;
    const place = (event: string) => additionalDataOf({ streamId: streamOf(importId), event });
    const seal = (event: string, value: unknown) => sealer.seal(dataKey, JSON.stringify(value), place(event));
    const open = (event: string, sealed: string): unknown =>
      JSON.parse(sealer.open(dataKey, sealed, place(event)).toString('utf8'));
    // Another key than the one that seals.
    const names = createHmac('sha256', dataKey).update(place('names')).digest();
    try {
      return await work({
        sealRow: (row, content) => seal(`row ${row}`, content),
        // What was erased is empty.
        openRow: (row, sealed) => (sealed === '' ? {} : (open(`row ${row}`, sealed) as RowContent)),
        sealColumns: (columns) => seal('columns', columns),
        openColumns: (sealed) => open('columns', sealed) as ImportColumns,
        sealPart: (part, bytes) => Buffer.from(sealer.seal(dataKey, bytes, place(`part ${part}`)), 'base64url'),
        openPart: (part, sealed) => sealer.open(dataKey, sealed.toString('base64url'), place(`part ${part}`)),
        nameOf: (text) => createHmac('sha256', names).update(text).digest('base64url').slice(0, 22),
      });
    } finally {
      dataKey.fill(0);
      names.fill(0);
    }
  }
}

function streamOf(importId: string): string {
  return `${importAggregate.category}-${importId}`;
}
