import type { SqlDriver } from '@app/event-store';
import { ImportFiles } from '@app/imports/src/rows/import-files';
import { ImportRows } from '@app/imports/src/rows/import-rows';

/** Every statement of imports. */
export async function importStatements(driver: SqlDriver): Promise<void> {
  const files = new ImportFiles(driver);
  const rows = new ImportRows(driver);
  await files.wake('i');
  await files.addPart('i', 0, Buffer.from('sealed'));
  await files.part('i', 0);
  await files.due(1);
  await files.rest('i');
  await rows.add('i', [{ row: 2, sealed: 'sealed' }]);
  await rows.toCheck('i', 1, 10);
  const found = { version: 1, state: 'ready', same: 'same', sealed: 'sealed' } as const;
  await rows.add('i', [{ row: 3, sealed: 'sealed' }]);
  await rows.settle('i', 1, [
    { row: 2, ...found },
    { row: 3, ...found },
  ]);
  await rows.markDuplicates('i');
  await rows.counts('i');
  await rows.revision('i');
  await rows.find('i', 2);
  await rows.list('i', undefined, 0, 10);
  await rows.list('i', 'ready', 0, 10);
  await rows.forget('i', 2);
  await rows.remove('i');
  await files.removeFile('i');
  await files.remove('i');
  await files.removeAll();
  await files.old(8);
}
