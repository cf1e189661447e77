import type { SqlDriver } from '@app/event-store';
import { ImageTable } from '@app/templates/src/images/image-table';

/** Every statement about pictures. */
export async function imageStatements(driver: SqlDriver): Promise<void> {
  const table = new ImageTable(driver);
  await table.add('i', { kind: 'png', width: 1, height: 1 }, Buffer.from('picture'), 2);
  await table.find('i');
  await table.content('i');
  await table.list();
  await table.remove('i');
  await table.removeAll();
}
