const { PGlite } = require('@electric-sql/pglite');
const { existsSync, mkdirSync, renameSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { dependencies } = require('../../package.json');

/**
 * Before the product tests: the files of an embedded database in which nothing has happened yet. Making them takes
 * seconds of the processor, copying them a tenth of one; `startService` does so when it finds the variable.
 */
module.exports = async () => {
  const version = dependencies['@electric-sql/pglite'];
  const ready = join(__dirname, `../../node_modules/.cache/empty-database-${version}`);
  process.env.SERVICE_TEST_EMPTY_DATABASE = ready;
  if (existsSync(ready)) return;
  const making = `${ready}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  const database = await PGlite.create(making);
  await database.close();
  try {
    renameSync(making, ready);
  } catch {
    // Another run was faster.
    rmSync(making, { recursive: true, force: true });
  }
};
