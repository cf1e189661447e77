import {
  erasureKeyRights,
  type RoleRight,
  roleRights,
  grantStatements,
  hasRole,
  missingRights,
  partitionsOf,
  quoted,
  schemaOfTables,
  SqlError,
  type SqlDriver,
} from '@app/event-store';
import type { Command } from 'commander';
import { aboutObject } from './command-audit';
import { withTables } from './database';
import { withErasureKeys } from './erasure-key-database';
import { CommandFailure } from './failure';

interface GrantsOptions {
  readonly role: string;
  readonly apply?: true;
}

/** The rights of a service that runs as a separate role. */
export function addGrantsCommand(program: Command): void {
  program
    .command('grants')
    .description('Prints the SQL that lets the service run as a role that cannot change history, or executes it.')
    .requiredOption('--role <role>', 'the role of the service; it must exist')
    .option('--apply', 'grant the rights, as the owner of the tables, instead of printing the SQL; may be repeated')
    .addHelpText(
      'after',
      '\nExample:\n  sealwright grants --role app --apply\n\nRepeat it after each "sealwright migrate".',
    )
    .action(grantRights);
}

/** One of the databases of the service, with what the service needs there. */
interface Place {
  readonly driver: SqlDriver;
  readonly granted: readonly RoleRight[];
  /** The setting that names its owner. */
  readonly setting: string;
}

function grantRights({ role, apply }: GrantsOptions): Promise<void> {
  return withTables(async (driver, settings) => {
    aboutObject(role);
    if (driver.kind === 'embedded') throw new CommandFailure('An embedded database has no roles: nothing to grant.');
    await grantIn({ driver, granted: roleRights, setting: 'SERVICE__EVENT_STORE__CONNECTION_STRING' }, role, apply);
    await withErasureKeys(settings, async (keys) => {
      if (!keys) return;
      if (apply !== true) process.stdout.write('\n-- In the database of erasure keys:\n');
      const setting = 'SERVICE__ERASURE_KEYS__CONNECTION_STRING';
      await grantIn({ driver: keys, granted: erasureKeyRights, setting }, role, apply);
    });
    if (apply === true)
      process.stdout.write(`The role ${quoted(role)} can do what the service does, and cannot change history by it.\n`);
  });
}

async function grantIn({ driver, granted, setting }: Place, role: string, apply: true | undefined): Promise<void> {
  const owner = `${setting} with the owner of the tables`;
  if (!(await hasRole(driver, role))) {
    const statement = `create role ${quoted(role)} login password '...';`;
    throw new CommandFailure(`There is no role ${quoted(role)}: create it with  ${statement}  and repeat this.`);
  }
  const statements = grantStatements(role, await schemaOfTables(driver), await partitionsOf(driver), granted);
  if (apply !== true) {
    process.stdout.write(statements.map((statement) => `${statement};\n`).join(''));
    return;
  }
  await applyAll(driver, statements, owner);
  const missing = await missingRights(driver, role, granted);
  if (missing.length > 0) {
    throw new CommandFailure(`Not granted to ${quoted(role)}: ${missing.join(', ')}. Set ${owner}.`);
  }
}

async function applyAll(driver: SqlDriver, statements: readonly string[], owner: string): Promise<void> {
  try {
    await driver.transaction((tx) => tx.script(statements.join(';\n')));
  } catch (error) {
    // 42501: insufficient privilege
    if (!(error instanceof SqlError) || error.code !== '42501') throw error;
    throw new CommandFailure(`Only the owner of the tables can grant rights on them: set ${owner}.`);
  }
}
