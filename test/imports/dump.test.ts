import { writeFileSync } from 'node:fs';
import { migrate } from '../../libs/event-store/src/database/migrate';
import { PostgresDriver } from '../../libs/event-store/src/database/postgres.driver';
import { sharedPostgres } from '../support/database/postgres';
import { schemaDump } from '../support/database/schema-dump';
it('x', async () => {
  const driver = new PostgresDriver(await sharedPostgres().createDatabase());
  await migrate(driver);
  writeFileSync('/tmp/wt/imports/test/event-store/schema.sql', await schemaDump(driver));
  await driver.close();
});
