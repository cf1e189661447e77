import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { migrate } from '../../libs/event-store/src/database/migrate';
import { PostgresDriver } from '../../libs/event-store/src/database/postgres.driver';
import { migrateErasureKeys } from '../../libs/event-store/src/erasure-keys/open-erasure-keys';
import { sharedPostgres } from '../support/database/postgres';
import { schemaDump } from '../support/database/schema-dump';

const library = join(__dirname, '../../libs/event-store/src');

/** What each release brought, by its SHA-256: stores remember it, and refuse a release that brings something else. */
const released: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '0.2.0': {
    'migrations/0001_schema.sql': '0e3b89ee3147ba2d0308788a79d79f892142a598e0da8409db03c8d16674d624',
    'erasure-keys/migrations/0001_schema.sql': '7dfe618bc0bc97725ec9d4873a662c7b85a4407cfa0bafe5208793946a852b25',
  },
};

const read = (file: string): string => readFileSync(file, 'utf8').replaceAll('\r\n', '\n');

describe('what the migrations make', () => {
  // After a migration is added, write what it makes here into the file.
  it.each([
    ['a store', 'schema.sql', migrate],
    ['a database of erasure keys', '../erasure-keys/schema.sql', migrateErasureKeys],
  ] as const)('of %s is what %s shows', async (_what, file, make) => {
    const driver = new PostgresDriver(await sharedPostgres().createDatabase());
    await make(driver);
    const made = await schemaDump(driver);
    await driver.close();
    expect(made).toBe(read(join(__dirname, file)));
  });
});

describe('the migrations of a release', () => {
  it.each(Object.entries(released))('%s are those that it brought', (_release, files) => {
    const hashes = Object.keys(files).map((file) => [
      file,
      createHash('sha256')
        .update(read(join(library, file)))
        .digest('hex'),
    ]);
    expect(Object.fromEntries(hashes)).toEqual(files);
  });

  it('are listed here when it is made', () => {
    expect(Object.keys(released)).toContain(version);
  });
});
